import { describe, expect, test } from 'vitest'
import { calls, host, model, tool } from '../../src/agent/agent.fixture.ts'
import type { AgentConfig, AgentService } from '../../src/agent/index.ts'
import { memoryJournal } from '../../src/journal/index.ts'
import type { Identity, Journal } from '../../src/journal/index.ts'
import { journalWith } from '../../src/run/kernel/kernel.fixture.ts'
import { settled } from './settled.ts'
import { stuck } from './waits.ts'

const SHORT_MS = 60
const LONG_MS = 600_000

const agent = (): AgentConfig => ({
  model: model([calls('act'), 'Done.']),
  tools: [tool('act', () => 1, { needsApproval: true })],
})

/** A store with a run `r` that waits for an approval, of which some members do not answer. */
async function stalling(members: readonly (keyof Journal)[]): Promise<{ journal: Journal; request: string }> {
  const journal = memoryJournal()
  const first = host(agent(), { journal })
  await first.run('main', 'Go.', { runId: 'r' })
  const [request] = await first.approvals()
  await first.stop()
  const never = (): Promise<never> => stuck().call()
  const read = (): AsyncIterable<never> => ({ [Symbol.asyncIterator]: () => ({ next: never }) })
  const dead = members.map((name) => [name, name === 'read' ? read : never])
  return { journal: journalWith(journal, Object.fromEntries(dead) as Partial<Journal>), request: request!.id }
}

/** What people and hosts ask of a store, and the member of the store that stalls it. */
const QUESTIONS: readonly {
  readonly name: string
  readonly members: readonly (keyof Journal)[]
  ask(service: AgentService, request: string): Promise<unknown>
}[] = [
  ...(['summary', 'acquire', 'read', 'signals', 'list'] as const).map((member) => ({
    name: `resume() with \`${member}\``,
    members: [member],
    ask: (service: AgentService) => service.resume('r'),
  })),
  { name: 'approve() with `signal`', members: ['signal'], ask: (service, request) => service.approve(request) },
  { name: 'approve() with `read`', members: ['read'], ask: (service, request) => service.approve(request) },
  { name: 'steer() with `signal`', members: ['signal'], ask: (service) => service.steer('r', 'Listen.') },
  { name: 'approvals() with `list`', members: ['list'], ask: (service) => service.approvals() },
  { name: 'runs() with `list`', members: ['list'], ask: (service) => service.runs() },
  { name: 'result() with `read`', members: ['read'], ask: (service) => service.result('r') },
  { name: 'messages() with `read`', members: ['read'], ask: (service) => service.messages('r') },
  { name: 'fork() with `read`', members: ['read'], ask: (service) => service.fork('r') },
  { name: 'replay() with `read`', members: ['read'], ask: (service) => service.replay('r') },
]

describe.concurrent.each(QUESTIONS)('$name that does not answer', ({ members, ask }) => {
  test('fails after the time of a lease, and says what the store did not answer', async (context) => {
    const { journal, request } = await stalling(members)
    const service = host(agent(), { journal, limits: { leaseMs: SHORT_MS, stopTimeoutMs: SHORT_MS } })
    context.onTestFinished(async () => void (await service.stop()))
    const outcome = await settled(ask(service, request).catch((error: unknown) => error))
    expect(outcome).toMatchObject({ code: 'STORE_FAILED', message: expect.stringContaining(`\`${members[0]}\``) })
    expect(outcome).toMatchObject({ message: expect.stringContaining('limits.leaseMs') })
  })
})

test('verify() with `read` that does not answer names the store among the problems', async () => {
  const { journal } = await stalling(['read'])
  const service = host(agent(), { journal, limits: { leaseMs: SHORT_MS } })
  const problems = [expect.stringContaining('The store did not answer `read`')]
  expect(await settled(service.verify('r'))).toMatchObject({ ok: false, problems })
  await service.stop()
})

