import { EnginePlace } from './engine-cases/case.ts'
import type { EngineSubject } from './engine-cases/case.ts'
import { segmentCases } from './engine-cases/segments.ts'
import { wakeUpCases } from './engine-cases/wakeups.ts'
import type { TestApi } from './test-api.ts'

/**
 * Tests the engine contract, for authors of engines: what resumes a run, that each run has one driver, and that nothing is lost when a process stops
 * gracefully. Crashes need tests with real processes.
 *
 * @example
 * ```ts
 * import { localEngine } from 'mandate/engine'
 * import { memoryJournal } from 'mandate/journal'
 * import { engineConformance } from 'mandate/kit'
 * import type { TestApi } from 'mandate/kit'
 * declare const api: TestApi // `{ describe, it, expect }` of vitest
 * engineConformance(
 *   {
 *     name: 'local',
 *     async start() {
 *       const journal = memoryJournal()
 *       return { join: async () => ({ journal, engine: localEngine() }), stop: () => journal.close() }
 *     },
 *   },
 *   api,
 * )
 * ```
 */
export function engineConformance(subject: EngineSubject, { describe, it, expect }: TestApi): void {
  describe(`the ${subject.name} engine`, () => {
    for (const { name, check } of [...wakeUpCases, ...segmentCases]) {
      it(name, async () => {
        const place = new EnginePlace(await subject.start())
        try {
          await check(place, expect)
        } finally {
          await place.end()
        }
      })
    }
  })
}
