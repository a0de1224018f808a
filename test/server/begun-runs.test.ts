import { createHmac } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import type { ServiceOptions } from '../../src/agent/index.ts'
import { Conversations } from '../../src/chat/index.ts'
import { dbosEngine } from '../../src/engine/index.ts'
import { channel, defineGraph, registerGraph } from '../../src/graph/index.ts'
import { memoryJournal } from '../../src/journal/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { scripted } from '../../src/model/index.ts'
import { conversationPart, httpServer, webhooks } from '../../src/server/index.ts'
import { openPostgres } from '../../src/store/postgres/index.ts'
import { newPlace } from '../engine/workers.fixture.ts'
import { has } from '../servers/servers.ts'

const TOKEN = 'token-of-the-owner-0001'
const SECRET = 'a-secret-of-the-webhooks-01'

interface Bench {
  readonly journal: Journal
  post(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<Response>
}

function bench(options: ServiceOptions): Bench {
  const agents = [{ id: 'greeter', model: scripted(() => 'Hello.') }]
  const service = new AgentService({ ...options, agents })
  const graph = defineGraph({ name: 'flow', state: { n: channel.last<number>() }, input: ['n'] })
  registerGraph(service, graph.node('add', ({ n }) => ({ n: n + 1 })).start('add'))
  const owner = { id: 'ana', roles: ['owner'] }
  const hooks = webhooks(service, { incoming: [{ name: 'mail', secret: SECRET, agent: 'greeter', identity: owner }] })
  const parts = [hooks, conversationPart(service, new Conversations(service))]
  const server = httpServer(service, { tokens: [{ token: TOKEN, identity: owner }], parts })
  onTestFinished(async () => {
    await server.close()
    await service.stop()
  })
  const post: Bench['post'] = (path, body, headers = {}) =>
    server.fetch(
      new Request(`http://127.0.0.1:8080${path}`, {
        method: 'POST',
        headers: {
          ...{ host: '127.0.0.1:8080', authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
          ...headers,
        },
        body: JSON.stringify(body),
      }),
    )
  return { journal: service.journal, post }
}

/** A store that takes a moment for every append. */
function slowJournal(): Journal {
  const journal = memoryJournal()
  return new Proxy(journal, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (name !== 'append') return member.bind(target)
      return async (...given: Parameters<Journal['append']>) => {
        await new Promise((resolve) => setTimeout(resolve, 40))
        return target.append(...given)
      }
    },
  })
}

function signed(body: object): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const signature = createHmac('sha256', SECRET)
    .update(`msg_1.${timestamp}.${JSON.stringify(body)}`)
    .digest('base64')
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

const ui = { messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }] }
const agUi = { messages: [{ id: 'm1', role: 'user', content: 'Hi.' }], tools: [], context: [], state: {} }
const openAi = { model: 'greeter', stream: true }

/** The requests that are answered before their run is over. */
const REQUESTS: Readonly<Record<string, (bench: Bench) => Promise<Response>>> = {
  'a run': ({ post }) => post('/api/runs', { agent: 'greeter', prompt: 'Hi.' }),
  'a run under a key': ({ post }) =>
    post('/api/runs', { agent: 'greeter', prompt: 'Hi.' }, { 'idempotency-key': 'k1' }),
  'a graph': ({ post }) => post('/api/graphs/flow/runs', { input: { n: 1 } }),
  'a message of a conversation': async ({ post }) => {
    await post('/api/conversations', { id: 'c1', agentId: 'greeter' })
    return post('/api/conversations/c1/messages', { message: 'Hi.' })
  },
  'a message of a page': ({ post }) => post('/api/chat/greeter', { ...ui, id: 'c2' }),
  'a message of a page without an id': ({ post }) => post('/api/chat/greeter', ui),
  'a message of AG-UI': ({ post }) =>
    post('/api/ag-ui/greeter', { ...agUi, threadId: 't1', runId: 'r1', forwardedProps: {} }),
  'a chat completion': ({ post }) => post('/v1/chat/completions', { ...openAi, messages: agUi.messages }),
  'a response': ({ post }) => post('/v1/responses', { ...openAi, input: 'Hi.' }),
  'a webhook': ({ post }) => post('/hooks/mail', { hi: 1 }, signed({ hi: 1 })),
}

test.each(Object.entries(REQUESTS))('%s is in the store when the answer gives its id', async (_, request) => {
  const journal = slowJournal()
  const answer = await request(bench({ journal }))
  expect(answer.status, await refusalOf(answer)).toBeLessThan(300)
  const runs = await journal.list({ parent: null })
  expect(runs).toHaveLength(1)
  const run = answer.headers.get('x-mandate-run') ?? answer.headers.get('location')?.replace('/api/runs/', '')
  if (run !== undefined) expect(run).toBe(runs[0]!.run)
  await answer.text()
})

async function refusalOf(answer: Response): Promise<string> {
  return answer.ok ? '' : answer.clone().text()
}

describe.skipIf(!has('postgres'))('over Postgres', () => {
  test.each(['in this process', 'by workers'])(
    'runs that are driven %s are found, and their keys name them',
    async (where) => {
      const { url } = await newPlace()
      const engine = where === 'by workers' ? { engine: dbosEngine({ url }) } : {}
      const { post, journal } = bench({ store: await openPostgres({ url }), ...engine })
      const start = (key?: string): Promise<Response> =>
        post('/api/runs', { agent: 'greeter', prompt: 'Hi.' }, key === undefined ? {} : { 'idempotency-key': key })
      const keys = Array.from({ length: 6 }, (_, index) => `k${index}`)
      // Alone, at once, and twice at once.
      const first = await Promise.all([...keys, ...keys].map(start))
      const graphs = await Promise.all(keys.map((n) => post('/api/graphs/flow/runs', { input: { n: n.length } })))
      const unnamed = [await start(), await start(), ...graphs]
      for (const { status } of [...first, ...unnamed]) expect(status).toBeOneOf([201, 202])
      for (const { headers } of unnamed)
        expect(await journal.summary(headers.get('location')!.replace('/api/runs/', ''))).toBeDefined()
      // Again under the same keys: the same runs.
      const again = await Promise.all(keys.map(start))
      expect(again.map(({ headers }) => headers.get('location'))).toEqual(
        first.slice(0, keys.length).map(({ headers }) => headers.get('location')),
      )
      for (const { status } of again) expect(status).toBeOneOf([200, 202])
      expect(await journal.list({ name: 'greeter', limit: 100 })).toHaveLength(keys.length + 2)
    },
  )
})
