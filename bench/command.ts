import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { buildPackage } from '../scripts/build-package.ts'
import { median } from './harness.ts'
import type { Section } from './report.ts'

const ROUNDS = 21
const user = join(import.meta.dirname, '..', '.cache', 'bench-command')
const main = join(user, 'node_modules', 'mandate', 'dist', 'cli', 'main.js')

/** Interactive command lines. */
const LINES = [['--help'], ['help', 'run'], ['--version'], ['completion', 'words', '--', 'ru'], ['runs']]

/** Returns the run time of a process in milliseconds. */
function once(args: readonly string[]): number {
  const start = performance.now()
  spawnSync(process.execPath, args, { cwd: user, stdio: 'ignore' })
  return performance.now() - start
}

/** Measures the time of the built command compared to a bare Node process, alternately and in fresh processes. */
export async function command(): Promise<Section> {
  await buildPackage(user, { dts: false })
  const sides = [['-e', '0'], ...LINES.map((words) => [main, ...words])]
  const all = sides.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++) for (const [index, args] of sides.entries()) all[index]!.push(once(args))
  const [bare = 0, ...rest] = all.map((times) => median(times))
  return {
    tables: [
      {
        title: 'The command',
        note: 'Built, in fresh processes, in turns; beside `node -e 0`.',
        columns: ['ms', 'ms over bare Node'],
        rows: [
          ['node -e 0', bare, 0],
          ...rest.map((ms, index) => [`mandate ${LINES[index]!.join(' ')}`, ms, ms - bare] as const),
        ],
      },
    ],
    goals: [{ name: 'mandate --help, ms over bare Node', measured: rest[0]! - bare, atMost: 100 }],
  }
}
