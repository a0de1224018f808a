import { messageOf } from '../../core/index.ts'
import type { Tool } from '../tool.ts'

type AnyFunction = (...args: unknown[]) => unknown

/**
 * What `toModelOutput` says: `{ type: 'text' | 'json' | 'content' | …, value }`. The AI SDK gives it the call; before version 6 it gave the output alone, so the
 * call has the members of an output as well. Mastra gives the output.
 */
export function shownBy(toModelOutput: AnyFunction, tool: string, isMastra: boolean): NonNullable<Tool['show']> {
  return async ({ toolCallId, input, output }) => {
    try {
      const made = await toModelOutput(isMastra ? output : callOf({ toolCallId, input, output }))
      const { type, value } = (made ?? {}) as { readonly type?: unknown; readonly value?: unknown }
      return typeof type === 'string' && value !== undefined ? value : made
    } catch (cause) {
      // The tool has done its work: the model reads why there is nothing better, and the call is not made again.
      return `The call succeeded, but \`toModelOutput\` of "${tool}" failed: ${messageOf(cause)}`
    }
  }
}

function callOf(call: { readonly toolCallId: string; readonly input: unknown; readonly output: unknown }): object {
  const { output } = call
  return typeof output === 'object' && output !== null && !Array.isArray(output) ? { ...output, ...call } : call
}
