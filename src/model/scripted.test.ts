import { expect, test } from 'vitest'
import { manualClock } from '../core/index.ts'
import { type Message, assistantMessage, textOf, toolCallsOf, toolMessage, userMessage } from './message.ts'
import type { Model, ModelPart } from './model.ts'
import { type ModelReply, collectReply } from './reply.ts'
import type { ScriptedStep } from './script.ts'
import { scripted } from './scripted.ts'

interface AskOptions {
  readonly attempt?: number
  readonly signal?: AbortSignal
}

function ask(model: Model, messages: readonly Message[], options: AskOptions = {}): Promise<ModelReply> {
  const { attempt = 1, signal = new AbortController().signal } = options
  return collectReply(model.stream({ messages }, { signal, attempt, idempotencyKey: 'k' }))
}

const script: ScriptedStep[] = [
  {
    text: 'Looking.',
    toolCalls: [
      { name: 'get', input: { key: 'a' } },
      { name: 'get', input: { key: 'b' } },
    ],
  },
  'First answer.',
  { text: '', toolCalls: [{ name: 'put' }] },
  'Second answer.',
]

/** Plays a whole conversation, each turn with the model that `next` gives. */
async function converse(next: () => Model, turns: number, window = Infinity): Promise<Message[]> {
  const messages: Message[] = [userMessage('go')]
  for (let turn = 0; turn < turns; turn++) {
    const reply = await ask(next(), messages.slice(-window))
    messages.push(reply.message)
    const results = toolCallsOf(reply.message).map(
      ({ toolCallId, name }) => ({ type: 'tool-result', toolCallId, name, status: 'ok', value: 1 }) as const,
    )
    messages.push(results.length > 0 ? toolMessage(results) : userMessage('more'))
  }
  return messages
}

test('a new process continues at the position of the transcript, with the same replies as a single model', async () => {
  const one = scripted(script)
  const whole = await converse(() => one, 4)
  expect(await converse(() => scripted(script), 4)).toEqual(whole)
  expect(whole.filter((message) => message.role === 'assistant').map(textOf)).toEqual([
    'Looking.',
    'First answer.',
    '',
    'Second answer.',
  ])
})

test('asking again with the same transcript gives the same reply', async () => {
  const model = scripted(script)
  expect(await ask(model, [userMessage('go')])).toEqual(await ask(model, [userMessage('go')]))
})

test('a history window that drops old replies does not turn the script back', async () => {
  const whole = await converse(() => scripted(script), 4)
  expect(await converse(() => scripted(script), 4, 2)).toEqual(whole)
})

test('replies by other models count too', async () => {
  const reply = await ask(scripted(['one', 'two']), [
    userMessage('a'),
    assistantMessage('from another model'),
    userMessage('b'),
  ])
  expect(textOf(reply.message)).toBe('two')
})

test('faults before a reply are what its first attempts get; the last one repeats', async () => {
  const model = scripted([
    { error: 'busy', retriable: true, retryAfterMs: 5 },
    { error: 'busy again', status: 503 },
    'Hello.',
    'Bye.',
  ])
  const start = [userMessage('hi')]
  await expect(ask(model, start)).rejects.toMatchObject({
    code: 'MODEL_FAILED',
    message: 'busy',
    info: { retriable: true, retryAfterMs: 5 },
  })
  await expect(ask(model, start, { attempt: 2 })).rejects.toMatchObject({ info: { retriable: true, status: 503 } })
  expect(textOf((await ask(model, start, { attempt: 3 })).message)).toBe('Hello.')
  expect(textOf((await ask(model, start, { attempt: 9 })).message)).toBe('Hello.')
  expect(textOf((await ask(model, [...start, assistantMessage('Hello.')])).message)).toBe('Bye.')
  const dead = scripted([{ error: 'no such model', retriable: false }])
  for (const attempt of [1, 2, 3]) await expect(ask(dead, start, { attempt })).rejects.toThrow('no such model')
})

