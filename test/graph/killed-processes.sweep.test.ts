import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runMortal } from '../mortal-process.ts'
import { rotate } from '../rotation.ts'
import type { MortalTask } from './mortal-process.ts'

/** More entries than the run has: the first test says so when it grows. */
const ENTRIES_MAX = 80

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mandate-graph-'))
})

afterAll(() => rm(folder, { recursive: true }))

interface Report {
  readonly state: string
  readonly output: unknown
  readonly identical: boolean
  readonly entries: number
}

const runProcess = (task: MortalTask): Promise<Report | undefined> =>
  runMortal<Report>(new URL('./mortal-process.ts', import.meta.url), task)

/** What the world was told, without the keys. */
async function told(name: string): Promise<readonly string[]> {
  const lines = (await readFile(join(folder, `${name}.txt`), 'utf8')).trim().split('\n')
  return lines.map((line) => line.slice(line.indexOf(' ') + 1)).toSorted()
}

const taskOf = (name: string): MortalTask => ({ path: join(folder, `${name}.db`), world: join(folder, `${name}.txt`) })

it('a process that is killed with any entry is followed by one that comes to the same end, and nothing is done twice', async () => {
  const whole = await runProcess(taskOf('whole'))
  expect(whole).toMatchObject({ state: 'completed', identical: true })
  expect(whole!.entries).toBeLessThanOrEqual(ENTRIES_MAX)
  const places = Array.from({ length: whole!.entries }, (_, index) => index + 1)
  const left = rotate(places, 'graphs in killed processes')
  const worker = async (): Promise<void> => {
    for (let dieAt = left.pop(); dieAt !== undefined; dieAt = left.pop()) {
      const name = `at-${dieAt}`
      const first = await runProcess({ ...taskOf(name), dieAt })
      const last = first ?? (await runProcess(taskOf(name)))
      expect(last, name).toMatchObject({ state: 'completed', identical: true, output: whole!.output })
      expect(await told(name), name).toEqual(await told('whole'))
    }
  }
  await Promise.all([worker(), worker()])
}, 280_000)
