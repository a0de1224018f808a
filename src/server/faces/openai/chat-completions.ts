import type { AiSdkStreamPart } from '../../../agent/index.ts'
import { eventText } from '../../streams/run-reader.ts'
import { extension, waitingText } from './answer.ts'
import type { Answer } from './answer.ts'
import { errorBody } from './errors.ts'

interface Completion {
  readonly answer: Answer
  readonly model: string
  /** Seconds since 1970. */
  readonly created: number
}

/** Returns the complete response of `/v1/chat/completions`. */
export async function chatCompletion(completion: Completion, parts: AsyncIterable<AiSdkStreamPart>): Promise<object> {
  const { answer, model, created } = completion
  let text = ''
  for await (const part of parts) text += answer.add(part)
  await answer.end()
  if (answer.failure !== undefined) throw answer.failure.error
  const content = [text, waitingText(answer.waiting)].filter((one) => one !== '').join('\n')
  const calls = answer.calls.map(callOf)
  const message = {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return {
    id: idOf(answer),
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(answer) }],
    usage: usageOf(answer),
    mandate: extension(answer),
  }
}

/** Yields the response of `/v1/chat/completions` as a stream of chunks. */
export async function* chatChunks(
  { answer, model, created }: Completion,
  parts: AsyncIterable<AiSdkStreamPart>,
  includesUsage: boolean,
): AsyncGenerator<string> {
  const chunk = (delta: object, finish: string | null = null, more: object = {}): string =>
    eventText({
      id: idOf(answer),
      object: 'chat.completion.chunk',
      created,
      model,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...more,
    })
  yield chunk({ role: 'assistant', content: '' })
  let isEmpty = true
  try {
    for await (const part of parts) {
      const text = answer.add(part)
      if (text !== '') yield chunk({ content: text })
      if (part.type === 'reasoning-delta') yield chunk({ reasoning_content: part.text })
      isEmpty &&= text === ''
    }
    await answer.end()
    if (answer.failure !== undefined) throw answer.failure.error
    const waiting = waitingText(answer.waiting)
    if (waiting !== '') yield chunk({ content: isEmpty ? waiting : `\n${waiting}` })
    for (const [index, call] of answer.calls.entries()) yield chunk({ tool_calls: [{ index, ...callOf(call) }] })
    yield chunk({}, finishReason(answer), { mandate: extension(answer) })
    if (includesUsage)
      yield eventText({
        id: idOf(answer),
        object: 'chat.completion.chunk',
        created,
        model,
        choices: [],
        usage: usageOf(answer),
      })
    yield 'data: [DONE]\n\n'
  } catch (error) {
    yield eventText(errorBody(error))
  }
}

function idOf({ runId }: Answer): string {
  return `chatcmpl-${runId}`
}

function callOf({ id, name, arguments: written }: Answer['calls'][number]): object {
  return { id, type: 'function', function: { name, arguments: written } }
}

function finishReason({ calls, reason }: Answer): string {
  if (calls.length > 0) return 'tool_calls'
  if (reason === 'length') return 'length'
  return reason === 'content-filter' ? 'content_filter' : 'stop'
}

function usageOf({ usage }: Answer): object {
  const { inputTokens = 0, outputTokens = 0, totalTokens = 0 } = usage ?? {}
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: totalTokens,
    prompt_tokens_details: { cached_tokens: usage?.inputTokenDetails.cacheReadTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage?.outputTokenDetails.reasoningTokens ?? 0 },
  }
}
