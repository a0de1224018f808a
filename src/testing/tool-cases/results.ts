import { canonical, toPlain } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { describeIssues, toolFrom } from '../../tool/index.ts'
import { call, frozen } from './calls.ts'
import type { ToolCase } from './case.ts'

/** Guarantees about results. */
export const resultCases: readonly ToolCase[] = [
  {
    name: 'running it leaves its input as it was',
    async check({ subject, opened, expect }) {
      for (const input of subject.valid) {
        const before = canonical(input)
        await call(opened.tool, frozen(input))
        expect(canonical(input)).toBe(before)
      }
    },
  },
  {
    name: 'its result is plain JSON, of the shape that its output schema says',
    async check({ subject, opened, expect }) {
      for (const input of subject.valid) {
        const { value, issues } = toPlain(await call(opened.tool, input))
        expect(issues).toEqual([])
        expect(await misfit(opened.tool.outputSchema, value)).toBe('')
      }
    },
  },
  {
    name: 'two calls at once do not disturb each other',
    async check({ subject, opened, expect }) {
      const [input = null] = subject.valid
      const both = [1, 2].map((n) => call(opened.tool, input, { idempotencyKey: `run_1/tool:${n}` }))
      for (const result of await Promise.all(both)) expect(toPlain(result).issues).toEqual([])
    },
  },
]

/** Returns why a value does not match a schema; an empty text if it does. Only objects can be checked in the way that inputs are. */
async function misfit(schema: Json | undefined, value: Json): Promise<string> {
  const isChecked = typeof schema === 'object' && schema !== null && (schema as JsonObject)['type'] === 'object'
  if (!isChecked) return ''
  const checked = await toolFrom({ name: 'output', inputSchema: schema, run: () => null }).validate(value)
  return checked.valid ? '' : describeIssues(checked.issues)
}
