import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

interface Packed {
  readonly size: number
  readonly unpackedSize: number
  readonly entryCount: number
}

/** Builds the tarball as published by npm. */
function pack(): Packed {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-pack-'))
  try {
    const said = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    // The output of the build precedes the list.
    const [packed] = JSON.parse(said.slice(said.indexOf('[\n'))) as [Packed]
    return packed
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Measures the wait of a new user: the main example of a clone, and the download of the package. */
export async function start(): Promise<Section> {
  const { size, unpackedSize, entryCount } = pack()
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
      {
        title: 'The tarball',
        note: 'As `npm pack` makes it.',
        columns: ['MB packed', 'MB unpacked', 'files'],
        rows: [['mandate', size / 1e6, unpackedSize / 1e6, entryCount]],
      },
    ],
    goals: [{ name: 'npm start, seconds', measured: seconds, atMost: 15 }],
  }
}
