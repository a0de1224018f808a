import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { AgentService, kernelOf } from '../../agent/index.ts'
import type { AgentConfig } from '../../agent/index.ts'
import { memoryJournal, readAll } from '../../journal/index.ts'
import type { Journal, RunFilter } from '../../journal/index.ts'
import { scripted } from '../../model/index.ts'
import { askUser, defineTool } from '../../tool/index.ts'
import { httpServer } from '../http/http-server.ts'
import type { OutgoingHook, WebhookOptions } from './options.ts'
import { webhooks } from './webhooks.ts'
import type { Webhooks } from './webhooks.ts'

const SECRET = 'a-secret-of-the-webhooks-01'
const HOST = 'http://127.0.0.1:8080'
const owner = { id: 'hooks', roles: ['owner'] }

interface Bench {
  readonly service: AgentService
  readonly hooks: Webhooks
  fetch(path: string, init?: RequestInit): Promise<Response>
  stop(): Promise<void>
}

function open(options: WebhookOptions, agents: readonly AgentConfig[], journal: Journal = memoryJournal()): Bench {
  const service = new AgentService({ journal, agents, limits: { liveSleepMs: 0 } })
  const hooks = webhooks(service, options)
  const tokens = [{ token: 'token-of-the-owner-0001', identity: owner }]
  const server = httpServer(service, { tokens, parts: [hooks] })
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> =>
    (stopped ??= (async () => {
      await server.close()
      await service.stop()
    })())
  onTestFinished(stop)
  const fetch: Bench['fetch'] = (path, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('host', '127.0.0.1:8080')
    return server.fetch(new Request(`${HOST}${path}`, { ...init, headers }))
  }
  return { service, hooks, fetch, stop }
}

type Sent = Omit<RequestInit, 'headers'> & { readonly headers: Readonly<Record<string, string>> }

/** A delivery as the specification says, by other means than those that are tested. */
function delivery(body: string, { id = 'msg_1', secret = SECRET, at = Date.now() } = {}): Sent {
  const timestamp = String(Math.floor(at / 1_000))
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
  return { method: 'POST', body, headers }
}

interface Received {
  readonly headers: Record<string, string>
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests say what they expect of it
  readonly body: any
}

/** Somewhere outside: answers with these statuses, the last one for ever. */
async function receiver(...statuses: readonly number[]): Promise<{ readonly url: string; readonly got: Received[] }> {
  const got: Received[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (piece) => (text += String(piece)))
    request.on('end', () => {
      got.push({ headers: request.headers as Record<string, string>, text, body: JSON.parse(text) })
      response.statusCode = statuses[got.length - 1] ?? statuses.at(-1) ?? 200
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, got }
}

const until = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 10_000, interval: 5 })
const agentRuns = async ({ service }: Bench) => (await service.runs()).filter(({ mind }) => mind === 'agent')

