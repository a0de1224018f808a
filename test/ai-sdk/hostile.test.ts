import { MandateError } from 'mandate'
import { manualClock } from 'mandate/testing'
import { type ModelFailureInfo, toolCallsOf } from '../../src/model/index.ts'
import type { FromAiSdkOptions } from '../../src/model/ai-sdk/from-ai-sdk.ts'
import { fromAiSdk, textOf, userMessage } from 'mandate/model'
import { describe, expect, test } from 'vitest'
import { isFull } from '../rotation.ts'
import { ask, goOn } from './conversation.ts'
import { type Answer, type Loopback, events, json, loopback } from './loopback.ts'
import { speak, speakCut, speakers } from './speech.ts'
import { type WireName, wires } from './wires.ts'

const MEGABYTES = isFull ? 10 : 2
const hello = [userMessage('Hello.')]

async function failureOf(promise: Promise<unknown>): Promise<MandateError & { info: ModelFailureInfo }> {
  const error = await promise.then(
    () => new Error('the call did not fail'),
    (thrown: unknown) => thrown as Error,
  )
  expect(MandateError.isInstance(error), error.message).toBe(true)
  return error as MandateError & { info: ModelFailureInfo }
}

/** Asks a server that answers so, and gives how the call failed. */
async function failAt(
  wire: WireName,
  answer: Answer,
  options?: FromAiSdkOptions,
): Promise<MandateError & { info: ModelFailureInfo }> {
  await using server = await loopback(answer)
  return await failureOf(ask(fromAiSdk(wires[wire].model(server.url), options), hello))
}

const errorBody = { error: { message: 'It went wrong.', type: 'some_error', code: null, status: 'BAD', param: null } }

