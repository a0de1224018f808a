import { at, listAt, numberAt, textAt } from './raw-json.ts'
import type { WireName } from './wires.ts'

export interface RawCall {
  /** Absent where the provider gives none. */
  readonly id: string | undefined
  readonly name: string
  readonly input: unknown
}

/** What a provider's bytes say, read without any of the code under test. */
export interface RawAnswer {
  readonly text: string
  readonly reasoning: string
  /** Calls that the host has to perform. */
  readonly calls: readonly RawCall[]
  readonly inputTokens: number
  readonly outputTokens: number
  /** The provider's own word for why it ended. */
  readonly ending: string
}

type Reader = (payloads: readonly unknown[], isWhole: boolean) => RawAnswer

const join = (parts: readonly unknown[], path: string): string => parts.map((part) => textAt(part, path)).join('')

const parsed = (text: string): unknown => (text.trim() === '' ? {} : (JSON.parse(text) as unknown))

/** Chat completions: OpenAI, DeepSeek and everything compatible. */
const readChat: Reader = (payloads, isWhole) => {
  const root = isWhole ? 'choices.0.message' : 'choices.0.delta'
  const calls = new Map<number, { id: string; name: string; text: string }>()
  for (const payload of payloads) {
    for (const [place, call] of listAt(payload, `${root}.tool_calls`).entries()) {
      const index = isWhole ? place : numberAt(call, 'index')
      const open = calls.get(index) ?? { id: '', name: '', text: '' }
      open.id ||= textAt(call, 'id')
      open.name ||= textAt(call, 'function.name')
      open.text += textAt(call, 'function.arguments')
      calls.set(index, open)
    }
  }
  const counted = payloads.findLast((payload) => at(payload, 'usage.prompt_tokens') !== undefined)
  const output = numberAt(counted, 'usage.completion_tokens')
  const reasoned = numberAt(counted, 'usage.completion_tokens_details.reasoning_tokens')
  return {
    text: join(payloads, `${root}.content`),
    reasoning: join(payloads, `${root}.reasoning_content`),
    calls: [...calls.values()].map(({ id, name, text }) => ({ id, name, input: parsed(text) })),
    inputTokens: numberAt(counted, 'usage.prompt_tokens'),
    // Some count what was thought apart; output that is less than its own part cannot contain it.
    outputTokens: reasoned > output ? output + reasoned : output,
    ending: payloads.map((payload) => textAt(payload, 'choices.0.finish_reason')).findLast(Boolean) ?? '',
  }
}

/** The responses API: finished items say everything; the deltas are read for the text, because that is what streams show. */
const readResponses: Reader = (payloads, isWhole) => {
  const last = isWhole
    ? payloads[0]
    : at(
        payloads.findLast((one) => at(one, 'response.usage') != null),
        'response',
      )
  const done = payloads.filter((one) => at(one, 'type') === 'response.output_item.done').map((one) => at(one, 'item'))
  const items = isWhole ? listAt(last, 'output') : done
  const ofType = (type: string): readonly unknown[] => items.filter((item) => at(item, 'type') === type)
  const deltas = (type: string): string =>
    join(
      payloads.filter((one) => at(one, 'type') === type),
      'delta',
    )
  const whole = ofType('message')
    .map((item) => join(listAt(item, 'content'), 'text'))
    .join('')
  const functions = ofType('function_call').map((item) => ({
    id: textAt(item, 'call_id'),
    name: textAt(item, 'name'),
    input: parsed(textAt(item, 'arguments')),
  }))
  const customs = ofType('custom_tool_call').map((item) => ({
    id: textAt(item, 'call_id'),
    name: textAt(item, 'name'),
    input: textAt(item, 'input'),
  }))
  return {
    text: isWhole ? whole : deltas('response.output_text.delta'),
    reasoning: isWhole
      ? ofType('reasoning')
          .map((item) => join(listAt(item, 'summary'), 'text'))
          .join('')
      : deltas('response.reasoning_summary_text.delta'),
    calls: [...functions, ...customs],
    inputTokens: numberAt(last, 'usage.input_tokens'),
    outputTokens: numberAt(last, 'usage.output_tokens'),
    ending: textAt(last, 'incomplete_details.reason') || textAt(last, 'status'),
  }
}

interface OpenBlock {
  readonly block: unknown
  text: string
}

const readAnthropic: Reader = (payloads, isWhole) => {
  const blocks: OpenBlock[] = []
  const open = new Map<number, OpenBlock>()
  let text = ''
  let reasoning = ''
  let usage: Record<string, unknown> = {}
  const [body] = payloads
  for (const block of isWhole ? listAt(body, 'content') : []) {
    blocks.push({ block, text: JSON.stringify(at(block, 'input') ?? {}) })
    text += at(block, 'type') === 'text' ? textAt(block, 'text') : ''
    // The summary that takes the place of old messages is shown as a text of its own.
    text += at(block, 'type') === 'compaction' ? textAt(block, 'content') : ''
    reasoning += textAt(block, 'thinking')
  }
  for (const payload of payloads) {
    const index = numberAt(payload, 'index')
    if (at(payload, 'type') === 'content_block_start') {
      open.set(index, { block: at(payload, 'content_block'), text: '' })
      blocks.push(open.get(index)!)
      text += textAt(payload, 'content_block.text')
    }
    text += textAt(payload, 'delta.text') + textAt(payload, 'delta.content')
    reasoning += textAt(payload, 'delta.thinking')
    const piece = textAt(payload, 'delta.partial_json')
    if (piece !== '') open.get(index)!.text += piece
    if (at(payload, 'type') === 'message_start') usage = {}
    // A message may begin with blocks that are already whole.
    for (const block of listAt(payload, 'message.content')) blocks.push({ block, text: '' })
    usage = { ...usage, ...(at(payload, 'message.usage') as object), ...(at(payload, 'usage') as object) }
  }
  const ran = listAt(usage, 'iterations').filter((one) => /^(compaction|message)$/.test(textAt(one, 'type')))
  const isFallback = listAt(usage, 'iterations').some((one) => at(one, 'type') === 'fallback_message')
  const counts = ran.length > 0 && !isFallback ? ran : [usage]
  const sum = (path: string): number => counts.reduce((all: number, one) => all + numberAt(one, path), 0)
  return {
    text,
    reasoning,
    calls: blocks.filter(({ block }) => at(block, 'type') === 'tool_use').map(toCall),
    inputTokens:
      sum('input_tokens') + numberAt(usage, 'cache_read_input_tokens') + numberAt(usage, 'cache_creation_input_tokens'),
    outputTokens: sum('output_tokens'),
    ending:
      payloads.map((one) => textAt(one, 'delta.stop_reason') || textAt(one, 'stop_reason')).findLast(Boolean) ?? '',
  }
}

