import { type Json, canonical } from '../../core/index.ts'
import { type ModelPart, type ModelRequest, textOf, toolCallsOf, toolMessage, userMessage } from '../../model/index.ts'
import { type ModelBehaviour, type ModelCase, ask, request } from './case.ts'

const text = 'The first line.\nSome   spaces, "quotes", \\ and emoji 👩‍👩‍👧, 漢字.\n\nThe end.'
const say: ModelBehaviour = { kind: 'say', text }
const call: ModelBehaviour = {
  kind: 'call',
  calls: [
    { toolCallId: 'call_a', name: 'look', input: { at: 1, note: 'ünï "q" \\' } },
    { toolCallId: 'call_b', name: 'look', input: { at: 2, deep: [{ a: null }, true, 0.5] } },
  ],
}

function joined(parts: readonly ModelPart[]): string {
  return parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('')
}

export const answerCases: readonly ModelCase[] = [
  {
    name: 'the text that is streamed is the text of the reply, and what the provider said',
    behaviour: say,
    async check({ model, expect }) {
      const { parts, reply } = await ask(model)
      expect(joined(parts)).toBe(text)
      expect(textOf(reply.message)).toBe(text)
      expect(reply.message.role).toBe('assistant')
      expect(reply.finishReason).toBe('stop')
    },
  },
  {
    name: 'asking again gives the same reply, also at the same time',
    behaviour: say,
    async check({ model, expect }) {
      const replies = await Promise.all([ask(model), ask(model), ask(model)])
      for (const { reply } of replies) expect(textOf(reply.message)).toBe(text)
    },
  },
  {
    name: 'its names are what prices and journals go by',
    behaviour: say,
    async check({ model, expect }) {
      expect(model.id).toBe(`${model.provider}/${model.modelId}`)
      expect(model.provider.length > 0 && model.modelId.length > 0).toBe(true)
    },
  },
  {
    name: 'every part is plain data',
    behaviour: call,
    async check({ model, expect }) {
      const { parts, reply } = await ask(model)
      for (const part of [...parts, reply as Json])
        expect(canonical(JSON.parse(JSON.stringify(part)))).toBe(canonical(part))
    },
  },
  {
    name: 'usage is what the provider counted',
    behaviour: { kind: 'say', text: 'Counted.', usage: { inputTokens: 123, outputTokens: 45 } },
    async check({ model, expect }) {
      const { usage } = (await ask(model)).reply
      expect(usage.inputTokens).toBe(123)
      expect(usage.outputTokens).toBe(45)
      expect(usage.totalTokens).toBe(168)
      expect(usage.estimated).toBe(undefined)
    },
  },
  {
    name: 'calls keep their order, ids, names and arguments',
    behaviour: call,
    async check({ model, expect }) {
      const { reply } = await ask(model)
      const made = toolCallsOf(reply.message).map(({ toolCallId, name, input }) => ({ toolCallId, name, input }))
      expect(made).toEqual(call.calls)
      expect(reply.finishReason).toBe('tool-calls')
    },
  },
  {
    name: 'arguments that are not JSON are kept as they were written',
    behaviour: { kind: 'call-raw', rawInput: '{"at": 1,' },
    async check({ model, expect }) {
      const [made] = toolCallsOf((await ask(model)).reply.message)
      expect(made?.input).toBe(null)
      expect(made?.invalid).toBe('{"at": 1,')
    },
  },
  {
    name: 'what it has no word for is kept or noted, and the rest of the answer is whole',
    behaviour: { kind: 'say-unknown', text },
    async check({ model, expect }) {
      const { reply } = await ask(model)
      expect(textOf(reply.message)).toBe(text)
      const isKept = reply.message.content.some((part) => part.type === 'custom')
      expect(isKept || reply.warnings.length > 0).toBe(true)
    },
  },
  {
    name: 'the request is left as it was, whatever it holds',
    behaviour: call,
    async check({ model, expect }) {
      const { reply } = await ask(model)
      const asked = frozen(goOn(reply.message))
      const before = canonical(asked)
      const again = await ask(model, asked)
      expect(canonical(asked)).toBe(before)
      expect(toolCallsOf(again.reply.message).length).toBe(2)
    },
  },
]

/** Builds a conversation with an image, a reply of this model, a result that succeeded and one that was denied. */
function goOn(message: ModelRequest['messages'][number]): ModelRequest {
  const [first, second] = toolCallsOf(message)
  return {
    ...request,
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      userMessage([
        { type: 'text', text: 'What is this?' },
        { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
      ]),
      message,
      toolMessage([
        { type: 'tool-result', toolCallId: first!.toolCallId, name: 'look', status: 'ok', value: { seen: [1, 2] } },
        { type: 'tool-result', toolCallId: second!.toolCallId, name: 'look', status: 'denied', value: 'not allowed' },
      ]),
      userMessage('Go on.'),
    ],
    temperature: 0,
  }
}

/** Returns a copy that throws on every write. */
function frozen<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_key, member: unknown) => Object.freeze(member)) as T
}
