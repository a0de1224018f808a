import { expect, test } from 'vitest'
import { type Json, MandateError } from '../../core/index.ts'
import type { EmbeddingModel } from '../embedding.ts'
import { userMessage } from '../message.ts'
import type { Model, ModelPart, ModelRequest } from '../model.ts'
import { collectReply } from '../reply.ts'
import { scripted } from '../scripted.ts'
import { type Cassette, cassette } from './cassette.ts'
import type { CassetteOptions } from './options.ts'
import { askModel, errorOf, itemsOf, modelOf, partsOf, shelf } from './cassette.fixture.ts'

const request: ModelRequest = { messages: [userMessage('How is the weather in Oslo?')], temperature: 0 }

/** Records with one set of options, then plays back with the same. */
function decks(options: Partial<CassetteOptions> = {}): {
  record: () => Cassette
  replay: () => Cassette
  text: () => string
} {
  const storage = shelf()
  const make = (mode: 'record' | 'replay') => (): Cassette => cassette({ storage, ...options, mode })
  return { record: make('record'), replay: make('replay'), text: () => storage.texts.get('cassette') ?? '' }
}

test('a replayed stream is the recorded one, part by part, and calls nothing', async () => {
  const { record, replay } = decks()
  const parts: ModelPart[] = [
    { type: 'reasoning-delta', text: 'Hm. ' },
    { type: 'text-delta', text: 'It ', id: 'a', providerMetadata: { some: { signature: 'xyz' } } },
    { type: 'text-delta', text: 'rains.', id: 'a' },
    { type: 'tool-call', toolCallId: 'c1', name: 'umbrella', input: { open: true } },
    { type: 'usage', usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } },
    { type: 'finish', reason: 'tool-calls' },
  ]
  const real = modelOf(parts)
  expect(await partsOf(record().model(real), request)).toEqual(parts)
  expect(await partsOf(replay().model(real), request)).toEqual(parts)
  expect(real.calls).toBe(1)
})

test('ids, times and notes of messages do not make another request; anything a model sees does', async () => {
  const { record, replay } = decks()
  const model = scripted(['Fine.'])
  await partsOf(record().model(model), {
    messages: [{ ...request.messages[0]!, id: 'm1', createdAt: 1, metadata: { a: 1 } }],
  })
  const again = { messages: [{ ...request.messages[0]!, id: 'm2', createdAt: 2 }] }
  expect(await partsOf(replay().model(model), again)).not.toEqual([])
  expect(await errorOf(partsOf(replay().model(model), { ...again, temperature: 1 }))).toMatchObject({
    code: 'NOT_FOUND',
  })
})

test('the same request asked twice gets the first answer first and the second one second, and no third', async () => {
  const { record, replay } = decks()
  let count = 0
  const counting = modelOf(() => [{ type: 'text-delta', text: `answer ${++count}` }])
  const recording = record().model(counting)
  for (let i = 0; i < 2; i++) await partsOf(recording, request)
  const playing = replay().model(counting)
  expect(await partsOf(playing, request)).toEqual([{ type: 'text-delta', text: 'answer 1' }])
  expect(await partsOf(playing, request)).toEqual([{ type: 'text-delta', text: 'answer 2' }])
  const miss = await errorOf(partsOf(playing, request))
  expect(miss.message).toContain('holds this call of model "test/model" 2 time(s), and it was made 3 times')
})

test('a miss names what differs from the nearest recording, by path, and how to record again', async () => {
  const { record, replay } = decks({ rerecord: 'Run `MANDATE_CASSETTE=record npm test`.' })
  const model = scripted((_request, moment) => `reply ${moment.position}`)
  const tape = record()
  const long = (city: string): ModelRequest => ({
    messages: [userMessage('x'.repeat(5_000)), userMessage(`${'How is the weather today '.repeat(40)}in ${city}?`)],
    temperature: 0,
  })
  await partsOf(tape.model(model), long('Oslo'))
  await partsOf(tape.model(model), { messages: [userMessage('Something else entirely')] })
  const miss = await errorOf(partsOf(replay().model(model), { ...long('Rome'), maxOutputTokens: 9 }))
  expect(miss.message).toMatchInlineSnapshot(`
    "The cassette "cassette" holds no recording of this call of model "scripted/model". The nearest one differs in 2 place(s):
      messages[1].content[0].text
        recorded: …"is the weather today in Oslo?"
        asked:    …"is the weather today in Rome?"
      maxOutputTokens
        recorded: nothing
        asked:    9
    Run \`MANDATE_CASSETTE=record npm test\`."
  `)
})

