import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { EventBus, delay, systemClock } from '../core/index.ts'
import type { ErrorInfo } from '../core/index.ts'
import { entriesOfType, memoryJournal } from '../journal/index.ts'
import type { Entry, Journal } from '../journal/index.ts'
import { sampleStart, sealAll } from '../testing/index.ts'
import type { SampleDraft } from '../testing/index.ts'
import { rebuildSessionFiles, sessionFiles } from './sqlite/index.ts'
import { type SessionFilesOptions, readCheckpoint } from './session-files.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-session-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const said = 'what-the-user-said'

function runOf(run: string, sessionId = 'session_1', at = 1_000): Entry[] {
  const tool = {
    kind: 'tool',
    name: 'fetch',
    input: { url: said },
    hash: 'h',
    decision: { verdict: 'allow', rule: 'r', reason: '' },
    reserved: {},
    repeatable: false,
  }
  const drafts: SampleDraft[] = [
    { type: 'run-start', data: sampleStart({ sessionId, input: { prompt: `find ${said}`, history: [] } }), at },
    { type: 'effect-start', key: 'k', data: tool },
    {
      type: 'effect-end',
      key: 'k',
      data: { outcome: { status: 'ok', value: said }, spent: { toolCalls: 1 }, durationMs: 1 },
    },
    {
      type: 'run-suspend',
      data: { reason: 'approval', pending: [{ key: 'p', reason: 'approval', approvalId: 'a' }], activeMs: 1 },
    },
    { type: 'run-resume', data: { epoch: 2 } },
    {
      type: 'run-end',
      data: { state: 'completed', output: { text: `${said}. `.repeat(100) }, activeMs: 2, spent: { toolCalls: 1 } },
    },
  ]
  return sealAll(run, drafts)
}

async function storeAll(journal: Journal, entries: readonly Entry[]): Promise<void> {
  const lease = await journal.acquire({ run: entries[0]!.run, owner: 'x', ttlMs: 1_000, now: 0 })
  await journal.append(lease, 0, entries)
  await journal.release(lease)
}

/** Emits entries as a kernel does, and closes the files. */
async function emitAll(entries: readonly Entry[], options: SessionFilesOptions): Promise<void> {
  const bus = new EventBus()
  bus.addSink(sessionFiles(options))
  const sessionId = entriesOfType(entries, 'run-start')[0]?.data.sessionId
  for (const { type, at, run, seq, key, data } of entries)
    bus.emit({
      v: 1,
      type,
      at,
      runId: run,
      sessionId: sessionId ?? 'session_1',
      agentId: 'sample',
      seq,
      key,
      data,
    })
  await bus.close()
}

const eventsOf = (dir: string, session = 'session_1'): Record<string, unknown>[] =>
  readFileSync(join(dir, 'sessions', session, 'events.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('every entry is a line, in order, with what was said left out', async () => {
  const dir = newFolder()
  await emitAll(runOf('run_1'), { dir })
  const events = eventsOf(dir)
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
  expect(events[0]).toMatchObject({
    v: 1,
    type: 'run-start',
    timestamp: '1970-01-01T00:00:01.000Z',
    runId: 'run_1',
    agentId: 'sample',
  })
  expect(JSON.stringify(events)).not.toContain(said)
})

test('payloads are written if that is configured', async () => {
  const dir = newFolder()
  await emitAll(runOf('run_1'), { dir, includePayloads: true })
  expect(JSON.stringify(eventsOf(dir))).toContain(said)
  expect((await readCheckpoint(dir, 'session_1'))?.goal).toBe(`find ${said}`)
})

test('a checkpoint is written whenever a run ends or suspends', async () => {
  const dir = newFolder()
  const journal = memoryJournal()
  const entries = runOf('run_1')
  await storeAll(journal, entries)
  await emitAll(entries, { dir, journal })
  expect(readdirSync(join(dir, 'sessions/session_1/checkpoints')).toSorted()).toEqual(['run_1-4.json', 'run_1-6.json'])
  expect(await readCheckpoint(dir, 'session_1', 'run_1-4')).toMatchObject({
    schemaVersion: 1,
    checkpointId: 'run_1-4',
    phase: 'await_user',
    goal: expect.stringMatching(/^\[\d+ bytes\]$/),
    runId: 'run_1',
    head: { seq: 4, hash: entries[3]!.hash },
    pendingTasks: [{ key: 'p', reason: 'approval', approvalId: 'a' }],
    metadata: { status: 'await_user', reason: 'approval', toolsUsed: ['fetch'], usage: { toolCalls: 1 } },
  })
  const last = await readCheckpoint(dir, 'session_1')
  expect(last).toMatchObject({
    phase: 'completed',
    head: { seq: 6, hash: entries[5]!.hash },
    metadata: { status: 'completed' },
  })
  expect(JSON.stringify(last)).not.toContain(said)
})

