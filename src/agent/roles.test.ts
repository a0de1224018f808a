import { describe, expect, it } from 'vitest'
import { MandateError } from '../core/index.ts'
import { PERMISSIONS } from '../gate/index.ts'
import type { Mandate, Permission } from '../gate/index.ts'
import { headSigner } from '../journal/index.ts'
import type { Identity } from '../journal/index.ts'
import { inMemoryPrompts } from '../memory/index.ts'
import { calls, model, tool } from './agent.fixture.ts'
import { ServiceAs } from './service/service-as.ts'
import { AgentService } from './service/service.ts'

/** One role for each permission, and one that may do nothing. */
const mandate: Mandate = {
  roles: { ...Object.fromEntries(PERMISSIONS.map((permission) => [permission, [permission]])), guest: [] },
}
const owner: Identity = { id: 'ana', roles: ['owner'] }
const { privateKey } = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])

/** A host with a run that is over, one that waits for an approval, and one that waits for an answer; all of them ana's. */
interface World {
  readonly service: AgentService
  readonly done: string
  readonly waiting: string
  readonly approval: string
}

async function world(): Promise<World> {
  const send = tool('send', () => 'sent', { risk: 'destructive' })
  const service = new AgentService({
    mandate,
    identity: owner,
    promptStore: inMemoryPrompts(),
    signer: headSigner({ privateKey, keyId: 'k' }),
    agents: [
      { id: 'greeter', model: model(['Hello.'], { name: 'greeter' }) },
      { id: 'sender', model: model([calls('send'), 'Sent.'], { name: 'sender' }), tools: [send] },
      { id: 'unwanted', model: model(['Hello.'], { name: 'unwanted' }) },
    ],
  })
  const done = await service.run('greeter', 'Hello?')
  const waiting = await service.run('sender', 'Send it.')
  return { service, done: done.id, waiting: waiting.id, approval: (await service.approvals())[0]!.id }
}

interface Operation {
  /** All of these are needed; for `seen` ones, any of them. */
  readonly needs: readonly Permission[]
  /** Does it; for operations that only show what one may see, whether anything was seen. */
  attempt(world: World, by: Identity): unknown
  readonly shows?: boolean
}

async function drain(lines: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of lines);
}

const fresh = { id: 'fresh', model: model(['Hello.'], { name: 'fresh' }) }
const type = { name: 'fresh', description: 'New.', config: { model: fresh.model } }
const daily = { id: 'daily', cron: '0 9 * * *', agent: 'greeter', prompt: 'Hello?' }