function toCall({ block, text }: OpenBlock): RawCall {
  const input = text === '' ? (at(block, 'input') ?? {}) : parsed(text)
  return { id: textAt(block, 'id'), name: textAt(block, 'name'), input }
}

const readGoogle: Reader = (payloads) => {
  const parts = payloads.flatMap((payload) => listAt(payload, 'candidates.0.content.parts'))
  const isThought = (part: unknown): boolean => at(part, 'thought') === true
  const calls: RawCall[] = []
  for (const part of parts) {
    const call = at(part, 'functionCall')
    const name = textAt(call, 'name')
    if (name !== '') calls.push({ id: undefined, name, input: structuredClone(at(call, 'args') ?? {}) })
    for (const piece of listAt(call, 'partialArgs')) addPiece(calls.at(-1)!.input as object, piece)
  }
  const counted = payloads.findLast((payload) => at(payload, 'usageMetadata.promptTokenCount') !== undefined)
  return {
    text: join(
      parts.filter((part) => !isThought(part)),
      'text',
    ),
    reasoning: join(parts.filter(isThought), 'text'),
    calls,
    inputTokens: numberAt(counted, 'usageMetadata.promptTokenCount'),
    outputTokens:
      numberAt(counted, 'usageMetadata.candidatesTokenCount') + numberAt(counted, 'usageMetadata.thoughtsTokenCount'),
    ending: payloads.map((one) => textAt(one, 'candidates.0.finishReason')).findLast(Boolean) ?? '',
  }
}

/** Arguments that come piece by piece, each with the place it belongs to: `$.operations[0].price`. */
function addPiece(target: object, piece: unknown): void {
  const keys = textAt(piece, 'jsonPath')
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
    .slice(1)
  let place = target as Record<string, unknown>
  for (const [index, key] of keys.slice(0, -1).entries()) {
    place[key] ??= /^\d+$/.test(keys[index + 1]!) ? [] : {}
    place = place[key] as Record<string, unknown>
  }
  const key = keys.at(-1)!
  const text = at(piece, 'stringValue')
  const value = at(piece, 'numberValue') ?? at(piece, 'boolValue') ?? null
  place[key] = typeof text === 'string' ? textAt(place, key) + text : value
}

const readInteractions: Reader = (payloads, isWhole) => {
  const last = isWhole
    ? payloads[0]
    : at(
        payloads.findLast((one) => at(one, 'interaction.usage') !== undefined),
        'interaction',
      )
  const steps = isWhole ? listAt(last, 'steps') : payloads.map((one) => at(one, 'step'))
  const deltas = payloads.filter((one) => at(one, 'event_type') === 'step.delta')
  const calls = steps.filter((step) => at(step, 'type') === 'function_call')
  const streamed = join(
    deltas.filter((one) => at(one, 'delta.type') === 'arguments_delta'),
    'delta.arguments',
  )
  return {
    text: isWhole
      ? steps
          .filter((step) => at(step, 'type') === 'model_output')
          .map((step) => join(listAt(step, 'content'), 'text'))
          .join('')
      : join(
          deltas.filter((one) => at(one, 'delta.type') === 'text'),
          'delta.text',
        ),
    reasoning: '',
    calls: calls.map((step) => ({
      id: textAt(step, 'id'),
      name: textAt(step, 'name'),
      input: isWhole ? at(step, 'arguments') : parsed(streamed),
    })),
    inputTokens: numberAt(last, 'usage.total_input_tokens'),
    outputTokens: numberAt(last, 'usage.total_output_tokens') + numberAt(last, 'usage.total_thought_tokens'),
    ending: textAt(last, 'status'),
  }
}

const readers: Partial<Record<WireName, Reader>> = {
  chat: readChat,
  deepseek: readChat,
  compatible: readChat,
  responses: readResponses,
  anthropic: readAnthropic,
  google: readGoogle,
  interactions: readInteractions,
}

/** Reads payloads (or one whole body) in a provider's wire format. */
export function readRaw(wire: WireName, payloads: readonly unknown[], isWhole: boolean): RawAnswer {
  const reader = readers[wire]
  if (reader === undefined) throw new Error(`nobody reads ${wire}`)
  return reader(payloads, isWhole)
}

/** The counts of a reply: those of the provider, except zeros that cannot be, which are estimated. */
export function countsOf(
  { inputTokens, outputTokens }: RawAnswer,
  { usage }: { readonly usage: { readonly estimated?: boolean } },
): { readonly inputTokens?: number; readonly outputTokens?: number } {
  const isEstimated = usage.estimated === true
  return {
    ...(inputTokens > 0 || !isEstimated ? { inputTokens } : {}),
    ...(outputTokens > 0 || !isEstimated ? { outputTokens } : {}),
  }
}
