import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { builtPackage } from '../built-package.ts'
import { isSweep } from '../rotation.ts'
import { root } from '../tidy/sources.ts'
import type { WorkerTask } from './worker.ts'

const { flags } = await builtPackage()

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mandate-programs-'))
  writeFileSync(join(dir, 'world'), '')
})
afterEach(() => rmSync(dir, { recursive: true }))

interface Report {
  readonly outcome: {
    readonly state: string
    readonly output?: { readonly result?: unknown }
    readonly error?: unknown
  }
  readonly replay?: { readonly identical: boolean }
}

/** Runs one process of the run. */
function step(task: Pick<WorkerTask, 'program' | 'isFirst' | 'answers'>): Report {
  const whole: WorkerTask = { path: join(dir, 'runs.db'), world: join(dir, 'world'), args: {}, ...task }
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', ...flags, join(root, 'test/programs/worker.ts'), JSON.stringify(whole)],
    { encoding: 'utf8', timeout: 50_000 },
  )
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout) as Report
}

/** Process after process, each answering so many, until the run is over. */
function through(program: string | object, answers: number): { report: Report; processes: number; world: string[] } {
  let report = step({ program, isFirst: true, answers: 0 })
  let processes = 1
  for (; report.outcome.state === 'suspended' && processes < 20; processes++)
    report = step({ program, isFirst: false, answers })
  return { report, processes, world: readFileSync(join(dir, 'world'), 'utf8').trim().split('\n') }
}

describe('a program that waits for a human goes on in another process', () => {
  test.skipIf(isSweep)('inside a loop, once for each turn, without doing anything again', () => {
    const source = `
      const out = []
      for (const text of ['a', 'b', 'c']) {
        out.push(await tools.act({ text }))
        out.push(await tools.deploy({ text }))
      }
      return out`
    const { report, processes, world } = through(source, 1)
    expect(report).toMatchObject({
      outcome: { state: 'completed', output: { result: ['a!', 'a!', 'b!', 'b!', 'c!', 'c!'] } },
      replay: { identical: true },
    })
    expect(processes).toBe(4)
    expect(world).toEqual(['act a', 'deploy a', 'act b', 'deploy b', 'act c', 'deploy c'])
  })

  test.each(isSweep ? [1, 3] : [2])('inside a Promise.all, whether %i are answered at a time', (answers) => {
    const source = `
      const chain = async (text) => {
        const first = await tools.act({ text })
        const second = await tools.deploy({ text: first })
        return tools.act({ text: second })
      }
      return Promise.all(['a', 'b', 'c'].map(chain))`
    const { report, processes, world } = through(source, answers)
    expect(report).toMatchObject({
      outcome: { state: 'completed', output: { result: ['a!!!', 'b!!!', 'c!!!'] } },
      replay: { identical: true },
    })
    // A run may suspend before its slowest branch has asked; then that one is answered in a process of its own.
    expect(processes).toBeGreaterThanOrEqual(1 + Math.ceil(3 / answers))
    expect(processes).toBeLessThanOrEqual(1 + 3)
    expect(world.toSorted()).toEqual(
      ['a', 'b', 'c'].flatMap((x) => [`act ${x}`, `act ${x}!!`, `deploy ${x}!`]).toSorted(),
    )
  })
})
