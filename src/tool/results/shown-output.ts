import { isRecord, messageOf } from '../../core/index.ts'
import type { Tool } from '../tool.ts'

type AnyFunction = (...args: unknown[]) => unknown

/**
 * The result of `toModelOutput`: `{ type: 'text' | 'json' | 'content' | …, value }`. The AI SDK passes the call; before version 6 it passed the
 * output alone, so the call has the members of an output as well. Mastra passes the output.
 */
export function shownBy(toModelOutput: AnyFunction, tool: string, isMastra: boolean): NonNullable<Tool['show']> {
  return async ({ toolCallId, input, output }) => {
    try {
      const made = await toModelOutput(isMastra ? output : callOf({ toolCallId, input, output }))
      const { type, value } = (made ?? {}) as { readonly type?: unknown; readonly value?: unknown }
      return typeof type === 'string' && value !== undefined ? value : made
    } catch (cause) {
      // The tool has done its work, so the model reads the error and the call is not repeated.
      return `The call succeeded, but \`toModelOutput\` of "${tool}" failed: ${messageOf(cause)}`
    }
  }
}

function callOf(call: { readonly toolCallId: string; readonly input: unknown; readonly output: unknown }): object {
  const { output } = call
  return isRecord(output) ? { ...output, ...call } : call
}
