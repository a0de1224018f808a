import type { TestApi } from './test-api.ts'
import type { ToolSubject } from './tool-cases/case.ts'
import { endingCases } from './tool-cases/ends.ts'
import { resultCases } from './tool-cases/results.ts'
import { schemaCases } from './tool-cases/schemas.ts'

/**
 * What every tool promises, as tests: its schema both ways, inputs left alone, results that are plain JSON, calls that end when they are
 * cut, and, where it says so, that doing it twice is doing it once. The test framework is handed in.
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
