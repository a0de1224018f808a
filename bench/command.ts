import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { buildPackage } from '../scripts/build-package.ts'
import { median } from './harness.ts'
import type { Section } from './report.ts'

const ROUNDS = 21
const user = join(import.meta.dirname, '..', '.cache', 'bench-command')
const main = join(user, 'node_modules', 'mandate', 'dist', 'cli', 'main.js')

/** Command lines that a person waits for. */
const LINES = [['--help'], ['help', 'run'], ['--version'], ['completion', 'words', '--', 'ru'], ['runs']]

/** How long a process takes, in milliseconds. */
function once(args: readonly string[]): number {
  const start = performance.now()
  spawnSync(process.execPath, args, { cwd: user, stdio: 'ignore' })
  return performance.now() - start
}

/** How long the built command takes over a bare Node, in fresh processes, in turns. */
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