describe.each(speakers)('a hostile server, %s', (wire) => {
  test('a refusal keeps its status and its words, and only what may pass is tried again', async () => {
    for (const [status, retriable] of [
      [400, false],
      [401, false],
      [404, false],
      [429, true],
      [500, true],
      [529, true],
    ] as const) {
      const body = wire === 'google' ? { error: { code: status, message: 'It went wrong.', status: 'BAD' } } : errorBody
      const error = await failAt(wire, json(body, status))
      expect(error).toMatchObject({ code: 'MODEL_FAILED', info: { status, retriable } })
      expect(error.message).toContain('It went wrong.')
    }
  })

  test('the patience that is asked for is taken from milliseconds, seconds or a date', async () => {
    const wait = async (headers: Record<string, string>): Promise<unknown> =>
      (await failAt(wire, json(errorBody, 429, headers))).info.retryAfterMs
    expect(await wait({ 'retry-after': '7' })).toBe(7_000)
    expect(await wait({ 'retry-after-ms': '1500' })).toBe(1_500)
    const date = 'Wed, 21 Oct 2026 07:28:00 GMT'
    expect(await wait({ date, 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT' })).toBe(30_000)
    expect(await wait({ date, 'retry-after': 'Wed, 21 Oct 2026 07:27:00 GMT' })).toBe(0)
    expect(await wait({ 'retry-after': 'soon' })).toBeUndefined()
    const undated: Answer = (response) => {
      response.sendDate = false
      response
        .writeHead(503, { 'content-type': 'application/json', 'retry-after': date })
        .end(JSON.stringify(errorBody))
    }
    const clock = manualClock(Date.parse(date) - 4_000)
    expect((await failAt(wire, undated, { clock })).info.retryAfterMs).toBe(4_000)
  })

  test('a page of HTML in place of an answer is a failed call with a short message', async () => {
    const page = `<html>${'<p>Bad gateway</p>'.repeat(10_000)}</html>`
    const html =
      (status: number): Answer =>
      (response) => {
        response.writeHead(status, { 'content-type': 'text/html' }).end(page)
      }
    expect((await failAt(wire, html(502))).info).toMatchObject({ status: 502, retriable: true })
    const error = await failAt(wire, html(200))
    expect(error.code).toBe('MODEL_FAILED')
    expect(error.message.length).toBeLessThan(1_000)
    expect((await failAt(wire, html(200), { streaming: false })).code).toBe('MODEL_FAILED')
  })

  test('a stream that is damaged, cut, closed early or empty is a failed call that may be tried again', async () => {
    const whole = speak(wire, { text: 'One two three.' })
    const half = speakCut(wire, { text: 'One two three.' })
    const broken: Record<string, Answer> = {
      'broken JSON': events(`${half}data: {"id": "x", "choices": [\n\n${whole}`),
      'no reason at the end': events(half),
      'nothing at all': events(''),
      'only comments': events(': ping\n\n: ping\n\n'),
      'no body': (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
      disconnect: (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(half)
        setImmediate(() => response.destroy())
      },
      'reset before the headers': (response) => void response.destroy(),
    }
    for (const [what, answer] of Object.entries(broken)) {
      const error = await failAt(wire, answer)
      expect(error, what).toMatchObject({ code: 'MODEL_FAILED', info: { retriable: true } })
    }
  })

  test('a server that is not there is a failed call that may be tried again', async () => {
    const server = await loopback(events(''))
    await server.close()
    const error = await failureOf(ask(fromAiSdk(wires[wire].model(server.url)), hello))
    expect(error).toMatchObject({ code: 'MODEL_FAILED', info: { retriable: true } })
  })

  test(`${MEGABYTES} megabytes are an answer like any other`, async () => {
    const text = 'Megabytes — メガ. '.repeat(MEGABYTES * 62_500)
    await using server = await loopback(events(speak(wire, { text })))
    const reply = await ask(fromAiSdk(wires[wire].model(server.url)), hello)
    expect(textOf(reply.message).length).toBe(text.length)
    expect(textOf(reply.message) === text).toBe(true)
  })

  test('a server that never goes on is left when the call is cut, and learns of it', async () => {
    const silent: Answer = () => {}
    const headersOnly: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    }
    const oneWord: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(speakCut(wire, { text: 'Well' }))
    }
    for (const answer of [silent, headersOnly, oneWord]) {
      await using server = await loopback(answer)
      const cutter = new AbortController()
      const asked = ask(fromAiSdk(wires[wire].model(server.url)), hello, cutter.signal)
      await until(() => server.asked.length === 1)
      setTimeout(() => cutter.abort(), 20)
      expect((await failureOf(asked)).code).toBe('CANCELLED')
      await until(() => server.hangUps === 1)
    }
    await using server = await loopback(oneWord)
    const error = await failureOf(ask(fromAiSdk(wires[wire].model(server.url)), hello, AbortSignal.timeout(50)))
    expect(error).toMatchObject({ code: 'MODEL_TIMEOUT', info: { retriable: true } })
  })

  test('a listener that stops reading closes the connection', async () => {
    const endless: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(speakCut(wire, { text: 'and so on' }))
    }
    await using server = await loopback(endless)
    const call = { signal: new AbortController().signal, attempt: 1, idempotencyKey: 'k' }
    for await (const part of fromAiSdk(wires[wire].model(server.url)).stream({ messages: hello }, call)) {
      if (part.type === 'text-delta') break
    }
    await until(() => server.hangUps === 1)
    expect(server.asked).toHaveLength(1)
  })

  test('two calls with one id are two calls, and both can be answered', async () => {
    const calls = [
      { id: 'same', name: 'look', input: '{"at":1}' },
      { id: 'same', name: 'look', input: '{"at":2}' },
    ]
    await using server = await loopback(events(speak(wire, { calls })), events(speak(wire, { text: 'Thanks.' })))
    const model = fromAiSdk(wires[wire].model(server.url))
    const reply = await ask(model, hello)
    const made = toolCallsOf(reply.message)
    expect(made.map((call) => call.input)).toEqual([{ at: 1 }, { at: 2 }])
    expect(new Set(made.map((call) => call.toolCallId)).size).toBe(2)
    expect(textOf((await ask(model, goOn(reply))).message)).toBe('Thanks.')
  })
})

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('what only some providers do', () => {
  test('an error in the middle of a stream ends the call, with what the provider said of it', async () => {
    const overloaded =
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    const late = speakCut('anthropic', { text: 'Well' }) + overloaded
    expect(await failAt('anthropic', events(late))).toMatchObject({ info: { retriable: true } })
    expect((await failAt('anthropic', events(late))).message).toContain('Overloaded')
    for (const wire of ['chat', 'compatible', 'chatV2', 'chatV3'] as const) {
      const text = `${speakCut(wire, { text: 'Well' })}data: {"error":{"message":"The server had an error","type":"server_error","param":null,"code":null}}\n\n`
      const error = await failAt(wire, events(text))
      expect(error, wire).toMatchObject({ info: { retriable: true } })
      expect(error.message).toContain('The server had an error')
    }
  })

  test('a spent quota is not asked again', async () => {
    const text = `data: {"error":{"message":"You exceeded your quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}\n\n`
    expect(await failAt('chat', events(text))).toMatchObject({ info: { retriable: false } })
  })

  test('the patience that Google notes in the body counts', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }]
    const body = { error: { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED', details } }
    expect(await failAt('google', json(body, 429))).toMatchObject({ info: { status: 429, retryAfterMs: 34_400 } })
  })

  test('arguments that are not JSON are kept as the model wrote them', async () => {
    for (const wire of ['chat', 'responses', 'anthropic', 'compatible', 'deepseek', 'chatV2', 'responsesV3'] as const) {
      const calls = [{ id: 'c1', name: 'look', input: '{"at": 1' }]
      await using server: Loopback = await loopback(events(speak(wire, { calls })))
      const reply = await ask(fromAiSdk(wires[wire].model(server.url)), hello)
      expect(toolCallsOf(reply.message), wire).toMatchObject([
        { toolCallId: 'c1', name: 'look', input: null, invalid: '{"at": 1' },
      ])
    }
  })

  test('a server that never says why it ends is accepted when the host says so', async () => {
    await using server = await loopback(events(speakCut('chatV2', { text: 'Well then.' })))
    const reply = await ask(fromAiSdk(wires.chatV2.model(server.url), { acceptUnfinished: true }), hello)
    expect(textOf(reply.message)).toBe('Well then.')
    expect(reply.warnings.join()).toContain('without saying why')
  })
})
