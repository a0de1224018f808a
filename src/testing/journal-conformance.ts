import { blobCases } from './journal-cases/blobs.ts'
import { contentCases } from './journal-cases/content.ts'
import type { JournalSubject } from './journal-cases/case.ts'
import { leaseCases } from './journal-cases/leases.ts'
import { listCases } from './journal-cases/lists.ts'
import { orderCases } from './journal-cases/order.ts'
import { signalCases } from './journal-cases/signals.ts'
import { standingCases } from './journal-cases/standing.ts'
import type { TestApi } from './test-api.ts'

/**
 * Tests the journal contract, for authors of journals. The test framework is a parameter, so the package depends on none.
 *
 * @example
 * ```ts
 * import { memoryJournal } from 'mandate/journal'
 * import { journalConformance } from 'mandate/kit'
 * import type { TestApi } from 'mandate/kit'
 * declare const api: TestApi // `{ describe, it, expect }` of vitest
 * journalConformance(
 *   {
 *     name: 'memory',
 *     open: async () => {
 *       const journal = memoryJournal()
 *       return { journal, close: () => journal.close() }
 *     },
 *   },
 *   api,
 * )
 * ```
 */
export function journalConformance(subject: JournalSubject, { describe, it, expect }: TestApi): void {
  describe(`the ${subject.name} journal`, () => {
    for (const { name, check } of [
      ...orderCases,
      ...leaseCases,
      ...signalCases,
      ...listCases,
      ...contentCases,
      ...blobCases,
      ...standingCases,
    ]) {
      it(name, async () => {
        const opened = await subject.open()
        try {
          await check(opened, expect)
        } finally {
          await opened.close()
        }
      })
    }
  })
}
