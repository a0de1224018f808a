import type { AiSdkStreamPart } from '../../../agent/index.ts'
import type { ApprovalRequest } from '../../../run/index.ts'
import { extension, waitingText } from './answer.ts'
import type { Answer } from './answer.ts'
import { errorBody } from './errors.ts'

interface ResponseSetup {
  readonly answer: Answer
  readonly id: string
  readonly model: string
  /** Seconds since 1970. */
  readonly created: number
  readonly previous: string | null
  readonly metadata: unknown
  /** The tool choice as the client sent it. */
  readonly toolChoice?: unknown
}

type Item = Record<string, unknown> & { readonly id: string; readonly type: string }

/** An event of the stream of `/v1/responses`. */
interface ResponseEvent {
  readonly type: string
  readonly [field: string]: unknown
}

const SERVER = 'mandate'

/** Converts the parts of an agent's stream to events of `/v1/responses`, and builds the response from them. */
export class ResponseFold {
  readonly #setup: ResponseSetup
  readonly #items: Item[] = []
  /** Items that are not complete, by the id of their text or call. */
  readonly #open = new Map<string, Item>()
  #count = 0

  constructor(setup: ResponseSetup) {
    this.#setup = setup
  }

  start(): ResponseEvent[] {
    const response = this.response('in_progress')
    return [this.#event('response.created', { response }), this.#event('response.in_progress', { response })]
  }

  add(part: AiSdkStreamPart): ResponseEvent[] {
    this.#setup.answer.add(part)
    switch (part.type) {
      case 'text-start':
        return this.#startText(part.id)
      case 'text-delta':
        return this.#addText(part.id, part.text)
      case 'text-end':
        return this.#endText(part.id)
      case 'tool-call':
        return this.#startCall(part.toolCallId, part.toolName, part.input)
      case 'tool-result':
        return this.#endCall(part.toolCallId, { output: textOf(part.output), error: null, status: 'completed' })
      case 'tool-error':
        return this.#endCall(part.toolCallId, failed(textOf(part.error)))
      case 'tool-output-denied':
        return this.#endCall(part.toolCallId, failed('The call was denied.'))
      default:
        return []
    }
  }

  /** Returns the final events: calls and approvals that the run waits for, and the complete response. */
  async end(): Promise<ResponseEvent[]> {
    const { answer } = this.#setup
    await answer.end()
    const events: ResponseEvent[] = []
    // Waiting calls were not made, so they are replaced by the items of what they wait for.
    for (const item of this.#open.values()) this.#items.splice(this.#items.indexOf(item), 1)
    for (const { id, name, arguments: written } of answer.calls)
      events.push(
        ...this.#whole({
          id: `fc_${id}`,
          type: 'function_call',
          call_id: id,
          name,
          arguments: written,
          status: 'completed',
        }),
      )
    for (const request of answer.waiting) events.push(...this.#whole(waitingItem(request)))
    const status = this.status()
    return [...events, this.#event(`response.${status}`, { response: this.response(status) })]
  }

  /** Returns the event of a stream that failed. */
  fail(error: unknown): ResponseEvent[] {
    this.#setup.answer.failure ??= { error }
    return [this.#event('response.failed', { response: this.response('failed') })]
  }

  status(): string {
    const { failure, isCancelled, reason } = this.#setup.answer
    if (failure !== undefined) return 'failed'
    return isCancelled || reason === 'length' ? 'incomplete' : 'completed'
  }

  response(status: string): object {
    const { answer, id, model, created, previous, metadata, toolChoice } = this.#setup
    const failure = answer.failure === undefined ? null : errorBody(answer.failure.error).error
    return {
      id,
      object: 'response',
      created_at: created,
      status,
      model,
      output: this.#items,
      error: failure === null ? null : { code: failure.code ?? 'server_error', message: failure.message },
      incomplete_details:
        status === 'incomplete' ? { reason: answer.isCancelled ? 'cancelled' : 'max_output_tokens' } : null,
      instructions: null,
      metadata: metadata ?? {},
      parallel_tool_calls: true,
      previous_response_id: previous,
      temperature: null,
      tool_choice: toolChoice ?? 'auto',
      tools: [],
      top_p: null,
      usage: status === 'in_progress' ? null : usageOf(answer),
      mandate: extension(answer),
    }
  }

  #event(type: string, fields: object): ResponseEvent {
    return { type, sequence_number: this.#count++, ...fields }
  }

  #place(item: Item): { readonly output_index: number; readonly item_id: string } {
    return { output_index: this.#items.indexOf(item), item_id: item.id }
  }

  #begin(item: Item): ResponseEvent {
    this.#items.push(item)
    return this.#event('response.output_item.added', { output_index: this.#items.length - 1, item: { ...item } })
  }

  #done(item: Item): ResponseEvent {
    return this.#event('response.output_item.done', { output_index: this.#items.indexOf(item), item: { ...item } })
  }

  #whole(item: Item): ResponseEvent[] {
    const added = this.#begin(item)
    const { item_id, output_index } = this.#place(item)
    const written =
      item.type === 'function_call'
        ? [
            this.#event('response.function_call_arguments.done', {
              item_id,
              output_index,
              arguments: item['arguments'],
            }),
          ]
        : []
    return [added, ...written, this.#done(item)]
  }

  #startText(id: string): ResponseEvent[] {
    const part = { type: 'output_text', text: '', annotations: [] }
    const item: Item = { id: `msg_${id}`, type: 'message', role: 'assistant', status: 'in_progress', content: [] }
    this.#open.set(id, item)
    const added = this.#begin(item)
    item['content'] = [part]
    return [
      added,
      this.#event('response.content_part.added', { ...this.#place(item), content_index: 0, part: { ...part } }),
    ]
  }

  #addText(id: string, delta: string): ResponseEvent[] {
    const item = this.#open.get(id)
    if (item === undefined) return []
    const [part] = item['content'] as [{ text: string }]
    part.text += delta
    return [this.#event('response.output_text.delta', { ...this.#place(item), content_index: 0, delta, logprobs: [] })]
  }

  #endText(id: string): ResponseEvent[] {
    const item = this.#open.get(id)
    if (item === undefined) return []
    this.#open.delete(id)
    item['status'] = 'completed'
    const [part] = item['content'] as [{ text: string }]
    const at = { ...this.#place(item), content_index: 0 }
    return [
      this.#event('response.output_text.done', { ...at, text: part.text, logprobs: [] }),
      this.#event('response.content_part.done', { ...at, part: { ...part } }),
      this.#done(item),
    ]
  }

  /** Starts an `mcp_call` item, because the agent performs its calls itself, as an MCP server does. */
  #startCall(id: string, name: string, input: unknown): ResponseEvent[] {
    const item: Item = {
      id: `mcp_${id}`,
      type: 'mcp_call',
      server_label: SERVER,
      name,
      arguments: JSON.stringify(input ?? {}),
      status: 'in_progress',
    }
    this.#open.set(`call ${id}`, item)
    return [this.#begin(item)]
  }

  #endCall(id: string, fields: object): ResponseEvent[] {
    const item = this.#open.get(`call ${id}`)
    if (item === undefined) return []
    this.#open.delete(`call ${id}`)
    Object.assign(item, fields)
    return [this.#done(item)]
  }
}

/** Returns an approval as an `mcp_approval_request` item. The API has no item type for other questions, so they become messages. */
function waitingItem(request: ApprovalRequest): Item {
  const { id, name, input, reason } = request
  if (reason === 'approval')
    return { id, type: 'mcp_approval_request', server_label: SERVER, name, arguments: JSON.stringify(input) }
  const content = [{ type: 'output_text', text: waitingText([request]), annotations: [] }]
  return { id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content }
}

function failed(message: string): object {
  return { output: null, error: message, status: 'failed' }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function usageOf({ usage }: Answer): object {
  const { inputTokens = 0, outputTokens = 0, totalTokens = 0 } = usage ?? {}
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: totalTokens,
    input_tokens_details: { cached_tokens: usage?.inputTokenDetails.cacheReadTokens ?? 0 },
    output_tokens_details: { reasoning_tokens: usage?.outputTokenDetails.reasoningTokens ?? 0 },
  }
}