test('an empty cassette, another model and a flood of differences are told as what they are', async () => {
  const { record, replay } = decks()
  const model = scripted(['x'])
  expect((await errorOf(partsOf(replay().model(model), request))).message).toContain('is empty or missing')
  await partsOf(record().model(model), request)
  const other = await errorOf(partsOf(replay().model(modelOf([])), request))
  expect(other.message).toContain('holds no call of model "test/model". It holds calls of model "scripted/model"')
  const flood: ModelRequest = {
    messages: Array.from({ length: 300 }, (_, i) => userMessage(`${i} ${'y'.repeat(10_000)}`)),
  }
  const { message } = await errorOf(partsOf(replay().model(model), flood))
  expect(message).toContain('and 295 more')
  expect(message.length).toBeLessThan(3_000)
})

test('failures are part of a recording: parts that say so, and what is thrown', async () => {
  const { record, replay } = decks()
  const busy = scripted([{ error: 'slow down', status: 429, retryAfterMs: 7, text: 'I was' }])
  const ask = (tape: Cassette, model: Model): Promise<MandateError> =>
    errorOf(collectReply(askModel(tape.model(model), request)))
  expect(await ask(record(), busy)).toMatchObject({ code: 'MODEL_FAILED', message: 'slow down' })
  const played = await ask(replay(), busy)
  expect(played).toMatchObject({ code: 'MODEL_FAILED', message: 'slow down', info: { status: 429, retryAfterMs: 7 } })

  const broken = modelOf(() => {
    throw Object.assign(new Error('reset by peer'), { code: 'ECONNRESET' })
  })
  await ask(record(), broken)
  expect(await ask(replay(), broken)).toMatchObject({ message: 'reset by peer', info: { retriable: true } })
  expect(broken.calls).toBe(1)
})

test('a call that was cut while it was recorded waits to be cut at the same place', async () => {
  const { record, replay } = decks()
  const hanging = scripted([{ hang: true, text: 'I think' }])
  for (const tape of [record(), replay()]) {
    const controller = new AbortController()
    const seen: string[] = []
    const error = await errorOf(
      (async () => {
        for await (const part of askModel(tape.model(hanging), request, controller.signal)) {
          if (part.type === 'text-delta') seen.push(part.text)
          if (seen.length === 2) setImmediate(() => controller.abort())
        }
      })(),
    )
    expect(seen.join('')).toBe('I think')
    expect(error.code).toBe('CANCELLED')
  }
  expect(hanging.requests).toHaveLength(1)
})

