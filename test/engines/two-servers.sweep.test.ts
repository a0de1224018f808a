import { createHmac } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import type { AgentConfig } from '../../src/agent/index.ts'
import { systemRandom } from '../../src/core/index.ts'
import { dbosEngine, localEngine, restateEngine } from '../../src/engine/index.ts'
import { scripted } from '../../src/model/index.ts'
import type { Engine } from '../../src/run/index.ts'
import { httpServer, webhooks } from '../../src/server/index.ts'
import { postgresJournal } from '../../src/store/postgres/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'

const SECRET = 'a-secret-of-the-webhooks-01'
const TOKEN = 'token-of-the-owner-0001'
const owner = { id: 'hooks', roles: ['owner'] }
const HOST = 'http://127.0.0.1:8080'

type Fetch = (path: string, init: RequestInit) => Promise<Response>

/** The engines of two servers and of whoever drives runs for them; where servers drive runs themselves there is nobody else. */
interface Engines {
  server(): Engine
  worker?: () => Engine
}

async function enginesOf(kind: string, store: string, schema: string): Promise<Engines> {
  if (kind === 'local') return { server: () => localEngine() }
  const url = `${store}?schema=${schema}`
  if (kind === 'dbos') return { server: () => dbosEngine({ url }), worker: () => dbosEngine({ url, role: 'worker' }) }
  const [ingress, admin] = (await sharedServer('restate')).split('#') as [string, string]
  const shared = { store, schema, ingress }
  return { server: () => restateEngine(shared), worker: () => restateEngine({ ...shared, admin, worker: {} }) }
}

/** Two servers over one database, and what the agents behind them have done. */
interface Opened {
  readonly servers: readonly Fetch[]
  readonly services: readonly AgentService[]
  readonly done: readonly string[]
  /** From now on there is someone who drives runs. */
  work(): Promise<void>
}

async function open(kind: string): Promise<Opened> {
  const store = await sharedServer('postgres')
  const schema = `t_${systemRandom.hex(8)}`
  const engines = await enginesOf(kind, store, schema)
  const done: string[] = []
  const pay = defineTool({
    name: 'pay',
    risk: 'write',
    run: () => {
      done.push('paid')
      return 'paid'
    },
  })
  const agents = (): readonly AgentConfig[] => [
    { id: 'payer', model: scripted([{ toolCalls: [{ name: 'pay', input: {} }] }, 'Paid.']), tools: [pay] },
    {
      id: 'asker',
      model: scripted([{ toolCalls: [{ name: 'pay', input: {} }] }, 'Paid.']),
      tools: [{ ...pay, needsApproval: true }],
    },
  ]
  const join = async (engine: Engine): Promise<AgentService> => {
    const journal = postgresJournal({ url: store, schema })
    const service = new AgentService({ journal, agents: agents(), engine })
    onTestFinished(async () => {
      await service.stop()
      await journal.close()
    })
    await service.start()
    return service
  }
  const services = [await join(engines.server()), await join(engines.server())]
  const servers = services.map((service): Fetch => {
    const incoming = ['payer', 'asker'].map((agent) => ({ name: agent, secret: SECRET, identity: owner, agent }))
    const hooks = webhooks(service, { incoming })
    const server = httpServer(service, { tokens: [{ token: TOKEN, identity: owner }], parts: [hooks] })
    onTestFinished(() => void server.close())
    return (path, init) => {
      const headers = new Headers(init.headers)
      headers.set('host', '127.0.0.1:8080')
      return server.fetch(new Request(`${HOST}${path}`, { ...init, headers }))
    }
  })
  const work = async (): Promise<void> => {
    if (engines.worker !== undefined) await join(engines.worker())
  }
  return { servers, done, services, work }
}

function delivery(body: string, id: string): RequestInit {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const signature = createHmac('sha256', SECRET).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
  return { method: 'POST', body, headers }
}

/** The same request four times, to each of the servers, all at once. */
function everywhere<T>(servers: readonly Fetch[], ask: (server: Fetch) => Promise<T>): Promise<T[]> {
  return Promise.all(servers.flatMap((server) => [1, 2, 3, 4].map(() => ask(server))))
}

const ENGINES = ['local', 'dbos', 'restate']

describe.each(ENGINES)('two servers over one database, with the engine %s', (kind) => {
  const canRun = has('postgres') && (kind !== 'restate' || has('restate'))

  test.skipIf(!canRun)('a delivery that comes to both of them, many times at once, acts once', async () => {
    const { servers, done, services, work } = await open(kind)
    await work()
    const answers = await everywhere(servers, async (server) => {
      const answer = await server('/hooks/payer', delivery('{"amount":1}', 'msg_1'))
      return { run: ((await answer.json()) as { run: string }).run, status: answer.status }
    })
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 202)).toEqual([])
    expect(new Set(answers.map(({ run }) => run)).size).toBe(1)
    const { run } = answers[0]!
    await expect.poll(async () => (await services[0]!.journal.summary(run))?.state).toBe('completed')
    expect(done).toEqual(['paid'])
    const late = await servers[1]!('/hooks/payer', delivery('{"amount":1}', 'msg_1'))
    expect(await late.json()).toEqual({ status: 'duplicate', run })
    expect(done).toEqual(['paid'])
  })

  test.skipIf(!canRun)('an approval that is given at both of them, many times at once, acts once', async () => {
    const { servers, done, services, work } = await open(kind)
    // Before anybody drives runs: the sender is told as soon as the store has it.
    const { run } = (await (await servers[0]!('/hooks/asker', delivery('{"amount":2}', 'msg_2'))).json()) as {
      run: string
    }
    await work()
    await expect.poll(async () => (await services[1]!.approvals(run)).length).toBe(1)
    const [request] = await services[1]!.approvals(run)
    const init = { method: 'POST', headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' } }
    const place = `/api/approvals/${encodeURIComponent(request!.id)}/approve`
    const statuses = await everywhere(servers, async (server) => {
      const answer = await server(place, { ...init, body: JSON.stringify({ hash: request!.hash }) })
      return `${answer.status} ${await answer.text()}`
    })
    expect(statuses).toContainEqual(expect.stringMatching(/^200 /))
    await expect.poll(async () => (await services[0]!.journal.summary(run))?.state).toBe('completed')
    expect(done).toEqual(['paid'])
  })
})
