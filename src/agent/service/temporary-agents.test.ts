import { kernelOf } from '../../run/index.ts'
import { expect, it } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { ManualClock } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import { calls, lastResults, model, tool } from '../agent.fixture.ts'
import { AgentService } from './service.ts'

const bob: Identity = { id: 'bob', roles: ['maker'] }
const mandate = { roles: { maker: ['create-agent', 'run-agent', 'register-tool', 'approve'] } } as const

function hosted(): { service: AgentService; clock: ManualClock } {
  const clock = manualClock(1_000)
  return { service: new AgentService({ mandate, clock }), clock }
}

it('a temporary agent runs for its owner alone', async () => {
  const { service } = hosted()
  const made = service.createOnDemand({ config: { model: model(['Hello.']) }, owner: bob, ttlMs: 500 })
  expect(made).toMatchObject({ owner: bob, expiresAt: 1_500 })
  expect(made.spec.id).toMatch(/^agent_/)
  expect(await service.run(made.spec.id, 'Hello?', { identity: bob })).toMatchObject({ text: 'Hello.' })
  const eve: Identity = { id: 'eve', roles: ['owner'] }
  await expect(service.run(made.spec.id, 'Hello?', { identity: eve })).rejects.toThrow(/made for "bob" alone/)
  await expect(service.run(made.spec.id, 'Hello?')).rejects.toMatchObject({ code: 'DENIED' })
})

it('once its time is over it is refused and gone, and its runs can still be read', async () => {
  const { service, clock } = hosted()
  const { spec } = service.createOnDemand({
    config: { id: 'brief', model: model(['Hello.']) },
    owner: bob,
    ttlMs: 500,
  })
  const { id } = await service.run('brief', 'Hello?', { identity: bob })
  clock.advance(500)
  await expect(service.run('brief', 'Hello?', { identity: bob })).rejects.toMatchObject({
    code: 'EXPIRED',
    message: expect.stringContaining('1970-01-01T00:00:01.500Z') as string,
  })
  expect(() => service.createSession('brief', { identity: bob })).toThrow(expect.objectContaining({ code: 'EXPIRED' }))
  expect((await service.health()).agents).toEqual([])
  expect(kernelOf(service).registry.mind('agent', spec.id)).toBeUndefined()
  expect(await service.result(id)).toMatchObject({ status: 'completed', text: 'Hello.' })
  expect(await service.verify(id)).toMatchObject({ ok: true })
})

it('a run that waits when its time is over is not resumed', async () => {
  const { service, clock } = hosted()
  const send = tool('send', () => 'sent', { needsApproval: true })
  const config = { id: 'brief', model: model([calls('send'), 'Sent.']), tools: [send] }
  service.createOnDemand({ config, owner: bob, ttlMs: 500 })
  const { id, status } = await service.run('brief', 'Send it.', { identity: bob })
  expect(status).toBe('await_user')
  clock.advance(600)
  await expect(service.resume(id)).rejects.toMatchObject({ code: 'EXPIRED' })
})

it('its runs have no more time than it has', async () => {
  const { service } = hosted()
  service.createOnDemand({ config: { id: 'brief', model: model(['Hello.']) }, owner: bob, ttlMs: 500 })
  const { id } = await service.run('brief', 'Hello?', { identity: bob, budget: { timeMs: 9_000, steps: 3 } })
  for await (const { data } of service.entries(id)) {
    expect(data).toMatchObject({ budget: { timeMs: 500, steps: 3 } })
    break
  }
})

it('nothing is destroyed by it, approved or not', async () => {
  const { service } = hosted()
  const mind = model([calls('wipe'), 'Not done.'])
  const wipe = tool('wipe', () => 'gone', { risk: 'destructive' })
  service.createOnDemand({ config: { id: 'brief', model: mind, tools: [wipe] }, owner: bob, ttlMs: 500 })
  expect(service.agent('brief').mandate.riskMax).toBe('exec')
  expect(await service.run('brief', 'Wipe it.', { identity: bob })).toMatchObject({ status: 'completed' })
  expect(lastResults(mind.requests[1]!)).toMatchObject([{ status: 'denied' }])
  const strict = { id: 'strict', model: mind, mandate: { riskMax: 'read' } } as const
  expect(service.createOnDemand({ config: strict, owner: bob, ttlMs: 1 }).spec.mandate.riskMax).toBe('read')
})

it('another agent cannot lend it to someone else', async () => {
  const { service } = hosted()
  const brief = model(['Hello.'], { name: 'brief' })
  service.createOnDemand({ config: { id: 'brief', model: brief }, owner: bob, ttlMs: 500 })
  const ask = calls({ name: 'brief', input: { prompt: 'Hello?' } })
  service.register({ id: 'lender', model: model([ask, 'Done.', ask, 'Done.'], { name: 'lender' }), agents: ['brief'] })
  await service.run('lender', 'Ask it.')
  expect(brief.requests).toHaveLength(0)
  await service.run('lender', 'Ask it.', { identity: bob })
  expect(brief.requests).toHaveLength(1)
})

it('the same name can be used again once it is free, and a time that cannot be meant is refused', async () => {
  const { service, clock } = hosted()
  const make = (ttlMs: number): unknown =>
    service.createOnDemand({ config: { id: 'brief', model: model(['Hi.']) }, owner: bob, ttlMs })
  make(10)
  expect(() => make(10)).toThrow(expect.objectContaining({ code: 'DUPLICATE' }))
  clock.advance(10)
  make(10)
  expect(await service.run('brief', 'Hello?', { identity: bob })).toMatchObject({ status: 'completed' })
  for (const ttlMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) expect(() => make(ttlMs)).toThrow(/`ttlMs`/)
})