/** Every operation that someone may ask for in their own name. */
const OPERATIONS: { readonly [name: string]: Operation } = {
  register: { needs: ['create-agent'], attempt: ({ service }, by) => service.as(by).register(fresh) },
  'register, with tools': {
    needs: ['create-agent', 'register-tool'],
    attempt: ({ service }, by) => service.as(by).register({ ...fresh, tools: [tool('look')] }),
  },
  registerType: { needs: ['create-agent'], attempt: ({ service }, by) => service.as(by).registerType(type) },
  createOnDemand: {
    needs: ['create-agent'],
    attempt: ({ service }, by) => service.createOnDemand({ config: fresh, owner: by, ttlMs: 1_000 }),
  },
  unregister: { needs: ['create-agent'], attempt: ({ service }, by) => service.as(by).unregister('unwanted') },
  registerTool: { needs: ['register-tool'], attempt: ({ service }, by) => service.as(by).registerTool(tool('look')) },
  putPrompt: {
    needs: ['change-prompt'],
    attempt: ({ service }, by) => service.as(by).putPrompt({ id: 'greeting', text: 'Hello.' }),
  },
  labelPrompt: {
    needs: ['change-prompt'],
    attempt: ({ service }, by) => service.as(by).labelPrompt('greeting', 'production', '1'),
  },
  promptVersions: {
    needs: ['change-prompt', 'read-journal'],
    shows: true,
    attempt: ({ service }, by) =>
      service
        .as(by)
        .promptVersions('greeting')
        .then(() => true),
  },
  setPolicy: { needs: ['change-policy'], attempt: ({ service }, by) => service.as(by).setPolicy({ deny: ['send'] }) },
  prompts: {
    needs: ['change-prompt', 'read-journal'],
    shows: true,
    attempt: ({ service }, by) =>
      service
        .as(by)
        .prompts({})
        .then(() => true),
  },
  prompt: {
    needs: ['change-prompt', 'read-journal'],
    shows: true,
    attempt: ({ service }, by) =>
      service
        .as(by)
        .prompt('greeting')
        .then(() => true),
  },
  policy: {
    needs: ['change-policy', 'read-journal'],
    shows: true,
    attempt: ({ service }, by) => service.as(by).policy() !== undefined,
  },
  explain: {
    needs: ['change-policy', 'read-journal'],
    shows: true,
    attempt: ({ service }, by) =>
      service
        .as(by)
        .explain({ name: 'send', input: {} })
        .then(() => true),
  },
  agents: {
    needs: ['run-agent'],
    shows: true,
    attempt: ({ service }, by) => service.as(by).agents().length > 0,
  },
  check: { needs: ['cancel'], attempt: ({ service }, by) => service.as(by).check('cancel') },
  createSession: {
    needs: ['run-agent'],
    attempt: ({ service }, identity) => service.createSession('greeter', { identity }),
  },
  run: { needs: ['run-agent'], attempt: ({ service }, identity) => service.run('greeter', 'Hello?', { identity }) },
  runOnce: {
    needs: ['run-agent'],
    attempt: ({ service }, identity) => service.runOnce('greeter', { prompt: 'Hello?', identity }),
  },
  resume: {
    needs: ['run-agent', 'read-journal'],
    attempt: ({ service, waiting }, identity) => service.resume(waiting, { identity }),
  },
  result: { needs: ['read-journal'], attempt: ({ service, done }, by) => service.as(by).result(done) },
  summary: { needs: ['read-journal'], attempt: ({ service, done }, by) => service.as(by).summary(done) },
  messages: { needs: ['read-journal'], attempt: ({ service, done }, by) => service.as(by).messages(done) },
  entries: { needs: ['read-journal'], attempt: ({ service, done }, by) => drain(service.as(by).entries(done)) },
  export: { needs: ['read-journal'], attempt: ({ service, done }, by) => drain(service.as(by).export(done)) },
  replay: { needs: ['read-journal'], attempt: ({ service, done }, by) => service.as(by).replay(done) },
  verify: { needs: ['read-journal'], attempt: ({ service, done }, by) => service.as(by).verify(done, {}) },
  audit: { needs: ['read-journal'], attempt: ({ service }, by) => service.as(by).audit({}) },
  signedHead: { needs: ['read-journal'], attempt: ({ service, done }, by) => service.as(by).signedHead(done) },
  fork: {
    needs: ['run-agent', 'read-journal'],
    attempt: ({ service, done }, by) => service.as(by).fork(done, {}),
  },
  cancel: { needs: ['cancel'], attempt: ({ service, waiting }, by) => service.as(by).cancel(waiting, 'enough') },
  steer: {
    needs: ['run-agent', 'read-journal'],
    attempt: ({ service, waiting }, by) => service.as(by).steer(waiting, 'Hurry.'),
  },
  oversight: { needs: ['read-journal'], attempt: ({ service, done }, by) => service.as(by).oversight(done) },
  resetOversight: { needs: ['approve'], attempt: ({ service, waiting }, by) => service.as(by).resetOversight(waiting) },
  'schedules, put': { needs: ['run-agent'], attempt: ({ service }, by) => service.as(by).schedules.put(daily) },
  'schedules, list': {
    needs: ['read-journal'],
    shows: true,
    attempt: async ({ service }, by) => {
      await service.schedules.put(daily)
      return (await service.as(by).schedules.list()).length > 0
    },
  },
  'schedules, remove': {
    needs: ['cancel'],
    attempt: async ({ service }, by) => {
      await service.schedules.put(daily)
      await service.as(by).schedules.remove('daily')
    },
  },
  runs: {
    needs: ['read-journal'],
    shows: true,
    attempt: async ({ service }, by) => (await service.as(by).runs({})).length > 0,
  },
  approvals: {
    needs: ['read-journal', 'approve'],
    shows: true,
    attempt: async ({ service }, by) => (await service.as(by).approvals(undefined)).length > 0,
  },
  inbox: {
    needs: ['read-journal', 'approve'],
    shows: true,
    attempt: async ({ service }, by) => (await service.as(by).inbox({})).requests.length > 0,
  },
  approval: {
    needs: ['read-journal', 'approve'],
    shows: true,
    attempt: async ({ service, approval }, by) => (await service.as(by).approval(approval)) !== undefined,
  },
  approve: { needs: ['approve'], attempt: ({ service, approval }, by) => service.as(by).approve(approval) },
  reject: { needs: ['approve'], attempt: ({ service, approval }, by) => service.as(by).reject(approval, 'no') },
  answer: { needs: ['approve'], attempt: ({ service, approval }, by) => service.as(by).answer(approval, 1) },
  standingApprovals: {
    needs: ['read-journal', 'approve'],
    shows: true,
    attempt: ({ service }, by) =>
      service
        .as(by)
        .standingApprovals({})
        .then(() => true),
  },
  revoke: { needs: ['approve'], attempt: ({ service, approval }, by) => service.as(by).revoke(approval, 'no more') },
  settle: {
    needs: ['approve'],
    attempt: ({ service, approval }, by) => service.as(by).settle(approval, 'happened', 1),
  },
}