test('by call, the first call gets the first item whatever it asks', async () => {
  const model = scripted([{ error: 'no' }, 'yes'], { by: 'call' })
  await expect(ask(model, [userMessage('a')])).rejects.toThrow('no')
  expect(textOf((await ask(model, [userMessage('b')])).message)).toBe('yes')
  expect(model.requests.map((request) => textOf(request.messages[0]!))).toEqual(['a', 'b'])
})

test('running past the end is a clear error that shows the last messages and is not retried', async () => {
  const error = await ask(scripted(['one'], { name: 'demo' }), [
    userMessage('a'),
    assistantMessage('one'),
    userMessage('what else?'),
  ]).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'MODEL_FAILED', info: { retriable: false } })
  expect((error as Error).message).toMatch(/scripted\/demo has 1 item\(s\) and no reply 2/)
  expect((error as Error).message).toContain('user: what else?')
})

test('a function sees the request and the moment; one function alone answers every call', async () => {
  const model = scripted((request, { position, attempt }) => `${request.messages.length}/${position}/${attempt}`)
  expect(textOf((await ask(model, [userMessage('a')], { attempt: 2 })).message)).toBe('1/0/2')
  expect(textOf((await ask(model, [userMessage('a'), assistantMessage('b')])).message)).toBe('2/1/1')
})

test('text is streamed in pieces that join to the text', async () => {
  const pieces = async (step: ScriptedStep): Promise<string[]> => {
    const texts: string[] = []
    const call = { signal: new AbortController().signal, attempt: 1, idempotencyKey: 'k' }
    for await (const part of scripted([step]).stream({ messages: [] }, call))
      if (part.type === 'text-delta') texts.push(part.text)
    return texts
  }
  expect(await pieces('One two  three.')).toEqual(['One ', 'two  ', 'three.'])
  expect(await pieces({ text: 'abcdefg', chunks: 3 })).toEqual(['abc', 'def', 'g'])
  expect(await pieces({ chunks: ['a', 'b'] })).toEqual(['a', 'b'])
})

test('usage is estimated from the text unless the script says it', async () => {
  const counted = (await ask(scripted(['A longer answer than one word.']), [userMessage('hi')])).usage
  expect(counted.outputTokens).toBeGreaterThan(5)
  const told = (
    await ask(scripted([{ text: 'a', usage: { inputTokens: 100, outputTokens: 50 } }]), [userMessage('hi')])
  ).usage
  expect(told).toEqual({ inputTokens: 100, outputTokens: 50, totalTokens: 150 })
})

test('arguments that are not JSON come out as invalid, for the loop to hand back', async () => {
  const reply = await ask(scripted([{ toolCalls: [{ name: 't', rawInput: '{"a":' }] }]), [userMessage('hi')])
  expect(toolCallsOf(reply.message)[0]).toMatchObject({ input: null, invalid: '{"a":' })
  expect(reply.finishReason).toBe('tool-calls')
})

test('a hanging model says what it has to say and then waits until the call is cut', async () => {
  const cutter = new AbortController()
  const seen: ModelPart[] = []
  const call = { signal: cutter.signal, attempt: 1, idempotencyKey: 'k' }
  const run = collectReply(scripted([{ hang: true, text: 'wait' }]).stream({ messages: [] }, call), (part) => {
    seen.push(part)
    setImmediate(() => cutter.abort())
  })
  await expect(run).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(seen).toHaveLength(1)
})

test('a delay is waited on the given clock, and cutting the call ends it', async () => {
  const clock = manualClock()
  let settled = false
  const reply = ask(scripted([{ text: 'late', delayMs: 60_000 }], { clock }), []).finally(() => (settled = true))
  await new Promise(setImmediate)
  expect(settled).toBe(false)
  clock.advance(60_000)
  expect(textOf((await reply).message)).toBe('late')

  const cutter = new AbortController()
  const cut = ask(scripted([{ text: 'late', delayMs: 60_000 }], { clock }), [], { signal: cutter.signal })
  setImmediate(() => cutter.abort())
  await expect(cut).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(clock.next).toBeUndefined()
})
