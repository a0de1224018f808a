import { expect, test } from 'vitest'
import { canonical } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { forgeEntry, sampleRun, sampleStart } from '../../testing/index.ts'
import { GENESIS, headOf, importRun, memoryJournal, readAll, verifyEntries } from '../index.ts'
import { ENTRY_TYPES } from '../entry.ts'
import type { Entry, EntryType } from '../index.ts'

const run = sampleRun('run', { notes: 2, end: 'completed' })
const lines = run.map(canonical)

test('lines are accepted from any source, and an empty last line is ignored', async () => {
  const journal = memoryJournal()
  async function* source(): AsyncGenerator<string> {
    for (const line of lines) yield `${line}\n`
    yield ''
  }
  expect(await importRun(journal, source(), 0)).toEqual({ run: 'run', entries: 4 })
  expect(await readAll(journal, 'run')).toEqual(run)
})

test('an imported run is free for its next owner', async () => {
  const journal = memoryJournal()
  await importRun(journal, lines.slice(0, 2), 0)
  expect((await journal.acquire({ run: 'run', owner: 'next', ttlMs: 1, now: 0 })).head.seq).toBe(2)
})

test.each([
  ['nothing at all', [], 'INPUT_INVALID', 'nothing to import'],
  ['text that is no JSON', ['{'], 'JSON_INVALID', 'Line 1'],
  [
    'JSON that is no entry',
    [lines[0]!, '{"v":1}'],
    'INPUT_INVALID',
    'Line 2 is not a journal entry: `run` must be a string',
  ],
  ['null', ['null'], 'INPUT_INVALID', 'Line 1'],
  ['a newer version', [lines[0]!.replace('"v":1', '"v":7')], 'VERSION_UNSUPPORTED', 'Upgrade mandate'],
  ['an unknown type', [lines[0]!.replace('run-start', 'run-begin')], 'VERSION_UNSUPPORTED', 'not known'],
  ['a line that was changed', lines.with(1, lines[1]!.replace('"value":1', '"value":9')), 'JOURNAL_DAMAGED', 'entry 2'],
  ['a line that is missing', lines.toSpliced(1, 1), 'JOURNAL_DAMAGED', 'entry 2'],
  ['a blank line in between', lines.toSpliced(1, 0, ''), 'INPUT_INVALID', 'Line 2 is blank'],
  ['a blank line before all', ['', ...lines], 'INPUT_INVALID', 'Line 1 is blank'],
  ['a line of spaces at the end', [...lines, '  '], 'INPUT_INVALID', 'Line 5 is blank'],
  ['two runs in one', [...lines.slice(0, 1), ...sampleRun('other').map(canonical)], 'JOURNAL_DAMAGED', 'entry 2'],
])('%s is refused before anything is written', async (_, input, code, said) => {
  const journal = memoryJournal()
  await expect(importRun(journal, input, 0)).rejects.toMatchObject({ code, message: expect.stringContaining(said) })
  expect(await journal.list()).toEqual([])
})

test('a run that someone is running is not imported over', async () => {
  const journal = memoryJournal()
  const lease = await journal.acquire({ run: 'run', owner: 'someone', ttlMs: 1_000, now: 0 })
  await journal.append(lease, 0, run.slice(0, 1))
  await expect(importRun(journal, lines, 0)).rejects.toMatchObject({ code: 'LEASE_HELD' })
})

test('an older copy of a run is distinguished from another run of that name, and neither changes anything', async () => {
  const journal = memoryJournal()
  await importRun(journal, lines, 0)
  await expect(importRun(journal, lines.slice(0, 2), 0)).rejects.toMatchObject({
    code: 'JOURNAL_CONFLICT',
    message: expect.stringMatching(/all 2 entries of this copy and 2 more.*nothing was changed/u),
  })
  const other = sampleRun('run', { notes: 1, end: 'failed' }).map(canonical)
  await expect(importRun(journal, other, 0)).rejects.toMatchObject({
    code: 'JOURNAL_CONFLICT',
    message: expect.stringContaining('goes another way'),
  })
  expect(await readAll(journal, 'run')).toEqual(run)
})

const request = { kind: 'tool', name: 't', input: {}, hash: 'h' }
const decision = { verdict: 'allow', rule: 'r', reason: 'because' }
const question = { ...request, asked: 'h', reason: 'approval', rule: 'r', text: 'why', expiresAt: 9_000 }
const by = { id: 'ana', roles: ['owner'] }