/** What belongs to the process that holds the service, and is asked for in nobody's name. */
const HOST_ONLY = ['agent', 'as', 'health', 'journal', 'start', 'stop']

/** What depends on who began something, not on roles; `service-as.test.ts` says so. */
const BY_OWNER = ['checkSession']

/** The names of a service's operations, its own and those of `ServiceAs`. */
const methods = [AgentService, ServiceAs].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype))

const DENIALS: readonly string[] = ['DENIED', 'APPROVAL_REFUSED']
/** An answer of the wrong kind is refused for its kind only once whoever gives it may answer at all. */
const PASSED: readonly string[] = ['INPUT_INVALID', 'NOT_FOUND']

async function isAllowed(operation: Operation, by: Identity, made: World): Promise<boolean> {
  try {
    const given = await operation.attempt(made, by)
    return operation.shows !== true || given === true
  } catch (error) {
    if (!MandateError.isInstance(error)) throw error
    if (PASSED.includes(error.code)) return true
    if (DENIALS.includes(error.code)) return false
    throw error
  }
}

function permissionsOf({ roles, agent }: Identity): readonly string[] {
  const all = roles.includes('owner') ? [...PERMISSIONS] : roles.filter((role) => PERMISSIONS.includes(role as never))
  return agent === true ? all.filter((permission) => permission !== 'approve') : all
}

const people: readonly Identity[] = [
  ...PERMISSIONS.map((permission) => ({ id: 'bob', roles: [permission] })),
  { id: 'bob', roles: ['run-agent', 'read-journal'] },
  { id: 'bob', roles: ['create-agent', 'register-tool'] },
  { id: 'bob', roles: ['guest'] },
  { id: 'bob', roles: ['admin', 'constructor', 'toString'] },
  { id: 'bob', roles: [] },
  { id: 'bob', roles: ['owner'] },
  { id: 'bob', roles: ['owner'], agent: true },
]

describe('who may do what', () => {
  it('is said for every public operation of the service', () => {
    const said = new Set([...Object.keys(OPERATIONS).map((name) => name.split(',')[0]!), ...HOST_ONLY, ...BY_OWNER])
    expect([...new Set(methods)].toSorted()).toEqual([...said, 'constructor'].toSorted())
  })

  it.each(Object.keys(OPERATIONS))('%s: exactly whoever has the permission, and nobody else', async (name) => {
    const operation = OPERATIONS[name]!
    let shared = await world()
    for (const by of people) {
      const has = permissionsOf(by)
      const expected = operation.shows
        ? operation.needs.some((need) => has.includes(need))
        : operation.needs.every((need) => has.includes(need))
      const isDone = await isAllowed(operation, by, shared)
      expect(isDone, `${name} by ${by.roles.join('+') || 'nobody'}`).toBe(expected)
      if (!isDone) continue
      // What was refused has changed nothing; what was done has.
      await shared.service.stop()
      shared = await world()
    }
    await shared.service.stop()
  })
})

const runner: Identity = { id: 'bob', roles: ['run-agent'] }

