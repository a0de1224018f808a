import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runMortal } from '../mortal-process.ts'
import { rotate } from '../rotation.ts'
import type { MortalTask } from './mortal-session.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mandate-cells-'))
})

afterAll(() => rm(folder, { recursive: true }))

interface Report {
  readonly value: unknown
  readonly identical: boolean
  readonly entries: number
}

const runProcess = (task: MortalTask): Promise<Report | undefined> =>
  runMortal<Report>(new URL('./mortal-session.ts', import.meta.url), task)

const taskOf = (name: string): MortalTask => ({ path: join(folder, `${name}.db`), world: join(folder, `${name}.txt`) })

const told = async (name: string): Promise<readonly string[]> =>
  (await readFile(join(folder, `${name}.txt`), 'utf8')).trim().split('\n').toSorted()

it('a session whose process is killed with any entry goes on in another one, and nothing is done twice', async () => {
  const whole = await runProcess(taskOf('whole'))
  expect(whole).toMatchObject({ identical: true, value: { n: 41, same: true, log: [10, 10, 10, 1, 10] } })
  expect(await told('whole')).toEqual(['x1', 'x2', 'x3', 'x4'])
  const places = Array.from({ length: whole!.entries }, (_, index) => index + 1)
  const left = rotate(places, 'sessions in killed processes')
  const worker = async (): Promise<void> => {
    for (let dieAt = left.pop(); dieAt !== undefined; dieAt = left.pop()) {
      const name = `at-${dieAt}`
      const first = await runProcess({ ...taskOf(name), dieAt })
      const last = first ?? (await runProcess(taskOf(name)))
      expect(last, name).toMatchObject({ identical: true, value: whole!.value })
      expect(await told(name), name).toEqual(await told('whole'))
    }
  }
  await Promise.all([worker(), worker()])
}, 240_000)
