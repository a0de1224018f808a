import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { stagePackage } from '../scripts/build-package.ts'
import { pack } from '../scripts/pack.ts'
import { median } from './harness.ts'
import type { Section } from './report.ts'

const ROUNDS = 3
const root = join(import.meta.dirname, '..')

/** Measures the time of `npm start` in a clone, in seconds. */
function startOnce(): number {
  const begun = performance.now()
  execFileSync('npm', ['start'], { cwd: root, stdio: 'ignore' })
  return (performance.now() - begun) / 1_000
}

/** Measures the published tarball and that of the AI SDK. */
async function tarballs(): Promise<Section> {
  const folder = join(root, '.cache', 'bench-package')
  await stagePackage(folder)
  const packed = pack([join(root, 'node_modules', 'ai'), folder])
  const [theirs, ours] = packed.map(({ size }) => size) as [number, number]
  return {
    tables: [
      {
        title: 'The tarball',
        note: 'As `npm pack` makes it, without dependencies.',
        columns: ['MB packed', 'MB unpacked', 'files'],
        rows: packed.map(({ name, size, unpackedSize, entryCount }) => [
          name,
          size / 1e6,
          unpackedSize / 1e6,
          entryCount,
        ]),
      },
    ],
    goals: [{ name: 'MB packed beside ai 7', measured: ours / theirs, atMost: 1 }],
  }
}

/** Measures the wait of a new user: the main example of a clone, and the download of the package. */
export async function start(): Promise<Section> {
  const packed = await tarballs()
  // The first start builds the page of the studio if it is missing.
  startOnce()
  const seconds = median(Array.from({ length: ROUNDS }, startOnce))
  return {
    tables: [
      {
        title: 'The main example',
        note: '`npm start` in a clone with its dependencies, until it has ended; the page of the studio is built.',
        columns: ['seconds'],
        rows: [['npm start', seconds]],
      },
      ...packed.tables,
    ],
    goals: [...packed.goals, { name: 'npm start, seconds', measured: seconds, atMost: 15 }],
  }
}