describe('whoever started a run', () => {
  it('may read it, and sees it and nothing else in the list', async () => {
    const { service, done } = await world()
    const own = await service.run('greeter', 'Hello?', { identity: runner })
    expect((await service.as(runner).runs({})).map(({ run }) => run)).toEqual([own.id])
    expect((await service.as(runner).runs({ limit: 1 })).map(({ run }) => run)).toEqual([own.id])
    expect(await service.as(runner).result(own.id)).toMatchObject({ text: 'Hello.' })
    expect(await service.as(runner).messages(own.id)).toHaveLength(2)
    expect(await service.as(runner).verify(own.id, {})).toMatchObject({ ok: true })
    await expect(service.as(runner).result(done)).rejects.toMatchObject({ code: 'DENIED' })
    await expect(service.as({ id: 'bob', roles: [] }).result(own.id)).rejects.toMatchObject({ code: 'DENIED' })
    await expect(service.as({ id: 'eve', roles: ['run-agent'] }).result(own.id)).rejects.toMatchObject({
      code: 'DENIED',
    })
  })

  it('may continue a session of their own without further permissions', async () => {
    const { service } = await world()
    const session = service.createSession('greeter', { identity: runner })
    await session.run('Hello?')
    expect(session.history).toHaveLength(2)
  })

  it('cannot approve what it waits for', async () => {
    const { service } = await world()
    const { id } = await service.run('sender', 'Send it.', { identity: runner })
    const [request] = await service.as(runner).approvals(id)
    await expect(service.as(runner).approve(request!.id)).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
  })
})

it("a fork continues in the name of its author, not of the original run's identity", async () => {
  const { service, done } = await world()
  const by: Identity = { id: 'bob', roles: ['run-agent', 'read-journal'] }
  const fork = await service.as(by).fork(done, { at: 1 })
  for await (const { data } of service.entries(fork)) {
    expect(data).toMatchObject({ identity: by })
    break
  }
})

it('an agent may narrow who runs, reads and cancels it, and never widen it', async () => {
  const service = new AgentService({
    mandate,
    identity: owner,
    agents: [
      {
        id: 'narrow',
        model: model(['Hi.'], { name: 'n' }),
        mandate: { roles: { 'run-agent': [], 'read-journal': [] } },
      },
      {
        id: 'wide',
        model: model(['Hi.'], { name: 'w' }),
        mandate: { roles: { guest: ['run-agent', 'read-journal'] } },
      },
    ],
  })
  const { id } = await service.run('narrow', 'Hello?', { identity: { ...owner } })
  await expect(service.run('narrow', 'Hello?', { identity: runner })).rejects.toThrow(/may not run-agent/)
  const reader: Identity = { id: 'bob', roles: ['read-journal'] }
  await expect(service.as(reader).result(id)).rejects.toMatchObject({ code: 'DENIED' })
  expect(await service.as(reader).runs({})).toEqual([])
  await expect(service.run('wide', 'Hello?', { identity: { id: 'eve', roles: ['guest'] } })).rejects.toThrow(
    /may not run-agent/,
  )
})

it('a changed policy applies to runs started or resumed from then on, and is reported', async () => {
  const { service, waiting, approval } = await world()
  const told: unknown[] = []
  service.events.on('policy-changed', ({ data }) => void told.push(data))
  await service.setPolicy({ ...mandate, deny: ['send'] })
  await service.approve(approval)
  const resumed = await service.resume(waiting)
  expect(resumed).toMatchObject({ status: 'completed' })
  expect((await service.messages(waiting)).at(-2)).toMatchObject({ content: [{ name: 'send', status: 'denied' }] })
  expect(told).toMatchObject([{ by: 'ana' }])
  await expect(service.setPolicy({ denny: [] } as never)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

it('a changed prompt has its author, and is reported', async () => {
  const { service } = await world()
  const told: unknown[] = []
  service.events.on('prompt-changed', ({ data }) => void told.push(data))
  const by: Identity = { id: 'bob', roles: ['change-prompt'] }
  expect(await service.as(by).putPrompt({ id: 'greeting', text: 'Hello.' })).toMatchObject({
    version: '1',
    createdBy: 'bob',
  })
  expect(told).toEqual([{ by: 'bob', id: 'greeting', version: '1' }])
})