test('a summary is cut, not dropped', async () => {
  const dir = newFolder()
  await emitAll(runOf('run_1'), { dir, includePayloads: true })
  const { summary } = (await readCheckpoint(dir, 'session_1'))!
  expect(summary).toHaveLength(500)
  expect(summary!.startsWith(said)).toBe(true)
})

test('a process that resumed a run writes the same checkpoint as one that saw it begin', async () => {
  const [whole, resumed] = [newFolder(), newFolder()]
  const journal = memoryJournal()
  const entries = runOf('run_1')
  await storeAll(journal, entries)
  await emitAll(entries, { dir: whole, journal })
  await emitAll(entries.slice(4), { dir: resumed, journal })
  expect(await readCheckpoint(resumed, 'session_1')).toEqual(await readCheckpoint(whole, 'session_1'))
})

test('an entry that was never stored leaves no checkpoint', async () => {
  const dir = newFolder()
  const journal = memoryJournal()
  const entries = runOf('run_1')
  await storeAll(journal, entries.slice(0, 3))
  await emitAll(entries.slice(0, 4), { dir, journal })
  expect(await readCheckpoint(dir, 'session_1')).toBeUndefined()
})

test('a checkpoint waits for its entry to be stored', async () => {
  const dir = newFolder()
  const journal = memoryJournal()
  const entries = runOf('run_1').slice(0, 4)
  await storeAll(journal, entries.slice(0, 3))
  const sink = sessionFiles({ dir, journal })
  const bus = new EventBus()
  bus.addSink(sink)
  for (const { type, at, run, seq, key, data } of entries)
    bus.emit({
      v: 1,
      type,
      at,
      runId: run,
      sessionId: 'session_1',
      agentId: 'sample',
      seq,
      key,
      data,
    })
  await new Promise((resolve) => setImmediate(resolve))
  expect(await readCheckpoint(dir, 'session_1')).toBeUndefined()
  const lease = await journal.acquire({ run: 'run_1', owner: 'x', ttlMs: 1, now: 0 })
  await journal.append(lease, 3, entries.slice(3))
  await bus.close()
  expect((await readCheckpoint(dir, 'session_1'))?.head.hash).toBe(entries[3]!.hash)
})

test('ids that could lead elsewhere are reported and write nothing', async () => {
  const dir = join(newFolder(), 'store')
  const faults: ErrorInfo[] = []
  await emitAll(runOf('run_1', '../../elsewhere'), { dir, onFault: (fault) => faults.push(fault) })
  expect(faults.map(({ code }) => code)).toContain('ID_INVALID')
  expect(existsSync(dir)).toBe(false)
  await expect(readCheckpoint(dir, '..')).rejects.toMatchObject({ code: 'ID_INVALID' })
  await expect(readCheckpoint(dir, 'session_1', '../x')).rejects.toMatchObject({ code: 'ID_INVALID' })
})

test('a disk that refuses is reported and breaks nothing', async () => {
  const dir = newFolder()
  writeFileSync(join(dir, 'sessions'), 'a file where the folder should be')
  const faults: ErrorInfo[] = []
  await emitAll(runOf('run_1'), {
    dir,
    onFault: (fault) => {
      faults.push(fault)
      throw new Error('the reporter fails too')
    },
  })
  expect(faults.length).toBeGreaterThan(0)
  expect(faults[0]).toMatchObject({ code: 'STORE_FAILED' })
})