describe('a delivery that starts a run', () => {
  const incoming = [{ name: 'tickets', secret: SECRET, identity: owner, agent: 'support' }]
  const support = (): AgentConfig => ({ id: 'support', model: scripted(() => 'Solved.') })

  test('does so once, however often and to whichever process it is delivered', async () => {
    const journal = memoryJournal()
    const first = open({ incoming }, [support()], journal)
    const [one, other] = await Promise.all([
      first.fetch('/hooks/tickets', delivery('{"ticket":7}')),
      first.fetch('/hooks/tickets', delivery('{"ticket":7}')),
    ])
    const { run } = (await one.json()) as { run: string }
    expect(((await other.json()) as { run: string }).run).toBe(run)
    // Either can be the first: their signatures are checked at once.
    expect(new Set([one.status, other.status])).toEqual(new Set([200, 202]))
    expect((await first.service.result(run)).id).toBe(run)
    await first.stop()
    const second = open({ incoming }, [support()], journal)
    const again = await second.fetch('/hooks/tickets', delivery('{"ticket":7}', { at: Date.now() + 2_000 }))
    expect([again.status, await again.json()]).toEqual([200, { status: 'duplicate', run }])
    expect(await agentRuns(second)).toHaveLength(1)
    const next = await second.fetch('/hooks/tickets', delivery('{"ticket":8}', { id: 'msg_2' }))
    expect(next.status).toBe(202)
  })

  test('is stored before it is acknowledged, in the name of its hook, as words of others', async () => {
    const bench = open({ incoming }, [support()])
    const answer = await bench.fetch('/hooks/tickets', delivery('{"ticket":7}'))
    const { run } = (await answer.json()) as { run: string }
    const [start] = await readAll(bench.service.journal, run)
    expect(start).toMatchObject({ type: 'run-start', data: { identity: owner, labels: ['untrusted:webhook'] } })
    expect(JSON.stringify(start!.data)).toContain('ticket')
  })

  test('is refused with a wrong signature, another body, another time or another name, and all look the same', async () => {
    const bench = open({ incoming }, [support()])
    const good = delivery('{"ticket":7}')
    const wrong: readonly [string, RequestInit][] = [
      ['/hooks/tickets', delivery('{"ticket":7}', { secret: 'another-secret-of-somebody' })],
      ['/hooks/tickets', { ...good, body: '{"ticket":8}' }],
      ['/hooks/tickets', { ...good, headers: { ...good.headers, 'webhook-id': 'msg_3' } }],
      ['/hooks/tickets', { ...good, headers: {} }],
      ['/hooks/tickets', delivery('{"ticket":7}', { at: Date.now() - 400_000 })],
      ['/hooks/tickets', delivery('{"ticket":7}', { at: Date.now() + 400_000 })],
      ['/hooks/others', good],
    ]
    const answers = await Promise.all(
      wrong.map(async ([path, init]) => {
        const answer = await bench.fetch(path, init)
        return `${answer.status} ${await answer.text()}`
      }),
    )
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toMatch(/^401 /)
    expect(await bench.service.runs()).toEqual([])
  })
})

describe('a delivery that wakes a run', () => {
  const asking = (): AgentConfig => ({
    id: 'asker',
    model: scripted((_request, { position }) =>
      position < 2 ? { toolCalls: [{ name: 'ask_user', input: { question: `Question ${position}?` } }] } : 'Thanks.',
    ),
    tools: [askUser()],
  })

  test('answers its question, and a repeated one does not answer the next', async () => {
    const incoming = [
      {
        name: 'replies',
        secret: SECRET,
        identity: owner,
        wake: ({ body }: { body: unknown }) => body as { run: string; answer: string },
      },
    ]
    const bench = open({ incoming }, [asking()])
    expect((await bench.service.run('asker', 'Go.', { runId: 'r' })).status).toBe('await_user')
    const [first] = await bench.service.approvals('r')
    const body = JSON.stringify({ run: 'r', answer: 'forty-two' })
    expect((await bench.fetch('/hooks/replies', delivery(body))).status).toBe(202)
    const second = await until(async () => {
      const [next] = await bench.service.approvals('r')
      expect(next?.id).not.toBe(first!.id)
      expect(next).toBeDefined()
      return next!
    })
    const again = await bench.fetch('/hooks/replies', delivery(body, { at: Date.now() + 1_000 }))
    expect(await again.json()).toMatchObject({ status: 'duplicate' })
    expect((await bench.service.approvals('r')).map(({ id }) => id)).toEqual([second.id])
    expect(JSON.stringify(await readAll(bench.service.journal, 'r'))).toContain('forty-two')
  })

  test.each([
    ['a message', { run: 'r', message: 'Hurry, please.' }, 'Hurry, please.'],
    ['an answer', { run: 'r', answer: 'forty-two' }, 'forty-two'],
  ])('brings %s once, also when its process dies before it has recorded that', async (_what, wake, said) => {
    const incoming = [{ name: 'replies', secret: SECRET, identity: owner, wake: () => wake }]
    const journal = memoryJournal()
    const dying = dyingBefore(journal, '"woken"')
    const first = open({ incoming }, [asking()], dying.journal)
    expect((await first.service.run('asker', 'Go.', { runId: 'r' })).status).toBe('await_user')
    const [question] = await first.service.approvals('r')
    const taken = await first.fetch('/hooks/replies', delivery('{}'))
    const { run } = (await taken.json()) as { run: string }
    await dying.died
    if ('answer' in wake)
      await until(async () => {
        const [next] = await first.service.approvals('r')
        expect(next).toBeDefined()
        expect(next!.id).not.toBe(question!.id)
      })
    await first.stop()
    const second = open({ incoming }, [asking()], journal)
    await kernelOf(second.service).resume(run)
    expect((await journal.summary(run))!.state).toBe('completed')
    if ('message' in wake) await second.service.answer(question!.id, 'first')
    const [next] = await until(async () => {
      const asked = await second.service.approvals('r')
      expect(asked[0]?.id ?? question!.id).not.toBe(question!.id)
      return asked
    })
    if ('message' in wake) {
      await second.service.answer(next!.id, 'second')
      await until(async () => expect((await second.service.result('r')).status).toBe('completed'))
    }
    // An answer stands in the journal as such, and as the outcome of the call that asked.
    const times = JSON.stringify(await readAll(journal, 'r')).split(said).length - 1
    expect(times).toBe('message' in wake ? 1 : 2)
  })
})

