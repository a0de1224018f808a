import {
  type Model,
  type ModelReply,
  type ModelRequest,
  collectReply,
  fromAiSdk,
  textOf,
  userMessage,
} from 'mandate/model'
import { toolCallsOf } from '../../src/model/index.ts'
import { describe, expect, test } from 'vitest'
import { loopback } from './loopback.ts'
import { type RawAnswer, countsOf, readRaw } from './raw-answers.ts'
import { type Recording, readRecordings } from './recordings.ts'
import { wires } from './wires.ts'

const recordings = readRecordings()
const request: ModelRequest = { messages: [userMessage('Go on.')] }

function ask(model: Model, onText?: (text: string) => void): Promise<ModelReply> {
  const call = { signal: new AbortController().signal, attempt: 1, idempotencyKey: 'k' }
  return collectReply(model.stream(request, call), (part) => part.type === 'text-delta' && onText?.(part.text), request)
}

async function play({ wire, answer, isWhole }: Recording): Promise<{ reply: ModelReply; shown: string }> {
  await using server = await loopback(answer)
  let shown = ''
  const model = fromAiSdk(wires[wire].model(server.url), { streaming: !isWhole })
  const reply = await ask(model, (text) => (shown += text))
  return { reply, shown }
}

/** What each provider's last word means. */
const endings: Readonly<Record<string, string>> = {
  stop: 'stop',
  end_turn: 'stop',
  STOP: 'stop',
  completed: 'stop',
  length: 'length',
  max_tokens: 'length',
  refusal: 'content-filter',
  tool_calls: 'tool-calls',
  tool_use: 'tool-calls',
  requires_action: 'tool-calls',
}

function endingOf({ ending, calls }: RawAnswer, reply: ModelReply): string {
  // Google and the responses API say "done" also when they want a tool to be called; only the calls tell.
  const isSilent = ending === 'STOP' || ending === 'completed'
  if (isSilent && toolCallsOf(reply.message).length > 0) return calls.length > 0 ? 'tool-calls' : reply.finishReason
  return endings[ending] ?? `no meaning is known for "${ending}"`
}

const whole = recordings.filter((one) => !one.isError && !one.isBroken)

describe.skipIf(recordings.length === 0)('every recorded answer is folded without loss', () => {
  test.each(whole.map((one) => [one.name, one] as const))('%s', async (_name, recording) => {
    const raw = readRaw(recording.wire, recording.payloads, recording.isWhole)
    const { reply, shown } = await play(recording)
    expect(textOf(reply.message)).toBe(raw.text)
    expect(shown, 'listeners saw the text of the reply').toBe(raw.text)
    const reasoning = reply.message.content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('')
    if (recording.wire !== 'interactions') expect(reasoning).toBe(raw.reasoning)

    const calls = toolCallsOf(reply.message)
    // The responses API has kinds of calls of its own (shells, patches), which the reader does not read.
    const known = recording.wire === 'responses' ? new Set(raw.calls.map((call) => call.id)) : undefined
    const made = calls.filter((call) => known === undefined || known.has(call.toolCallId))
    expect(made).toMatchObject(
      raw.calls.map(({ id, name, input }) => ({ ...(id === undefined ? {} : { toolCallId: id }), name, input })),
    )
    expect(new Set(calls.map((call) => call.toolCallId)).size).toBe(calls.length)
    expect(calls.every((call) => call.invalid === undefined && call.toolCallId !== '')).toBe(true)
    expect(reply.finishReason).toBe(endingOf(raw, reply))
    expect(reply.usage).toMatchObject(countsOf(raw, reply))
  })
})

const failing = recordings.filter((one) => one.isError || one.isBroken)

describe.skipIf(recordings.length === 0)('every recorded failure is a failed call, never half an answer', () => {
  test.each(failing.map((one) => [one.name, one] as const))('%s', async (_name, recording) => {
    const error = await play(recording).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'MODEL_FAILED',
      info: { retriable: recording.isBroken || recording.name.includes('429') },
    })
  })
})

test.skipIf(recordings.length === 0)('the recordings of every provider were found', () => {
  expect(new Set(recordings.map((one) => one.wire)).size).toBe(7)
  expect(failing.length).toBeGreaterThanOrEqual(6)
  expect(whole.length).toBeGreaterThan(100)
})
