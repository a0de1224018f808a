import { type Json, canonical } from '../core/index.ts'
import type { Tool } from './tool.ts'

const KEPT_MAX = 1_000

/** Whether a function returns a promise. */
export function isPromising(ask: unknown): ask is (input: unknown) => Promise<unknown> {
  return typeof ask === 'function' && ask.constructor.name === 'AsyncFunction'
}

/**
 * For an asynchronous `needsApproval`: it is called together with the validation of the input, which may be asynchronous, and its answer is kept for
 * the guard, which needs it synchronously. A call without an answer needs approval.
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
        // Fails closed: approval is required.
      }
      if (answers.size >= KEPT_MAX) answers.clear()
      answers.set(canonical(result.value), answer)
      return result
    },
    needsApproval: (input) => answers.get(canonical(input)) ?? true,
  }
}
