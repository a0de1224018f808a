import { describe, expect, it } from 'vitest'
import { isErased } from '../../journal/index.ts'
import { calls, host, model, tool } from '../agent.fixture.ts'
import { ServiceAs } from './service-as.ts'
import { AgentService } from './service.ts'

const ana = { id: 'ana', roles: ['operator'] }
const rob = { id: 'rob', roles: ['reviewer'] }
const eve = { id: 'eve', roles: ['operator'] }
const mandate = {
  roles: { operator: ['run-agent'], reviewer: ['approve', 'read-journal'], owner: ['create-agent', 'register-tool'] },
} as const

function world(): AgentService {
  const send = tool('send', () => 'sent', { risk: 'destructive' })
  return host({ model: model([calls('send'), 'Done.', 'Hello again.']), tools: [send] }, { mandate })
}

/** What belongs to the process that holds the service. */
const OF_THE_PROCESS = ['constructor', 'as', 'agent', 'health', 'journal', 'start', 'stop']

/** All methods of an object that take a limited number of arguments. */
function operations(view: ServiceAs): string[] {
  const names: string[] = []
  for (let one: object = Object.getPrototypeOf(view); one !== Object.prototype; one = Object.getPrototypeOf(one))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(one)))
      if (typeof value === 'function' && name !== 'constructor' && name !== 'check') names.push(name)
  return names
}

describe('the service as one identity sees it', () => {
  it('has every operation of the service, and nothing of the process', () => {
    const own = Object.getOwnPropertyNames(AgentService.prototype).filter((name) => !OF_THE_PROCESS.includes(name))
    const shared = Object.getOwnPropertyNames(ServiceAs.prototype)
    expect(shared).toEqual(expect.arrayContaining(own))
    expect(shared.filter((name) => OF_THE_PROCESS.includes(name))).toEqual(['constructor'])
  })

  it('acts in that name alone: starts, shows, refuses, answers', async () => {
    const service = world()
    const waiting = await service.as(ana).run('main', 'Go.')
    expect(waiting.pending).toMatchObject([{ name: 'send' }])
    expect((await service.as(ana).runs()).map(({ run }) => run)).toEqual([waiting.id])
    expect(await service.as(eve).runs()).toEqual([])
    await expect(service.as(eve).result(waiting.id)).rejects.toMatchObject({ code: 'DENIED' })
    await expect(service.as(eve).cancel(waiting.id)).rejects.toMatchObject({ code: 'DENIED' })
    const { approvalId } = waiting.pending[0]!
    await expect(service.as(ana).approve(approvalId!)).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
    await service.as(rob).approve(approvalId!)
    expect(await service.as(ana).resume(waiting.id)).toMatchObject({ status: 'completed', text: 'Done.' })
    const names: string[] = []
    for await (const entry of service.as(rob).entries(waiting.id)) {
      if (isErased(entry)) continue
      if (entry.type === 'run-start') names.push(entry.data.identity.id)
      if (entry.type === 'approval-response') names.push(entry.data.by.id)
    }
    expect(names).toEqual(['ana', 'rob'])
  })

  it('refuses arguments that an operation does not take: an identity would be dropped, and the owner act in its place', async () => {
    const service = world()
    const waiting = await service.as(ana).run('main', 'Go.')
    const { approvalId } = waiting.pending[0]!
    const refused = { code: 'INPUT_INVALID', message: expect.stringContaining('service.as(identity)') as string }
    for (const view of [service, service.as(rob)] as const) {
      const loose = view as unknown as Record<string, (...args: unknown[]) => unknown>
      await expect(loose['reject']!(approvalId, 'no', eve)).rejects.toMatchObject(refused)
      await expect(loose['cancel']!(waiting.id, 'no', eve)).rejects.toMatchObject(refused)
      expect(() => loose['run']!('main', 'Go.', {}, eve)).toThrow(expect.objectContaining(refused))
      await expect((view.schedules as unknown as typeof loose)['list']!(eve)).rejects.toMatchObject(refused)
      for (const name of operations(view)) {
        const told = await Promise.resolve()
          .then(() => loose[name]!(1, 2, 3, 4))
          .catch((error: unknown) => error)
        expect(told, name).toMatchObject(refused)
      }
    }
    expect(await service.as(rob).approvals()).toHaveLength(1)
  })

  it('refuses options that name someone else', async () => {
    const view = world().as(ana)
    const asRob = { identity: rob } as object
    const refused = { code: 'INPUT_INVALID', message: expect.stringContaining('service.as') as string }
    expect(() => view.run('main', 'Go.', asRob)).toThrow(expect.objectContaining(refused))
    expect(() => view.createSession('main', asRob)).toThrow(expect.objectContaining(refused))
    expect(() => view.resume('run_1', asRob)).toThrow(expect.objectContaining(refused))
    await expect(view.approve('run_1-ap3', { by: rob } as object)).rejects.toMatchObject(refused)
    expect(() => view.entries('run_1', { by: rob } as object)).toThrow(expect.objectContaining(refused))
    await expect(view.createSession('main').run('Go.', asRob)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  })

  it('refuses what is no identity, and keeps its own when the caller changes the object', async () => {
    const service = world()
    expect(() => service.as({ id: 'x' } as never)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }))
    const given = { id: 'ana', roles: ['operator'] }
    const view = service.as(given)
    given.id = 'rob'
    given.roles.push('reviewer')
    expect(() => (view.identity.roles as string[]).push('reviewer')).toThrow(TypeError)
    await expect(view.audit()).rejects.toMatchObject({ code: 'DENIED' })
    const { id } = await view.run('main', 'Go.')
    expect((await service.as(ana).runs()).map(({ run }) => run)).toEqual([id])
  })
})

it('a session is open to whoever began it, and to nobody else, whatever their roles', async () => {
  const service = host({ model: model(['Hello.']) })
  const first = service.as({ id: 'ana', roles: ['owner'] })
  await first.run('main', 'Hello?', { sessionId: 'hers' })
  await expect(first.checkSession('hers')).resolves.toBeUndefined()
  const other = service.as({ id: 'ben', roles: ['owner'] })
  await expect(other.checkSession('hers')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('nobody enters the session of another, by whatever they start a run', async () => {
  const said = model(['Hello.', 'Hello.', 'Hello.'])
  const service = host({ model: said })
  const [first, other] = [service.as({ id: 'ana', roles: ['owner'] }), service.as({ id: 'ben', roles: ['owner'] })]
  await first.run('main', 'Hello?', { sessionId: 'hers' })
  const refused = { code: 'NOT_FOUND', message: expect.stringContaining('no session "hers" of "ben"') as string }
  await expect(other.run('main', 'And I?', { sessionId: 'hers' })).rejects.toMatchObject(refused)
  await expect(other.runOnce('main', { prompt: 'And I?', sessionId: 'hers' })).rejects.toMatchObject(refused)
  await expect(other.createSession('main', { sessionId: 'hers' }).run('And I?')).rejects.toMatchObject(refused)
  // A run without a session is in the one of its own id.
  await expect(other.run('main', 'And I?', { runId: 'hers' })).rejects.toMatchObject(refused)
  await expect(service.run('main', 'And I?', { sessionId: 'hers', identity: other.identity })).rejects.toMatchObject(
    refused,
  )
  expect(await first.createSession('main', { sessionId: 'hers' }).run('Again.')).toMatchObject({ status: 'completed' })
  expect((await service.runs()).length).toBe(2)
})
