import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rotate } from '../rotation.ts'
import { type ToolServer, runProcess, startToolServer } from './processes.ts'
import type { KillPlan, RunnerReport } from './runner.ts'

/** More entries and calls than the run has without a crash: the first test says so when it grows. */
const ENTRIES_MAX = 100
const CALLS_MAX = 27

const server: { world?: ToolServer; folder?: string } = {}
let whole: RunnerReport

beforeAll(async () => {
  server.folder = await mkdtemp(join(tmpdir(), 'mandate-crash-'))
  server.world = await startToolServer()
  const ended = await runProcess({ path: join(server.folder, 'whole.db'), runId: 'whole', serverUrl: server.world.url })
  if (ended.killed) throw new Error('nobody should have killed it')
  whole = ended.report
})

afterAll(async () => {
  server.world?.close()
  await rm(server.folder!, { recursive: true })
})

test('without a crash the run of thirty effects does each thing once, verifies and replays', async () => {
  expect(whole).toMatchObject({ state: 'completed', wrong: [] })
  expect(whole.entries).toBeLessThanOrEqual(ENTRIES_MAX)
  const counts = await server.world!.counts('whole')
  const calls = Object.values(counts).reduce((sum, count) => sum + count, 0)
  expect([Object.keys(counts).length, calls]).toEqual([26, CALLS_MAX])
})

/** Kills a process as planned, then lets new ones take over until the run has ended. Returns how many were killed. */
async function crash(plan: KillPlan): Promise<number> {
  const runId = `${plan.when}-${String(plan.at).padStart(3, '0')}`
  const task = { path: join(server.folder!, `${runId}.db`), runId, serverUrl: server.world!.url }
  let kills = 0
  let ended = await runProcess({ ...task, kill: plan })
  for (; ended.killed; kills++)
    ended = await runProcess(plan.when === 'again-and-again' ? { ...task, kill: plan } : task)
  const what = `killed ${JSON.stringify(plan)}; again: MANDATE_CRASH='${JSON.stringify(plan)}' npx vitest run test/crash`
  expect(ended.report, what).toMatchObject({ state: 'completed', output: whole.output, wrong: [] })
  const counts = await server.world!.counts(runId)
  // Neither lost nor done twice; only what says that it may be repeated can have been.
  const repeated = Object.entries(counts).filter(([, count]) => count > 1)
  expect(repeated.length, `${what}: ${JSON.stringify(repeated)}`).toBeLessThanOrEqual(
    plan.when === 'again-and-again' ? 4 : 2,
  )
  for (const [key] of repeated)
    expect(await isRepeatable(task.path, runId, key), `${what}: ${key} was done twice`).toBe(true)
  expect(Object.keys(counts).length, what).toBe(26)
  return kills
}

async function isRepeatable(path: string, run: string, idempotencyKey: string): Promise<boolean> {
  const { sqliteJournal } = await import('../../src/store/sqlite/index.ts')
  const { entriesOfType, readAll } = await import('../../src/journal/index.ts')
  const journal = sqliteJournal({ path })
  try {
    for (const { run: each } of await journal.list()) {
      for (const { key, data } of entriesOfType(await readAll(journal, each), 'effect-start'))
        if (`${each}/${key}` === idempotencyKey) return data.repeatable
    }
    throw new Error(`${idempotencyKey} of ${run} has no start`)
  } finally {
    await journal.close()
  }
}

function plans(): readonly KillPlan[] {
  const given = process.env['MANDATE_CRASH']
  if (given !== undefined) return [JSON.parse(given) as KillPlan]
  const at = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)
  const all = [
    ...at(ENTRIES_MAX).flatMap((position) =>
      (['before-append', 'before-answer', 'after-append'] as const).map((when) => ({ when, at: position })),
    ),
    ...at(CALLS_MAX).flatMap((call) => (['before-call', 'after-call'] as const).map((when) => ({ when, at: call }))),
  ]
  return rotate(all, 'crash test')
}

test('killed at any entry or call, the run ends as if nothing had been, and nothing was done twice', async () => {
  const left = [...plans()]
  const total = left.length
  let kills = 0
  const worker = async (): Promise<void> => {
    for (let plan = left.pop(); plan !== undefined; plan = left.pop()) {
      const count = await crash(plan)
      kills += count
    }
  }
  await Promise.all([worker(), worker(), worker()])
  process.stdout.write(`crash test: ${total} plans, ${kills} processes killed\n`)
  expect(kills).toBeGreaterThan(total / 2)
})

test('one process after the other is killed, and the run still comes to its end', async () => {
  expect(await crash({ when: 'again-and-again', at: 0 })).toBeGreaterThan(10)
})