/** A store that a process can no longer write from the moment at which an entry holds this text: all that it did before is there. */
function dyingBefore(inner: Journal, text: string): { readonly journal: Journal; readonly died: Promise<void> } {
  const { promise: died, resolve } = Promise.withResolvers<void>()
  const journal = new Proxy(inner, {
    get(target, name) {
      if (name !== 'append') {
        const member: unknown = Reflect.get(target, name)
        return typeof member === 'function' ? (member as (...given: unknown[]) => unknown).bind(target) : member
      }
      const append: Journal['append'] = async (lease, expected, entries, consume) => {
        if (!entries.some((entry) => JSON.stringify(entry.data).includes(text)))
          return target.append(lease, expected, entries, consume)
        await target.release(lease)
        resolve()
        throw new Error('the process died')
      }
      return append
    },
  })
  return { journal, died }
}

const paying = (): AgentConfig => ({
  id: 'payer',
  model: scripted([{ toolCalls: [{ name: 'pay', input: { to: '<b>Eve</b>', amount: 7 } }] }, 'Paid.']),
  tools: [defineTool({ name: 'pay', risk: 'write', needsApproval: true, run: () => 'paid' })],
})
const links = { url: HOST, secret: SECRET, roles: ['owner'] }
const chat = (url: string, more: Partial<OutgoingHook> = {}): OutgoingHook => ({
  name: 'chat',
  url,
  secret: `whsec_${Buffer.from('some bytes that both sides know').toString('base64')}`,
  ...more,
})

