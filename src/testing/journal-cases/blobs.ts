import { sha256 } from '../../core/index.ts'
import { sampleRun } from '../sample-run.ts'
import { guarantee, store } from './case.ts'
import type { JournalCase } from './case.ts'

/** Five megabytes, different for every seed. */
function content(seed: number): Uint8Array {
  return new Uint8Array(5_000_000).fill(seed)
}

function isSame(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one?.length === other.length && one.every((byte, index) => byte === other[index])
}

/** Large content beside the entries. A journal with neither method stores only entries, and guarantees nothing here. */
export const blobCases: readonly JournalCase[] = [
  guarantee('large content is kept under its SHA-256, for the runs that have it', async (opened, expect) => {
    if (opened.journal.writeBlob === undefined) return expect(opened.journal.readBlob).toBe(undefined)
    const hash = await opened.journal.writeBlob('one', content(1))
    expect(hash).toBe(sha256(content(1)))
    expect(await opened.journal.writeBlob('one', content(1))).toBe(hash)
    expect(await opened.journal.readBlob!('two', hash)).toBe(undefined)
    expect(await opened.journal.readBlob!('one', '0'.repeat(64))).toBe(undefined)
    const journal = (await opened.reopen?.()) ?? opened.journal
    expect(isSame(await journal.readBlob!('one', hash), content(1))).toBe(true)
    const empty = await journal.writeBlob!('one', new Uint8Array())
    expect((await journal.readBlob!('one', empty))?.length).toBe(0)
  }),

  guarantee('what a caller does with its bytes afterwards changes nothing', async ({ journal }, expect) => {
    if (journal.writeBlob === undefined) return
    const given = content(2)
    const hash = await journal.writeBlob('one', given)
    given.fill(9)
    const read = await journal.readBlob!('one', hash)
    expect(isSame(read, content(2))).toBe(true)
    read!.fill(9)
    expect(isSame(await journal.readBlob!('one', hash), content(2))).toBe(true)
  }),

  guarantee('content is erased with the last run that has it', async ({ journal }, expect) => {
    if (journal.writeBlob === undefined) return
    await store(journal, sampleRun('one', { end: 'completed' }))
    await store(journal, sampleRun('two', { end: 'completed' }))
    const shared = await journal.writeBlob('one', content(3))
    await journal.writeBlob('two', content(3))
    const own = await journal.writeBlob('one', content(4))
    const counted = await journal.contentBytes?.('one')
    if (counted !== undefined) expect(counted > 10_000_000).toBe(true)
    await journal.erase('one')
    expect(await journal.readBlob!('one', shared)).toBe(undefined)
    expect(await journal.readBlob!('one', own)).toBe(undefined)
    expect(isSame(await journal.readBlob!('two', shared), content(3))).toBe(true)
    await journal.erase('two')
    expect(await journal.readBlob!('two', shared)).toBe(undefined)
  }),
]
