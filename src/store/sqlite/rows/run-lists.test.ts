import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { memoryJournal } from '../../../journal/index.ts'
import type { Journal, RunFilter } from '../../../journal/index.ts'
import { sampleStart, sealAll } from '../../../testing/index.ts'
import { newPath, openJournal, store } from '../sqlite.fixture.ts'
import { listQuery } from './run-lists.ts'

/** Every combination of filters, each with every order and place. */
function* filters(): Generator<RunFilter> {
  const lists: readonly (readonly Partial<RunFilter>[])[] = [
    [{}, { state: 'completed' }, { state: ['suspended', 'running'] }, { state: ['failed', 'running', 'completed'] }],
    [{}, { sessionId: 's1' }],
    [{}, { name: 'alpha' }],
    [{}, { parent: null }, { parent: 'run_0' }],
    [{}, { runPrefix: 'run_1' }],
    [{}, { waiting: true }, { wakeBefore: 700 }],
    [{}, { order: 'waiting' }, { order: 'wake' }],
    [{}, { after: { at: 20, run: 'run_12' }, limit: 4 }],
  ]
  const join = (left: readonly RunFilter[], right: readonly Partial<RunFilter>[]): RunFilter[] =>
    left.flatMap((one) => right.map((other) => ({ ...one, ...other })))
  yield* lists.reduce<readonly RunFilter[]>(join, [{}])
}

/** Runs that differ in all that a filter can ask for. */
async function fill(journal: Journal): Promise<void> {
  for (let index = 0; index < 24; index++) {
    const parent = index > 4 && index % 3 === 0 ? { run: 'run_0', key: 'k' } : undefined
    const start = sampleStart({ name: index % 2 === 0 ? 'alpha' : 'beta', sessionId: `s${index % 4}`, parent })
    const run = `run_${index}`
    const call = { kind: 'tool', name: 't', input: {}, hash: 'h', asked: 'h', rule: 'r', text: 'why', expiresAt: 9_000 }
    const ask = { type: 'approval-request', key: 'k', data: { ...call, reason: 'approval' }, at: 60 - (index % 7) }
    const wait = { reason: 'approval', pending: [], wakeAt: 650 + index * 10, activeMs: 1 }
    const end = (state: string) => ({ type: 'run-end', data: { state, activeMs: 1, spent: {} } })
    const rest = [[], [ask], [ask, { type: 'run-suspend', data: wait }], [end('completed')], [ask, end('failed')]]
    await store(
      journal,
      sealAll(run, [{ type: 'run-start', data: start, at: 10 + (index % 5) * 5 }, ...rest[index % 5]!] as never),
    )
  }
}

test('every combination of filters finds what a journal in memory finds, in the same order', async () => {
  const [journal, reference] = [openJournal(newPath()), memoryJournal()]
  await Promise.all([fill(journal), fill(reference)])
  let count = 0
  for (const filter of filters()) {
    const [found, expected] = await Promise.all([journal.list(filter), reference.list(filter)])
    expect([filter, found.map(({ run }) => run)]).toEqual([filter, expected.map(({ run }) => run)])
    count += found.length
  }
  expect(count).toBeGreaterThan(1_000)
})

test('no combination of filters reads or sorts more than the runs that its narrowest one names', async () => {
  const path = newPath()
  await openJournal(path).open()
  const database = new DatabaseSync(path)
  for (const filter of filters()) {
    const steps = database
      .prepare(`EXPLAIN QUERY PLAN ${listQuery(filter).sql}`)
      .all()
      .map((row) => String(row['detail']))
    const { sessionId, parent, runPrefix, state, name, waiting, wakeBefore, order, after } = filter
    const isWaiting = waiting === true || wakeBefore !== undefined
    const isNamed = [sessionId, parent ?? undefined, runPrefix, state, name, order].some((one) => one !== undefined)
    const isWalk = !isNamed && !isWaiting && after === undefined
    expect([filter, steps.filter((step) => /^SCAN (?:runs|heads)/u.test(step))]).toEqual([
      filter,
      isWalk ? ['SCAN runs USING INDEX runs_by_age'] : [],
    ])
    // Only the few that wait, or whose ids begin alike, are sorted.
    const mayBeSorted = order === undefined && (isWaiting || runPrefix !== undefined)
    if (!mayBeSorted) expect([filter, steps.filter((step) => step.includes('TEMP B-TREE'))]).toEqual([filter, []])
  }
  database.close()
})
