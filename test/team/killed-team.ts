import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { runMortal } from '../mortal-process.ts'
import type { MortalTask } from './mortal-team.ts'

interface Report {
  readonly status: string
  readonly text: string
  readonly identical: boolean
  readonly entries: number
}

const runProcess = (task: MortalTask): Promise<Report | undefined> =>
  runMortal<Report>(new URL('./mortal-team.ts', import.meta.url), task)

/** Lets a team work to its end, in a process that is killed with an entry and, then, in another one. */
export async function workThrough(folder: string, dieAt?: number): Promise<Report> {
  const name = `at-${dieAt ?? 'the-end'}`
  const task = { path: join(folder, `${name}.db`), world: join(folder, `${name}.txt`) }
  const report = (await runProcess({ ...task, dieAt })) ?? (await runProcess(task))
  expect(report, name).toMatchObject({ status: 'completed', text: 'All are paid.', identical: true })
  const paid = (await readFile(task.world, 'utf8')).trim().split('\n')
  expect(paid.toSorted(), name).toEqual(['ana', 'bob', 'cem'])
  return report!
}
