import { describe, expect, test } from 'vitest'
import { readAll } from '../../src/journal/index.ts'
import type { IntactEntry } from '../../src/journal/index.ts'
import { sampleStart, sealAll } from '../../src/testing/index.ts'
import { has } from '../servers/servers.ts'
import { newSchema, openJournal, refused, store } from './postgres.fixture.ts'

/** A run with notes of this size. */
function notes(run: string, count: number, bytes: number): IntactEntry[] {
  const note = { type: 'note', data: { name: 'n', value: 'x'.repeat(bytes) } } as const
  return sealAll(run, [{ type: 'run-start', data: sampleStart() }, ...Array.from({ length: count - 1 }, () => note)])
}

describe.skipIf(!has('postgres'))('reads that are asked for at the same time', () => {
  test('each get their own, page by page, and from where they asked', async () => {
    const journal = openJournal(await newSchema())
    const runs = [notes('large', 9, 90_000), ...Array.from({ length: 40 }, (_, index) => notes(`r${index}`, 3, index))]
    await Promise.all(runs.map((entries) => store(journal, entries)))
    const whole = await Promise.all(runs.map((entries) => readAll(journal, entries[0]!.run)))
    expect(whole.map((entries) => entries.map(({ hash }) => hash))).toEqual(
      runs.map((entries) => entries.map(({ hash }) => hash)),
    )
    const rest = await Promise.all(runs.map((entries) => readAll(journal, entries[0]!.run, 3)))
    expect(rest.map(([first]) => first?.seq)).toEqual(runs.map(() => 3))
    const summaries = await Promise.all(['r1', 'none', 'large', 'r1'].map((run) => journal.summary(run)))
    expect(summaries.map((summary) => summary?.head.seq)).toEqual([3, undefined, 9, 3])
    expect(await readAll(journal, 'r1', Number.MAX_SAFE_INTEGER)).toEqual([])
  })

  test('do not fail with one of them that the server refuses', async () => {
    const journal = openJournal(await newSchema())
    await store(journal, notes('fine', 2, 1))
    const [wrong, ...right] = [journal.summary('no\0id'), journal.summary('fine'), journal.summary('fine')] as const
    expect((await refused(wrong)).code).toBe('STORE_FAILED')
    expect((await Promise.all(right)).map((summary) => summary?.head.seq)).toEqual([2, 2])
  })
})