describe('news of runs', () => {
  test('are signed, and tell of what waits and how it ended, without its content', async () => {
    const { url, got } = await receiver(200)
    const bench = open({ outgoing: [chat(url)], links }, [paying()])
    await bench.service.run('payer', 'Pay.', { runId: 'r' })
    await until(() => expect(got).toHaveLength(1))
    const [{ headers, text, body }] = got as [Received]
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
    const mac = createHmac('sha256', 'some bytes that both sides know').update(signed).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${mac}`)
    const [request] = await bench.service.approvals('r')
    expect(body).toMatchObject({ type: 'run.suspended', data: { run: 'r', name: 'payer', state: 'suspended' } })
    expect(body.data.pending).toMatchObject([{ id: request!.id, name: 'pay', hash: request!.hash }])
    expect(text).not.toContain('Eve')
    // Whoever has a link may decide, so no journal has one.
    const { run } = (await bench.service.runs()).find(({ name }) => name === 'mandate-webhook')!
    await until(async () => expect((await bench.service.journal.summary(run))!.state).toBe('completed'))
    expect(JSON.stringify(await readAll(bench.service.journal, run))).not.toContain('/approve/')
    await bench.service.approve(request!.id)
    await until(() => expect(got).toHaveLength(2))
    expect(got[1]!.body).toMatchObject({ type: 'run.completed', data: { run: 'r' } })
    expect(got[1]!.text).not.toContain('Paid')
  })

  test('have the content that was asked for, of the runs that were asked for', async () => {
    const { url, got } = await receiver(200)
    const other: AgentConfig = { id: 'other', model: scripted(['Quiet.']) }
    const outgoing = [chat(url, { content: true, agents: ['payer'], on: ['suspended'] })]
    const bench = open({ outgoing }, [paying(), other])
    await bench.service.run('other', 'Go.')
    await bench.service.run('payer', 'Pay.')
    await until(() => expect(got).toHaveLength(1))
    expect(got[0]!.body.data.pending[0].input).toEqual({ to: '<b>Eve</b>', amount: 7 })
  })

  test('are repeated until they are taken, also by another process, under the same id', async () => {
    const { url, got } = await receiver(500, 503, 200)
    const journal = memoryJournal()
    const outgoing = [chat(url, { retry: { firstMs: 30 } })]
    const first = open({ outgoing }, [paying()], journal)
    await first.service.run('payer', 'Pay.', { runId: 'r' })
    await until(() => expect(got.length).toBeGreaterThanOrEqual(1))
    await first.stop()
    const second = open({ outgoing }, [paying()], journal)
    await until(() => expect(got.length).toBe(3))
    expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    await until(async () =>
      expect((await second.service.runs({ name: 'mandate-webhook' })).map(({ state }) => state)).toEqual(['completed']),
    )
  })

  test('of what happened while no process told of it are made up for, once', async () => {
    const { url, got } = await receiver(200)
    const journal = memoryJournal()
    const silent = open({}, [paying()], journal)
    await silent.service.run('payer', 'Pay.', { runId: 'r' })
    await silent.stop()
    const outgoing = [chat(url)]
    const second = open({ outgoing }, [paying()], journal)
    await until(() => expect(got).toHaveLength(1))
    await second.stop()
    const third = open({ outgoing }, [paying()], journal)
    expect((await third.service.run('payer', 'Pay.', { runId: 'r2' })).status).toBe('await_user')
    await until(() => expect(got).toHaveLength(2))
    expect(got.map(({ body }) => body.data.run)).toEqual(['r', 'r2'])
  })

  test('are made up for, however many other deliveries there are since', async () => {
    const { url, got } = await receiver(200)
    const journal = memoryJournal()
    // A store that gives two runs at once stands for one with more deliveries than are read at once.
    const narrow = new Proxy(journal, {
      get(target, name) {
        if (name === 'list') return (filter: RunFilter) => target.list({ ...filter, limit: 2 })
        const member: unknown = Reflect.get(target, name)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
    const other: AgentConfig = { id: 'other', model: scripted(() => 'Quiet.') }
    const outgoing = [chat(url, { agents: ['other'] })]
    const first = open({ outgoing }, [paying(), other], journal)
    await first.service.run('payer', 'Pay.', { runId: 'r' })
    for (const runId of ['o1', 'o2', 'o3']) await first.service.run('other', 'Go.', { runId })
    await until(() => expect(got).toHaveLength(3))
    await first.stop()
    open({ outgoing: [chat(url, { agents: ['payer'] })] }, [paying(), other], narrow)
    await until(() => expect(got.map(({ body }) => body.data.run).at(3)).toBe('r'))
  })

  test('follow no redirect to another server, and stop when the receiver has gone for good', async () => {
    const { url, got } = await receiver(410)
    const redirecting = createServer((_request, response) => void response.writeHead(307, { location: url }).end())
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void redirecting.close())
    const place = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`
    const outgoing = [chat(place, { name: 'moved', retry: { attempts: 1 } }), chat(url, { name: 'gone' })]
    const bench = open({ outgoing }, [paying()])
    await bench.service.run('payer', 'Pay.')
    await until(async () =>
      expect((await bench.service.runs({ name: 'mandate-webhook' })).map(({ state }) => state)).toEqual([
        'failed',
        'failed',
      ]),
    )
    expect(got).toHaveLength(1)
  })
})