/** Of every type one that is whole; what a run begins with is whole in all of them. */
const WHOLE: { readonly [T in EntryType]: { readonly key?: string; readonly data: object } } = {
  'run-start': { data: sampleStart() },
  'run-suspend': { data: { reason: 'approval', pending: [{ key: 'k', reason: 'approval' }], activeMs: 1 } },
  'run-resume': { data: { epoch: 2 } },
  'run-end': { data: { state: 'failed', activeMs: 1, spent: { tokens: 1 }, error: { code: 'X', message: 'x' } } },
  'effect-decide': { key: 'k', data: { ...request, decision } },
  'effect-start': { key: 'k', data: { ...request, decision, reserved: {}, repeatable: true } },
  'effect-end': { key: 'k', data: { outcome: { status: 'ok', value: 1 }, spent: {}, durationMs: 1 } },
  'effect-retry': { key: 'k', data: { attempt: 2, reason: 'again', waitMs: 0 } },
  'approval-request': { key: 'k', data: question },
  'approval-response': { key: 'k', data: { request: 2, answer: 'approve', by } },
  'message-append': { key: 'k', data: { message: {} } },
  note: { data: { name: 'n', value: 1 } },
}

/** Every way to spoil one: no data, data that is no object, each member gone, each member of another type, no key where one is needed. */
const SPOILT = ENTRY_TYPES.flatMap((type) => {
  const { key, data } = WHOLE[type]
  const ways: readonly (readonly [string, Json, string | undefined])[] = [
    ['null for data', null, key],
    ['a text for data', 'x', key],
    ...Object.keys(data).flatMap((name) => {
      const { [name]: value, ...rest } = data as { readonly [name: string]: Json }
      const isAny = ['input', 'pins', 'message'].includes(name) || (type === 'note' && name === 'value')
      const other = typeof value === 'string' ? 7 : 'x'
      const missing = [`no ${name}`, rest, key] as const
      return isAny || name === 'error'
        ? [missing].slice(name === 'error' ? 1 : 0)
        : [missing, [`another ${name}`, { ...rest, [name]: other }, key] as const]
    }),
    ...(key === undefined || type === 'approval-response' ? [] : [['no key', data as Json, undefined] as const]),
  ]
  return ways.map(([how, value, at]) => [type, how, value, at] as const)
})

test.each(SPOILT)('a well-hashed %s with %s is refused before anything is written', async (type, _, data, key) => {
  const spoilt = { type, key, data }
  const drafts = type === 'run-start' ? [spoilt] : [{ type: 'run-start', data: sampleStart() } as const, spoilt]
  const journal = memoryJournal()
  const entries = sealAllAs(drafts)
  await expect(importRun(journal, entries.map(canonical), 0)).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' })
  expect(await journal.list()).toEqual([])
  expect(verifyEntries('run', entries)).toMatchObject({ ok: false, chain: 'intact' })
})

test.each(ENTRY_TYPES)('a whole %s is taken', async (type) => {
  const { key, data } = WHOLE[type]
  const drafts = type === 'run-start' ? [] : [{ type, key, data }]
  const entries = sealAllAs([{ type: 'run-start', data: sampleStart() }, ...drafts])
  expect(await importRun(memoryJournal(), entries.map(canonical), 0)).toMatchObject({ entries: entries.length })
})

/** With data as they are given, null too. */
function sealAllAs(drafts: readonly { type: EntryType; key?: string | undefined; data: unknown }[]): Entry[] {
  let head = GENESIS
  return drafts.map(({ type, key, data }) => {
    const entry = forgeEntry('run', head, { type, key, data, at: 1 }, 'salt')
    head = headOf(entry)
    return entry
  })
}

test('what was imported is marked as foreign, also behind entries that were here before', async () => {
  const journal = memoryJournal()
  const lease = await journal.acquire({ run: 'run', owner: 'me', ttlMs: 1, now: 0 })
  await journal.append(lease, 0, run.slice(0, 2))
  await journal.release(lease)
  expect((await journal.summary('run'))?.imported).toBeUndefined()
  await importRun(journal, lines.slice(0, 3), 5)
  expect((await journal.summary('run'))?.imported).toEqual({ from: 3, to: 3 })
  await importRun(journal, lines, 5)
  expect((await journal.summary('run'))?.imported).toEqual({ from: 3, to: 4 })
})
