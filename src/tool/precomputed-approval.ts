import { type Json, canonical } from '../core/index.ts'
import type { Tool } from './tool.ts'

const KEPT_MAX = 1_000

/** Whether a function can only promise an answer. */
export function isPromising(ask: unknown): ask is (input: unknown) => Promise<unknown> {
  return typeof ask === 'function' && ask.constructor.name === 'AsyncFunction'
}

/**
 * For an approval that takes a promise to say: it is asked with the check of the input, which may take its time, and kept for the guard, which must know at once.
 * What was not asked, or failed to answer, needs approval.
 */
export function approvedAhead(
  check: Tool['validate'],
  ask: (input: Json, options: object) => unknown,
): Required<Pick<Tool, 'validate' | 'needsApproval'>> {
  const answers = new Map<string, boolean>()
  return {
    async validate(input) {
      const result = await check(input)
      if (!result.valid) return result
      let answer = true
      try {
        answer = Boolean(await ask(result.value, { toolCallId: '', messages: [] }))
      } catch {
        // Asked for, to be safe.
      }
      if (answers.size >= KEPT_MAX) answers.clear()
      answers.set(canonical(result.value), answer)
      return result
    },
    needsApproval: (input) => answers.get(canonical(input)) ?? true,
  }
}