describe('an approval link', () => {
  async function waiting(): Promise<{ bench: Bench; path: string; id: string }> {
    const bench = open({ links }, [paying()])
    await bench.service.run('payer', 'Pay.', { runId: 'r' })
    const [request] = await bench.service.approvals('r')
    const link = await bench.hooks.approvalLink(request!, 'ana')
    expect(link.startsWith(`${HOST}/approve/`)).toBe(true)
    return { bench, path: new URL(link).pathname, id: request!.id }
  }
  const form = (text: string): Sent => ({
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: HOST },
  })

  test('shows the call and changes nothing; its page runs nothing and loads nothing', async () => {
    const { bench, path } = await waiting()
    const before = await readAll(bench.service.journal, 'r')
    const answer = await bench.fetch(path)
    const html = await answer.text()
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    expect(answer.headers.get('referrer-policy')).toBe('same-origin')
    expect(html).toContain('&lt;b&gt;Eve&lt;/b&gt;')
    expect(html).not.toMatch(/<b>Eve|<script|<style|<img|https?:/)
    expect(await readAll(bench.service.journal, 'r')).toEqual(before)
  })

  test('decides once, in the name of whom it was made for', async () => {
    const { bench, path } = await waiting()
    expect((await bench.fetch(path, form('decision=maybe'))).status).toBe(400)
    expect((await bench.fetch(path, form('decision=approve&reason=It+is+fine.'))).status).toBe(200)
    await until(async () => expect((await bench.service.journal.summary('r'))!.state).toBe('completed'))
    const response = (await readAll(bench.service.journal, 'r')).find(({ type }) => type === 'approval-response')
    expect(response).toMatchObject({ data: { answer: 'approve', by: { id: 'ana' } } })
    expect((await bench.fetch(path, form('decision=reject'))).status).toBe(410)
    expect((await bench.fetch(path)).status).toBe(410)
  })

  test('rejects as well', async () => {
    const { bench, path } = await waiting()
    expect((await bench.fetch(path, form('decision=reject'))).status).toBe(200)
    await until(async () => expect((await bench.service.journal.summary('r'))!.state).toBe('completed'))
    expect(JSON.stringify(await readAll(bench.service.journal, 'r'))).not.toContain('"paid"')
  })

  test('is refused when it was changed, has expired, is about another call, or comes from a page of another site', async () => {
    const { bench, path, id } = await waiting()
    const [head, token] = ['/approve/', path.slice('/approve/'.length)]
    const [said, signature] = token.split('.') as [string, string]
    const other = Buffer.from(said, 'base64url').toString().replace('ana', 'eve')
    const forged = `${head}${Buffer.from(other).toString('base64url')}.${signature}`
    expect((await bench.fetch(forged, form('decision=approve'))).status).toBe(403)
    expect((await bench.fetch(`${head}${said}`)).status).toBe(403)
    const expired = await bench.hooks.approvalLink({ id, hash: 'x', expiresAt: 1 } as never)
    expect((await bench.fetch(new URL(expired).pathname, form('decision=approve'))).status).toBe(410)
    const moved = await bench.hooks.approvalLink({ id, hash: 'x', expiresAt: Date.now() + 60_000 } as never)
    expect((await bench.fetch(new URL(moved).pathname, form('decision=approve'))).status).toBe(404)
    const foreign = { ...form('decision=approve'), headers: { ...form('').headers, origin: 'https://evil.example' } }
    expect((await bench.fetch(path, foreign)).status).toBe(403)
    expect(await bench.service.approvals('r')).toHaveLength(1)
  })
})