describe.concurrent('cancel()', () => {
  test.each([['summary'], ['signal']] as const)(
    'with `%s` that does not answer fails after `stopTimeoutMs`',
    async (member) => {
      const { journal } = await stalling([member])
      const service = host(agent(), { journal, limits: { leaseMs: LONG_MS, stopTimeoutMs: SHORT_MS } })
      const outcome = await settled(service.cancel('r').catch((error: unknown) => error))
      expect(outcome).toMatchObject({
        code: 'STORE_FAILED',
        message: expect.stringMatching(/The store did not answer.*limits\.stopTimeoutMs.*"r" was cancelled.*again/),
      })
      await service.stop()
    },
  )

  /** A run that is in the middle of a tool call when its store stops answering questions. */
  async function running(
    roles: readonly string[],
  ): Promise<{ service: AgentService; cut: Promise<void>; by: Identity }> {
    const called = Promise.withResolvers<void>()
    const cut = Promise.withResolvers<void>()
    const slow = tool('act', (_input, { signal }) => {
      called.resolve()
      signal.addEventListener('abort', () => cut.resolve())
      return stuck().call()
    })
    const journal = journalWith(memoryJournal(), { summary: () => stuck().call() })
    const limits = { leaseMs: LONG_MS, stopTimeoutMs: SHORT_MS, cancelGraceMs: 30 }
    const service = host({ model: model([calls('act'), 'Done.']), tools: [slow] }, { journal, limits })
    service.run('main', 'Go.', { runId: 'r' }).catch(() => {})
    await called.promise
    return { service, cut: cut.promise, by: { id: 'ann', roles } }
  }

  test('still cuts a run of this process', async () => {
    const { service, cut, by } = await running(['owner'])
    const outcome = await settled(
      service
        .as(by)
        .cancel('r', 'enough')
        .catch((error: unknown) => error),
    )
    expect(outcome).toMatchObject({ code: 'STORE_FAILED', message: expect.stringContaining('was cut') })
    expect(await settled(cut)).toBeUndefined()
    await service.stop()
  })

  test('cuts nothing for an identity that may not cancel', async () => {
    const { service, cut, by } = await running([])
    const outcome = await settled(
      service
        .as(by)
        .cancel('r', 'enough')
        .catch((error: unknown) => error),
    )
    expect(outcome).toMatchObject({ code: 'STORE_FAILED', message: expect.not.stringContaining('was cut') })
    expect(await Promise.race([cut.then(() => 'cut'), Promise.resolve('under way')])).toBe('under way')
    await service.stop()
  })
})

test('a run that is cut while its store gives no lease ends after `stopTimeoutMs`', async () => {
  const { call, reached } = stuck()
  const journal = journalWith(memoryJournal(), { acquire: call })
  const service = host(agent(), { journal, limits: { leaseMs: LONG_MS, stopTimeoutMs: SHORT_MS } })
  const run = service.run('main', 'Go.')
  const result = run.catch((error: unknown) => error)
  await reached
  void run.cancel('enough')
  expect(await settled(result)).toMatchObject({ code: 'STORE_FAILED', message: expect.stringContaining('was cut') })
  await service.stop()
})

test('a read that goes on is not cut, however long it takes as a whole', async () => {
  const inner = memoryJournal()
  const first = host(agent(), { journal: inner })
  await first.run('main', 'Go.', { runId: 'r' })
  await first.stop()
  const limitMs = 40
  async function* slowly(...given: Parameters<Journal['read']>): ReturnType<Journal['read']> & AsyncGenerator<never> {
    for await (const entry of inner.read(...given)) {
      await new Promise((resolve) => setTimeout(resolve, limitMs / 4))
      yield entry as never
    }
  }
  const service = host(agent(), { journal: journalWith(inner, { read: slowly }), limits: { leaseMs: limitMs } })
  expect(await service.result('r')).toMatchObject({ status: 'await_user' })
  await service.stop()
})
