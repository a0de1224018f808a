import { AgentService, defineTool } from 'mandate'
import { memoryJournal } from 'mandate/journal'
import { scripted } from 'mandate/model'
import type { Model } from 'mandate/model'
import { manualClock } from '../../../src/core/index.ts'
import type { Route } from '../../../src/server/http/route.ts'
import { RunFeeds } from '../../../src/server/streams/run-feeds.ts'
import { runEvents } from '../../../src/server/streams/run-events.ts'
import { EventStreams } from '../../../src/server/streams/sse.ts'
import { callOf } from './calls.ts'
import { afterEach, expect, test } from 'vitest'
import { RunClient, sseEvents } from './sse-client.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

function serve(model: Model, clock = manualClock(0)) {
  const journal = memoryJournal()
  const erase = defineTool({ name: 'erase', risk: 'write', needsApproval: true, run: () => 'erased' })
  const look = defineTool({ name: 'look', risk: 'read', run: () => 'a door' })
  const service = new AgentService({
    journal,
    agents: [{ id: 'helper', model, tools: [erase, look] }],
  })
  const feeds = new RunFeeds(service)
  const streams = new EventStreams(clock)
  const route: Route = runEvents({ service, feeds, streams })
  open.push(() => (streams.close(), feeds.close(), service.stop()))
  const get = async (runId: string, lastId?: string, as = service.identity): Promise<Response> => {
    const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId }
    const request = new Request('http://x/', { headers })
    const call = callOf(service, as, { params: { runId }, request })
    return (await route.handle(call)) as Response
  }
  return { service, journal, get, feeds, streams, clock }
}

async function follow(response: Response, client = new RunClient(), until = (_: RunClient): boolean => false) {
  for await (const event of sseEvents(response.body! as never)) {
    client.add(event)
    if (until(client)) break
  }
  return client
}

/** A model whose words come when the test says so. */
function spokenModel() {
  const queue: (string | null)[] = []
  let wake = (): void => {}
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const model: Model = {
    ...scripted(['']),
    async *stream() {
      begin()
      for (;;) {
        const text = queue.shift()
        if (text === null) break
        if (text !== undefined) yield { type: 'text-delta', id: 't', text }
        else await new Promise<void>((resolve) => (wake = resolve))
      }
      yield { type: 'finish', reason: 'stop' }
    },
  }
  const put = (text: string | null): void => (queue.push(text), wake())
  return { model, begun, say: put, finish: () => put(null) }
}

test('a client sees every entry once and in order, the text in pieces, and the end', async () => {
  const { service, get } = serve(scripted([{ toolCalls: [{ name: 'look' }] }, 'I see a red door.']))
  const run = service.run('helper', 'Look.', { runId: 'run_1' })
  const client = await follow(await get((await run).id))
  expect(client.seqs).toEqual(client.seqs.map((_, index) => index + 1))
  expect(client.types.at(0)).toBe('run-start')
  expect(client.types.at(-1)).toBe('run-end')
  expect(client.isEnded).toBe(true)
})

test('whoever joins in the middle of a sentence gets its beginning, and pieces that go on where the last one ended', async () => {
  const { model, begun, say, finish } = spokenModel()
  const { service, get } = serve(model)
  const run = service.run('helper', 'Tell.', { runId: 'run_1' })
  await begun
  say('Once ')
  say('upon ')
  await new Promise((resolve) => setImmediate(resolve))
  const client = new RunClient()
  const following = follow(await get('run_1'), client)
  await expect.poll(() => client.texts.get('turn:1/model')).toBe('Once upon ')
  say('a time')
  await expect.poll(() => client.texts.get('turn:1/model')).toBe('Once upon a time')
  for (const word of [' there', ' was', ' a', ' king']) {
    const before = client.texts.get('turn:1/model')!
    say(word)
    await expect.poll(() => client.texts.get('turn:1/model')).toBe(before + word)
  }
  finish()
  await run
  await following
  expect(client.pieces.get('turn:1/model')).toBe('Once upon a time there was a king')
  expect(client.seqs).toEqual(client.seqs.map((_, index) => index + 1))
})

