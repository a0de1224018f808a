import type { TestApi } from './test-api.ts'
import type { ToolSubject } from './tool-cases/case.ts'
import { endingCases } from './tool-cases/ends.ts'
import { resultCases } from './tool-cases/results.ts'
import { schemaCases } from './tool-cases/schemas.ts'

/**
 * Tests the tool contract: its schema in both directions, inputs that are not changed, results that are plain JSON, cancelled calls that end, and, for
 * idempotent tools, two calls with one key that have the effect of one. The test framework is a parameter.
 *
 * @example
 * ```ts
 * import { defineTool } from 'mandate'
 * import { toolConformance } from 'mandate/kit'
 * import type { TestApi } from 'mandate/kit'
 * declare const api: TestApi // `{ describe, it, expect }` of vitest
 * const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
 * toolConformance(
 *   {
 *     name: 'shout',
 *     open: () => ({ tool: defineTool({ name: 'shout', inputSchema, run: ({ text }: { text: string }) => text.toUpperCase() }) }),
 *     valid: [{ text: 'hello' }],
 *     invalid: [{}, { text: 1 }],
 *   },
 *   api,
 * )
 * ```
 */
export function toolConformance(subject: ToolSubject, { describe, it, expect }: TestApi): void {
  describe(`the tool ${subject.name}`, () => {
    for (const one of [...schemaCases, ...resultCases, ...endingCases]) {
      if (one.appliesTo?.(subject) === false) continue
      it(one.name, async () => {
        const opened = await subject.open()
        try {
          await one.check({ subject, opened, expect })
        } finally {
          await opened.close?.()
        }
      })
    }
  })
}
