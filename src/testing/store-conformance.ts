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
 * Tests the memory contract, for authors of memory stores.
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

/** Tests the database contract; used like `memoryConformance`. */
export function databaseConformance(subject: DatabaseSubject, api: TestApi): void {
  checkAll(`the ${subject.name} database`, subject, [...databaseCases, ...lifetimeCases, ...searchCases], api)
}

/** Tests the contract of prompt stores; used like `memoryConformance`. */
export function promptConformance(subject: PromptSubject, api: TestApi): void {
  checkAll(`the ${subject.name} prompt store`, subject, promptCases, api)
}

/** Tests the contract of counters, of a journal or of a store without one; used like `memoryConformance`. */
export function countConformance(subject: CountSubject, api: TestApi): void {
  checkAll(`the ${subject.name} counters`, subject, countCases, api)
}