test('unused recordings are reported', async () => {
  const { record, replay } = decks()
  const model = scripted((asked) => `${asked.messages.length}`)
  const tape = record()
  for (const text of ['one', 'two']) await partsOf(tape.model(model), { messages: [userMessage(text)] })
  expect(await tape.close()).toMatchObject({ mode: 'record', recorded: 2 })
  const playing = replay()
  await partsOf(playing.model(model), { messages: [userMessage('two')] })
  await errorOf(partsOf(playing.model(model), { messages: [userMessage('three')] }))
  const report = await playing.close()
  expect(report).toMatchObject({
    mode: 'replay',
    played: 1,
    unused: [expect.stringMatching(/^model scripted\/model \w{12} #1$/)],
  })
  expect(report.misses).toEqual([expect.stringContaining('The nearest one differs in 1 place(s)')])
})

test('a model that needs a key is opened when it is recorded, and never when it is replayed', async () => {
  const { record, replay } = decks()
  let opened = 0
  const lazy = {
    id: 'scripted/model',
    open: async () => {
      opened++
      return scripted(['Hi.'])
    },
  }
  const recorded = await partsOf(record().model(lazy), request)
  expect(await partsOf(replay().model(lazy), request)).toEqual(recorded)
  expect(opened).toBe(1)
  expect(replay().model(lazy)).toMatchObject({ id: 'scripted/model', provider: 'scripted', modelId: 'model' })
})

test('live calls and stores nothing', async () => {
  const storage = shelf()
  const tape = cassette({ mode: 'live', storage })
  const model = modelOf([{ type: 'text-delta', text: 'x' }])
  expect(await partsOf(tape.model(model), request)).toHaveLength(1)
  expect(await tape.value('v', {}, () => 1)).toBe(1)
  expect(
    await itemsOf(
      tape.stream('s', {}, async function* () {
        yield 2
      }),
    ),
  ).toEqual([2])
  await tape.close()
  expect(storage.texts.size).toBe(0)
  expect(model.calls).toBe(1)
})

test('any other stream and any other answer can be recorded too', async () => {
  const { record, replay } = decks()
  const lines = async function* (): AsyncGenerator<Json> {
    yield { line: 1 }
    yield 'two'
    throw new Error('pipe closed')
  }
  for (const [tape, isReal] of [
    [record(), true],
    [replay(), false],
  ] as const) {
    const seen: Json[] = []
    const open = isReal ? lines : () => expect.fail('called')
    const error = await errorOf(
      (async () => {
        for await (const item of tape.stream('log', { file: 'a' }, open)) seen.push(item)
      })(),
    )
    expect([seen, error.message]).toEqual([[{ line: 1 }, 'two'], 'pipe closed'])
    const embed = isReal ? (): Json => [0.1, 0.2] : (): Json => expect.fail('called')
    expect(await tape.value('embed', { text: 'x' }, embed)).toEqual([0.1, 0.2])
  }
})

test('an embedding model is recorded like any other', async () => {
  const { record, replay } = decks()
  const call = { signal: new AbortController().signal, attempt: 1, idempotencyKey: 'k' }
  let calls = 0
  const real: EmbeddingModel = {
    id: 'test/embedding',
    provider: 'test',
    modelId: 'embedding',
    embed: async ({ values }) => {
      calls++
      return { embeddings: values.map((text) => [text.length, 0.5]), usage: { inputTokens: 2 }, warnings: [] }
    },
  }
  const recorded = await record()
    .embedding(real)
    .embed({ values: ['a', 'bc'] }, call)
  const played = replay().embedding(real)
  expect(await played.embed({ values: ['a', 'bc'] }, call)).toEqual(recorded)
  expect(await errorOf(played.embed({ values: ['a'] }, call))).toMatchObject({ code: 'NOT_FOUND' })
  expect(calls).toBe(1)
})

test('what changes from run to run can be left out of the comparison', async () => {
  const matchOn = (asked: Json): Json =>
    JSON.parse(JSON.stringify(asked).replace(/Today is \d+/, 'Today is <day>')) as Json
  const { record, replay } = decks({ matchOn })
  const model = scripted(['ok'])
  await partsOf(record().model(model), { messages: [userMessage('Today is 12')] })
  expect(await partsOf(replay().model(model), { messages: [userMessage('Today is 13')] })).not.toEqual([])
})

test('a wrong mode is refused at once', () => {
  expect(() => cassette({ mode: 'play' as never, storage: shelf() })).toThrow('Use record, replay or live')
})

test('a failing storage is not passed over in silence', async () => {
  const tape = cassette({
    mode: 'record',
    storage: { read: () => undefined, write: () => Promise.reject(new MandateError('STORE_FAILED', 'no room')) },
  })
  expect((await errorOf(partsOf(tape.model(scripted(['x'])), request))).message).toBe('no room')
})