test('a line that a crash left half written is cut off', async () => {
  const dir = newFolder()
  await emitAll(runOf('run_1').slice(0, 2), { dir })
  appendFileSync(join(dir, 'sessions/session_1/events.jsonl'), '{"type":"half')
  await emitAll(runOf('run_1').slice(2), { dir })
  expect(eventsOf(dir).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
})

test('a long line that a crash left half written is cut off where it begins', async () => {
  const dir = newFolder()
  await emitAll(runOf('run_1').slice(0, 2), { dir })
  appendFileSync(join(dir, 'sessions/session_1/events.jsonl'), `{"type":"${'x'.repeat(200_000)}`)
  await emitAll(runOf('run_1').slice(2), { dir })
  expect(eventsOf(dir).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
})

test('a line that another writer is in the middle of is not cut off', async () => {
  const dir = newFolder()
  await emitAll(runOf('run_1').slice(0, 2), { dir })
  const path = join(dir, 'sessions/session_1/events.jsonl')
  appendFileSync(path, '{"seq"')
  const writing = emitAll(runOf('run_1').slice(3), { dir })
  await delay(systemClock, 20)
  appendFileSync(path, ':3}\n')
  await writing
  expect(eventsOf(dir).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
})

test('deltas and events of no session leave no line', async () => {
  const dir = newFolder()
  const sink = sessionFiles({ dir })
  sink.write({ v: 1, type: 'text-delta', at: 1, runId: 'r', sessionId: 's', agentId: 'a', data: {} })
  sink.write({ v: 1, type: 'engine-fault', at: 1, runId: 'r', sessionId: '', agentId: '', seq: 1, data: {} })
  await sink.close?.()
  expect(readdirSync(dir)).toEqual([])
})

test('broken and missing checkpoints are nothing', async () => {
  const dir = newFolder()
  expect(await readCheckpoint(dir, 'session_1')).toBeUndefined()
  mkdirSync(join(dir, 'sessions/session_1/checkpoints'), { recursive: true })
  for (const [name, text] of [
    ['a', '{'],
    ['b', 'null'],
    ['c', '{"schemaVersion":2}'],
  ] as const)
    writeFileSync(join(dir, `sessions/session_1/checkpoints/${name}.json`), text)
  for (const name of ['a', 'b', 'c', 'missing']) expect(await readCheckpoint(dir, 'session_1', name)).toBeUndefined()
  expect(await readCheckpoint(dir, 'session_1')).toBeUndefined()
})

test.each([false, true])(
  'the files made again from the journal are those that were written live (payloads: %s)',
  async (includePayloads) => {
    const [live, again] = [newFolder(), newFolder()]
    const journal = memoryJournal()
    const [one, two] = [runOf('run_1', 'session_1', 1_000), runOf('run_2', 'session_1', 5_000)]
    for (const entries of [one, two, runOf('other', 'session_2')]) await storeAll(journal, entries)
    await emitAll([...one, ...two], { dir: live, journal, includePayloads })
    expect(await rebuildSessionFiles(journal, ['run_2'], again, { includePayloads })).toEqual({
      sessions: ['session_1'],
      events: 12,
    })
    const read = (dir: string): Record<string, string> => {
      const folder = join(dir, 'sessions/session_1')
      const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile())
      return Object.fromEntries(
        names.map((item) => [item.name, readFileSync(join(item.parentPath, item.name), 'utf8')]),
      )
    }
    expect(read(again)).toEqual(read(live))
    expect(existsSync(join(again, 'sessions/session_2'))).toBe(false)
  },
)

test('rebuilding replaces what is there, and leaves out runs that were erased', async () => {
  const dir = newFolder()
  const journal = memoryJournal()
  for (const run of ['run_1', 'run_2']) await storeAll(journal, runOf(run))
  await rebuildSessionFiles(journal, ['run_1'], dir)
  await rebuildSessionFiles(journal, ['run_1'], dir)
  expect(eventsOf(dir)).toHaveLength(12)
  await journal.erase('run_1')
  await rebuildSessionFiles(journal, ['run_1'], dir)
  expect(new Set(eventsOf(dir).map(({ runId }) => runId))).toEqual(new Set(['run_2']))
  expect(readdirSync(join(dir, 'sessions/session_1/checkpoints')).toSorted()).toEqual(['run_2-4.json', 'run_2-6.json'])
  await expect(rebuildSessionFiles(journal, ['nobody'], dir)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('the goal of a checkpoint is the prompt of the agent, not everything that the run was given', async () => {
  const dir = newFolder()
  const prompt = {
    role: 'user',
    content: [
      { type: 'text', text: `find ${said}` },
      { type: 'image', mediaType: 'image/png', data: '' },
    ],
  }
  const input = { prompt, history: [{ role: 'user', content: [] }], context: null }
  const [, ...rest] = runOf('run_1')
  const start = sealAll('run_1', [
    { type: 'run-start', data: sampleStart({ sessionId: 'session_1', input }), at: 1_000 },
  ])
  await emitAll([...start, ...rest], { dir, includePayloads: true })
  expect((await readCheckpoint(dir, 'session_1'))?.goal).toBe(`find ${said}`)
})
