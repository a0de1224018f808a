import { checkAll } from './store-cases/case.ts'
import type { CountSubject, DatabaseSubject, MemorySubject, PromptSubject } from './store-cases/case.ts'
import { countCases } from './store-cases/counts.ts'
import { databaseCases } from './store-cases/database.ts'
import { lifetimeCases } from './store-cases/lifetime.ts'
import { memoryCases } from './store-cases/memory.ts'
import { promptCases } from './store-cases/prompts.ts'
import { searchCases } from './store-cases/search.ts'
import type { TestApi } from './test-api.ts'

/**
 * The memory contract as tests, for authors of memory stores.
 *
 * @example
 * ```ts
 * import { memoryConformance, memoryOver } from 'mandate/kit'
 * import type { RecordPort, TestApi } from 'mandate/kit'
 * declare const api: TestApi // `{ describe, it, expect }` of vitest
 * declare function newPort(): RecordPort
 * memoryConformance(
 *   {
 *     name: 'own',
 *     async start() {
 *       const port = newPort()
 *       return { open: (options) => memoryOver(port, options), isShared: false, stop: () => port.close() }
 *     },
 *   },
 *   api,
 * )
 * ```
 */
export function memoryConformance(subject: MemorySubject, api: TestApi): void {
  checkAll(`the ${subject.name} memory`, subject, memoryCases, api)
}

/** What every database promises, as tests; used as `memoryConformance`. */
export function databaseConformance(subject: DatabaseSubject, api: TestApi): void {
  checkAll(`the ${subject.name} database`, subject, [...databaseCases, ...lifetimeCases, ...searchCases], api)
}

/** What every prompt store promises, as tests; used as `memoryConformance`. */
export function promptConformance(subject: PromptSubject, api: TestApi): void {
  checkAll(`the ${subject.name} prompt store`, subject, promptCases, api)
}

/** What counters promise, those of a journal and those of a store without one, as tests; used as `memoryConformance`. */
export function countConformance(subject: CountSubject, api: TestApi): void {
  checkAll(`the ${subject.name} counters`, subject, countCases, api)
}
