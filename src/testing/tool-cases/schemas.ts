import { canonical, toPlain } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { describeIssues, specOf } from '../../tool/index.ts'
import { frozen } from './calls.ts'
import type { ToolCase } from './case.ts'

const ISSUES_TEXT_MAX = 8_000

/** Guarantees about inputs. */
export const schemaCases: readonly ToolCase[] = [
  {
    name: 'what models are told about it is plain JSON, and the input an object',
    async check({ opened, expect }) {
      const told = toPlain(specOf(opened.tool))
      expect(told.issues).toEqual([])
      expect(JSON.parse(canonical(told.value))).toEqual(told.value)
      const { type } = opened.tool.inputSchema as JsonObject
      expect(type === undefined || type === 'object').toBe(true)
    },
  },
  {
    name: 'every valid input is accepted, is not changed by that, and what is made of it is accepted again as it is',
    async check({ subject, opened, expect }) {
      expect(subject.valid.length > 0).toBe(true)
      for (const input of subject.valid) {
        const before = canonical(input)
        const first = await opened.tool.validate(frozen(input))
        expect(first.valid ? 'accepted' : describeIssues(first.issues)).toBe('accepted')
        const made: Json = first.valid ? first.value : null
        expect(toPlain(made).issues).toEqual([])
        expect(await opened.tool.validate(made)).toEqual({ valid: true, value: made })
        expect(canonical(input)).toBe(before)
      }
    },
  },
  {
    name: 'every invalid input is refused in words that a model can act on',
    appliesTo: (subject) => (subject.invalid ?? []).length > 0,
    async check({ subject, opened, expect }) {
      for (const input of subject.invalid ?? []) {
        const result = await opened.tool.validate(frozen(input))
        expect(result.valid ? `accepted ${canonical(input)}` : 'refused').toBe('refused')
        const issues = result.valid ? [] : result.issues
        expect(issues.length > 0).toBe(true)
        for (const { path, message } of issues) expect([typeof path, message.trim() === '']).toEqual(['string', false])
        const text = describeIssues(issues)
        expect(/\[object |\n\s+at .*:\d+:\d+/.test(text)).toBe(false)
        expect(text.length <= ISSUES_TEXT_MAX).toBe(true)
      }
    },
  },
]