test('a client that comes back gets the entries it has not, and the text so far from its beginning', async () => {
  const { model, begun, say, finish } = spokenModel()
  const { service, get, feeds } = serve(model)
  const run = service.run('helper', 'Tell.', { runId: 'run_1' })
  await begun
  say('Once ')
  const client = await follow(await get('run_1'), new RunClient(), ({ texts }) => texts.size > 0)
  expect(feeds.size).toBe(0)
  say('upon a time')
  const again = follow(await get('run_1', client.lastId), client)
  finish()
  await run
  await again
  expect(client.seqs).toEqual(client.seqs.map((_, index) => index + 1))
  expect(client.texts.get('turn:1/model')).toBe('Once upon a time')
  expect(client.isEnded).toBe(true)
})

test('pieces that come in one turn of the event loop are one event', async () => {
  const { model, begun, say, finish } = spokenModel()
  const { service, get } = serve(model)
  const run = service.run('helper', 'Tell.', { runId: 'run_1' })
  await begun
  const client = new RunClient()
  const following = follow(await get('run_1'), client)
  await expect.poll(() => client.seqs.length).toBeGreaterThan(0)
  for (const word of ['a ', 'b ', 'c ', 'd ']) say(word)
  finish()
  await run
  await following
  expect(client.texts.get('turn:1/model')).toBe('a b c d ')
  expect(client.types.filter((type) => type === 'text-delta')).toHaveLength(1)
})

test('a client that reads nothing costs no memory: it gets entries from the journal and the newest text, and is cut off in the end', async () => {
  const { model, begun, say, finish } = spokenModel()
  const clock = manualClock(0)
  const { service, get, streams } = serve(model, clock)
  const run = service.run('helper', 'Tell.', { runId: 'run_1' })
  await begun
  const slow = (await get('run_1')).body!.getReader()
  const stalled = (await get('run_1')).body!.getReader()
  await stalled.read()
  for (let count = 0; count < 2_000; count++) {
    service.events.emit({ v: 1, type: 'tool-progress', at: 0, runId: 'run_1', sessionId: '', agentId: '', data: count })
    say('word ')
    if (count % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  finish()
  await run
  const client = new RunClient()
  const rest = (async function* () {
    for (;;) {
      const { done, value } = await slow.read()
      if (done) return
      yield value
    }
  })()
  for await (const event of sseEvents(rest)) client.add(event)
  expect(client.seqs).toEqual(client.seqs.map((_, index) => index + 1))
  expect(client.isEnded).toBe(true)
  expect(client.types.filter((type) => type === 'tool-progress').length).toBeLessThan(600)

  clock.advance(15_000)
  expect(streams.size).toBe(1)
  for (let count = 0; count < 5; count++) clock.advance(15_000)
  expect(streams.size).toBe(0)
  await expect(stalled.read()).rejects.toThrow('did not read')
})

test('a silent stream sends heartbeats', async () => {
  const clock = manualClock(0)
  const { service, get } = serve(scripted([{ toolCalls: [{ name: 'erase' }] }]), clock)
  await service.run('helper', 'Erase.', { runId: 'run_1' })
  const reader = (await get('run_1')).body!.getReader()
  await reader.read()
  const silent = reader.read()
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(15_000)
  expect(new TextDecoder().decode((await silent).value)).toBe(': \n\n')
  await reader.cancel()
})

test("a run that is over is not followed again, one that does not exist or is another owner's not at all", async () => {
  const { service, get } = serve(scripted(['Hello.']))
  await service.run('helper', 'Hi.', { runId: 'run_1' })
  const { lastId } = await follow(await get('run_1'))
  expect((await get('run_1', lastId)).status).toBe(204)
  await expect(get('run_1', '99')).resolves.toMatchObject({ status: 204 })
  await expect(get('run_1', 'x')).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  await expect(get('run_2')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(get('run_1', undefined, { id: 'eve', roles: ['viewer-of-nothing'] })).rejects.toMatchObject({
    code: 'DENIED',
  })
})
