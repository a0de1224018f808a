import { AssertionError } from 'node:assert'
import { readAll } from '../journal/index.ts'
import type { Entry, Journal } from '../journal/index.ts'
import { assertSequence, describeHappening, isLike } from './sequence.ts'
import type { Pattern } from './sequence.ts'

/** Assertions about the entries of one run. */
interface EntryExpectation {
  /** Rejects unless these entries exist in this order; others may exist in between. */
  toFollow(expected: readonly Pattern<Entry>[]): Promise<void>
  /** Rejects unless these are all the entries. */
  toBeExactly(expected: readonly Pattern<Entry>[]): Promise<void>
  /** Rejects when such an entry exists. */
  toHaveNo(pattern: Pattern<Entry>): Promise<void>
}

/**
 * Asserts what the journal of a run contains. Journals remain after a process has ended, so guarantees are tested on them.
 *
 * @example
 * ```ts
 * import { memoryJournal } from 'mandate/journal'
 * import { expectEntries } from 'mandate/testing'
 * const journal = memoryJournal()
 * // ... after a run:
 * const denied = { type: 'effect-end', data: { outcome: { status: 'denied' } } }
 * await expectEntries(journal, 'run_1').toFollow(['run-start', denied, 'run-end'])
 * await expectEntries(journal, 'run_1').toHaveNo({ type: 'effect-start', data: { name: 'send_mail' } })
 * ```
 */
export function expectEntries(journal: Journal, run: string): EntryExpectation {
  const what = `The journal of run "${run}"`
  return {
    toFollow: async (expected) => assertSequence(await readAll(journal, run), expected, what),
    toBeExactly: async (expected) => assertSequence(await readAll(journal, run), expected, what, { exact: true }),
    async toHaveNo(pattern) {
      const found = (await readAll(journal, run)).find((entry) => isLike(entry, pattern))
      if (found === undefined) return
      const message = `${what} has an entry that must not be there: number ${found.seq}, ${describeHappening(found)}.`
      throw new AssertionError({ message, actual: found, operator: 'toHaveNo' })
    },
  }
}
