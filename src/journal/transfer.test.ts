import { expect, test } from 'vitest'
import { canonical } from '../core/index.ts'
import { sampleRun } from '../testing/index.ts'
import { importRun, memoryJournal, readAll } from './index.ts'

const run = sampleRun('run', { notes: 2, end: 'completed' })
const lines = run.map(canonical)

test('lines come in from any source, blank ones are skipped', async () => {
  const journal = memoryJournal()
  async function* source(): AsyncGenerator<string> {
    yield ''
    for (const line of lines) yield `${line}\n`
    yield '  '
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

test('an older copy of a run is told from another run of that name, and neither changes anything', async () => {
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
