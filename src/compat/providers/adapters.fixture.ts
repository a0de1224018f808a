import * as fc from 'fast-check'
import type { Json } from '../../core/index.ts'
import {
  type Message,
  type Part,
  assistantMessage,
  systemMessage,
  toolCallsOf,
  toolMessage,
  userMessage,
} from '../../model/index.ts'
import type { Model, ModelPart, ModelRequest, ToolCallOut } from '../../model/index.ts'
import type { ModelReply } from '../../model/index.ts'
import { fromAtlasProvider } from '../../chat/index.ts'
import { fromChatProvider } from './from-chat.ts'
import { fromLlmClient } from './from-llm-client.ts'
import { toAtlasProvider } from '../../chat/index.ts'
import { toChatProvider } from './to-chat.ts'
import { toLlmClient } from './to-llm-client.ts'

/** A model through each foreign shape and back, whole and streamed. */
export const detours: readonly [name: string, detour: (model: Model) => Model][] = [
  ['complete/stream', (model) => fromAtlasProvider(toAtlasProvider(model), model.modelId)],
  [
    'complete',
    (model) => {
      const provider = toAtlasProvider(model)
      return fromAtlasProvider({ ...provider, capabilities: { streaming: false, tools: true } }, model.modelId)
    },
  ],
  ['chat/chatStream', (model) => fromChatProvider(toChatProvider(model), model.modelId)],
  [
    'chat',
    (model) => {
      const provider = toChatProvider(model)
      return fromChatProvider({ name: provider.name, chat: (request) => provider.chat(request) }, model.modelId)
    },
  ],
  ['call/stream', (model) => fromLlmClient(toLlmClient(model), model.id)],
  [
    'call',
    (model) => {
      const client = toLlmClient(model)
      return fromLlmClient({ call: (prompt, options) => client.call(prompt, options) }, model.id)
    },
  ],
]

/** Everything JSON can say, with the one zero that it has. */
const json: fc.Arbitrary<Json> = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json)

const notJson = fc.string({ minLength: 1 }).filter((text) => {
  try {
    return text.trim() !== '' && JSON.parse(text) === undefined
  } catch {
    return true
  }
})

const call: fc.Arbitrary<ToolCallOut> = fc
  .record({
    toolCallId: fc.string({ minLength: 1 }),
    name: fc.string({ minLength: 1 }),
    given: fc.oneof(
      { weight: 3, arbitrary: json.map((input) => ({ input })) },
      notJson.map((invalid) => ({ input: null, invalid })),
    ),
  })
  .map(({ given, ...rest }) => ({ type: 'tool-call' as const, ...rest, ...given }))

export const calls: fc.Arbitrary<ToolCallOut[]> = fc.uniqueArray(call, {
  maxLength: 4,
  selector: (one) => one.toolCallId,
})

/** Answers that any of the shapes can carry: text first, then calls. */
export const answers: fc.Arbitrary<readonly ModelPart[]> = fc
  .record({
    texts: fc.array(fc.string({ minLength: 1 }), { maxLength: 5 }),
    calls,
    // Counts of zero beside an answer are estimated anew wherever it is folded.
    counts: fc.tuple(fc.integer({ min: 1 }), fc.integer({ min: 1 })),
  })
  .map(({ texts, calls: made, counts: [inputTokens, outputTokens] }): ModelPart[] => [
    ...texts.map((text) => ({ type: 'text-delta' as const, text })),
    ...made,
    { type: 'usage', usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens } },
    { type: 'finish', reason: made.length > 0 ? 'tool-calls' : 'stop' },
  ])

/** Conversations of texts, calls and results. */
export const requests: fc.Arbitrary<ModelRequest> = fc
  .record({
    system: fc.string({ minLength: 1 }),
    turns: fc.array(fc.record({ said: fc.string({ minLength: 1 }), text: fc.string(), calls }), { maxLength: 3 }),
    last: fc.string({ minLength: 1 }),
    maxOutputTokens: fc.nat(),
  })
  .map(({ system, turns, last, maxOutputTokens }) => ({
    maxOutputTokens,
    tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object', required: ['at'] } }],
    messages: [systemMessage(system), ...turns.flatMap(turnOf), userMessage(last)],
  }))

function turnOf(turn: { readonly said: string; readonly text: string; readonly calls: ToolCallOut[] }): Message[] {
  const content: Part[] = [
    ...(turn.text === '' && turn.calls.length > 0 ? [] : [{ type: 'text' as const, text: turn.text }]),
    ...turn.calls,
  ]
  const reply = assistantMessage(content)
  const results = toolCallsOf(reply).map(({ toolCallId, name }, index) => {
    return { type: 'tool-result' as const, toolCallId, name, status: 'ok' as const, value: `result ${index}` }
  })
  return [userMessage(turn.said), reply, ...(results.length === 0 ? [] : [toolMessage(results)])]
}

/** A model that says just this, and remembers what it was asked. */
export function fixed(parts: readonly ModelPart[]): Model & { readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = []
  return {
    id: 'fixed/model',
    provider: 'fixed',
    modelId: 'model',
    asked,
    async *stream(request) {
      asked.push(request)
      yield* parts
    },
  }
}

/** What must not change on the way: text, calls, counts and the reason. */
export function essence({ message, usage, finishReason }: ModelReply): object {
  const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const { inputTokens, outputTokens } = usage
  return { text, calls: toolCallsOf(message), inputTokens, outputTokens, finishReason }
}
