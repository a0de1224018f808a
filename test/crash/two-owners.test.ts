import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Kernel } from '../../src/run/index.ts'
import type { Mind } from '../../src/run/index.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'
import type { SqliteJournal } from '../../src/store/sqlite/sqlite-journal.ts'
import type { Tool } from '../../src/tool/index.ts'
import { runProcess, startToolServer } from './processes.ts'

let folder = ''
const opened: SqliteJournal[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mandate-owners-'))
})

afterAll(async () => {
  await Promise.all(opened.map((journal) => journal.close()))
  await rm(folder, { recursive: true })
})

function open(name: string): SqliteJournal {
  const journal = sqliteJournal({ path: join(folder, name), watchIntervalMs: 5 })
  opened.push(journal)
  return journal
}

const waiting: Mind = {
  kind: 'program',
  name: 'main',
  start: async (_, context) => (await context.perform({ kind: 'tool', name: 'hang', input: null })).status,
}

function kernelOn(journal: SqliteJournal, onCall: () => void = () => {}): Kernel {
  const kernel = new Kernel({ journal })
  kernel.registry.registerMind(waiting)
  const hang: Tool = {
    name: 'hang',
    inputSchema: {},
    risk: 'read',
    validate: (input) => ({ valid: true, value: input }),
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        onCall()
        signal.addEventListener('abort', () => reject(new Error('cut')))
      }),
  }
  kernel.registry.registerTool(hang)
  return kernel
}

test('a run is cancelled through the file it is written to', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const outcome = kernelOn(open('cancel.db'), resolve).run({ kind: 'program', name: 'main', input: null, runId: 'r' })
  await promise
  await kernelOn(open('cancel.db')).cancel('r', 'through the file')
  expect(await outcome).toMatchObject({ state: 'cancelled', reason: 'through the file' })
})

test('two kernels in one process do not take each other for one, on one file or even one journal', async () => {
  for (const isShared of [true, false]) {
    const name = `owners-${isShared}.db`
    const journal = open(name)
    const { promise, resolve } = Promise.withResolvers<void>()
    let calls = 0
    const count = (): void => {
      calls += 1
      resolve()
    }
    const first = kernelOn(journal, count)
    const outcome = first.run({ kind: 'program', name: 'main', input: null, runId: 'r' })
    await promise
    const second = kernelOn(isShared ? journal : open(name), count)
    await expect(second.resume('r')).rejects.toMatchObject({ code: 'LEASE_HELD' })
    await first.cancel('r')
    expect((await outcome).state).toBe('cancelled')
    expect(calls).toBe(1)
  }
})

test('two processes that start one run at the same moment make one run of it', async () => {
  const world = await startToolServer()
  try {
    const task = { path: join(folder, 'race.db'), runId: 'race', serverUrl: world.url }
    const ended = await Promise.allSettled([runProcess(task), runProcess(task)])
    const reports = ended.flatMap((each) =>
      each.status === 'fulfilled' && !each.value.killed ? [each.value.report] : [],
    )
    const refusals = ended.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []))
    // Usually one is told who has it; one that came when the other had ended is told how it went.
    expect(reports.length + refusals.length).toBe(2)
    expect(reports.length).toBeGreaterThan(0)
    for (const refusal of refusals) expect(refusal).toMatch(/LEASE_HELD|is being run by/)
    for (const report of reports) expect(report).toMatchObject({ state: 'completed', wrong: [] })
    const counts = Object.values(await world.counts('race'))
    expect([counts.length, counts.filter((count) => count > 1).length]).toEqual([26, 1])
  } finally {
    world.close()
  }
})
