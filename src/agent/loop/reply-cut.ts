import { toolCallsOf } from '../../model/index.ts'
import type { ModelReply, ToolCallPart } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { Loop, Stop } from './loop.ts'
import { appendResults } from '../transcript/message-log.ts'

/** A reply that is not whole is not acted upon. */
export function cutShort(loop: Loop, context: RunContext, { finishReason, message: reply }: ModelReply): Stop {
  answerUnperformed(loop, context, toolCallsOf(reply))
  if (finishReason !== 'length')
    return { status: 'failed', code: 'MODEL_FAILED', message: 'The provider withheld the answer (content filter).' }
  const message = `The model's reply was cut at ${loop.pins.maxTokens} tokens. Raise \`maxTokens\`.`
  return { status: 'max_tokens', code: 'OUTPUT_TRUNCATED', message }
}

/** Its calls get their results all the same, so that the conversation stays valid. */
function answerUnperformed(loop: Loop, context: RunContext, calls: readonly ToolCallPart[]): void {
  if (calls.length === 0) return
  const value = 'Not performed: the reply was cut.'
  const results = calls.map(({ toolCallId, name }) => {
    return { type: 'tool-result' as const, toolCallId, name, status: 'cancelled' as const, value }
  })
  loop.transcript.push(appendResults(context, results))
}
