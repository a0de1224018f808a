import { toPlain } from '../../core/index.ts'
import type { ToolCallPart } from '../../model/index.ts'
import type { ChatToolCall } from './chat-types.ts'

/** Converts a tool call. Its `input` must be a value, so arguments that were not JSON are kept as text in `invalid`. */
export function chatCall({ toolCallId: id, name, input, invalid }: ToolCallPart): ChatToolCall {
  return invalid === undefined ? { id, name, input } : { id, name, input: {}, invalid }
}

export function chatCallPart({ id, name, input, invalid }: ChatToolCall): ToolCallPart {
  const given =
    invalid === undefined ? { input: input === undefined ? {} : toPlain(input).value } : { input: null, invalid }
  return { type: 'tool-call', toolCallId: id, name, ...given }
}
