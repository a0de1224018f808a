import { type WireName, wires } from './wires.ts'

/** What a pretended provider shall say. */
export interface Speech {
  readonly text?: string
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: string }[]
  /** Leaves out the end: the stream closes without a reason. */
  readonly cut?: boolean
  readonly usage?: { readonly input: number; readonly output: number }
}

type Payloads = (speech: Speech) => object[]

const pieces = (text: string): string[] => text.match(/.{1,65536}/gs) ?? []

const chat: Payloads = ({ text = '', calls = [], cut, usage = { input: 11, output: 7 } }) => {
  const base = { id: 'chat-1', object: 'chat.completion.chunk', created: 1, model: 'm' }
  const delta = (one: object): object => ({ ...base, choices: [{ index: 0, delta: one, finish_reason: null }] })
  const end = { ...base, choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }] }
  const counts = {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
  }
  return [
    delta({ role: 'assistant', content: '' }),
    ...pieces(text).map((content) => delta({ content })),
    ...calls.map(({ id, name, input }, index) =>
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: input } }] }),
    ),
    ...(cut === true ? [] : [end, { ...base, choices: [], usage: counts }]),
  ]
}

const responses: Payloads = ({ text = '', calls = [], cut, usage = { input: 11, output: 7 } }) => {
  const response = { id: 'resp-1', object: 'response', created_at: 1, model: 'gpt-5', output: [] }
  const message = { id: 'msg-1', type: 'message', role: 'assistant', content: [] }
  const counts = { input_tokens: usage.input, output_tokens: usage.output, total_tokens: usage.input + usage.output }
  const said = [
    { type: 'response.output_item.added', output_index: 0, item: message },
    ...pieces(text).map((delta) => ({
      type: 'response.output_text.delta',
      item_id: 'msg-1',
      output_index: 0,
      content_index: 0,
      delta,
    })),
    { type: 'response.output_item.done', output_index: 0, item: { ...message, status: 'completed' } },
  ]
  const made = calls.flatMap(({ id, name, input }, index) => {
    const item = {
      id: `fc-${id}-${index}`,
      type: 'function_call',
      call_id: id,
      name,
      arguments: '',
      status: 'in_progress',
    }
    return [
      { type: 'response.output_item.added', output_index: index + 1, item },
      {
        type: 'response.output_item.done',
        output_index: index + 1,
        item: { ...item, arguments: input, status: 'completed' },
      },
    ]
  })
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress' } },
    ...(text === '' ? [] : said),
    ...made,
    ...(cut === true
      ? []
      : [{ type: 'response.completed', response: { ...response, status: 'completed', usage: counts } }]),
  ]
}

const anthropic: Payloads = ({ text = '', calls = [], cut, usage = { input: 11, output: 7 } }) => {
  const message = { id: 'msg-1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null }
  const first = text === '' ? 0 : 1
  const said = [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...pieces(text).map((piece) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: piece },
    })),
    { type: 'content_block_stop', index: 0 },
  ]
  const made = calls.flatMap(({ id, name, input }, at) => {
    const index = first + at
    return [
      { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } },
      { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: input } },
      { type: 'content_block_stop', index },
    ]
  })
  const reason = calls.length > 0 ? 'tool_use' : 'end_turn'
  const end = { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: usage.output } }
  return [
    { type: 'message_start', message: { ...message, usage: { input_tokens: usage.input, output_tokens: 1 } } },
    ...(text === '' ? [] : said),
    ...made,
    ...(cut === true ? [] : [end, { type: 'message_stop' }]),
  ]
}

const google: Payloads = ({ text = '', calls = [], cut, usage = { input: 11, output: 7 } }) => {
  const counts = { promptTokenCount: usage.input, candidatesTokenCount: usage.output }
  const candidate = (parts: object[]): object => ({ candidates: [{ index: 0, content: { role: 'model', parts } }] })
  return [
    ...pieces(text).map((piece) => candidate([{ text: piece }])),
    ...calls.map(({ id, name, input }) =>
      candidate([{ functionCall: { id, name, args: JSON.parse(input) as unknown } }]),
    ),
    ...(cut === true
      ? []
      : [
          {
            candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [] } }],
            usageMetadata: counts,
          },
        ]),
  ]
}

const payloads: Partial<Record<WireName, Payloads>> = {
  chat,
  deepseek: chat,
  compatible: chat,
  chatV2: chat,
  chatV3: chat,
  responses,
  responsesV2: responses,
  responsesV3: responses,
  anthropic,
  google,
}

/** The wires in which pretended providers can speak. */
export const speakers: readonly WireName[] = Object.keys(payloads) as WireName[]

/** A whole answer as the lines of its event stream. */
export function speak(wire: WireName, speech: Speech): string {
  return wires[wire].stream(payloads[wire]!(speech).map((one) => JSON.stringify(one)))
}

/** The same without what closes the stream: it was cut where nobody expected it. */
export function speakCut(wire: WireName, speech: Speech): string {
  return speak(wire, { ...speech, cut: true }).replace('data: [DONE]\n\n', '')
}
