import { afterEach, describe, expect, it } from 'vitest'
import { AgentService, defineTool } from 'mandate'
import { memoryJournal } from 'mandate/journal'
import type { Journal } from 'mandate/journal'
import { scripted } from 'mandate/model'
import { ReplSession } from 'mandate/repl'
import type { CellResult } from 'mandate/repl'
import { askUser, sleep } from 'mandate/tool'
import type { ToolContext } from 'mandate/tool'
import { kernelOf } from '../../src/run/index.ts'
import { isSweep, rotate } from '../rotation.ts'

/** Cells that change the variables `n`, `list` and `told`, with one or more awaits each; `i` makes the values of each cell differ. */
const KINDS: Readonly<Record<string, (i: number) => string>> = {
  plain: (i) => `n += ${i}; list.push(n)`,
  call: (i) => `n = n * 2 + await tools.step({ n: ${i} }); list.push(n)`,
  approval: (i) => `n += await tools.pay({ n: ${i} }); list.push(n)`,
  changed: (i) => `n += ${i}; n = n * 2 + await tools.pay({ n: ${i} }); n += await tools.step({ n: 1 })`,
  question: (i) => `told = told + await tools.ask_user({ question: "q${i}" }) + n`,
  sleep: (i) => `await tools.sleep({ seconds: 0.001 }); n -= 1; list.push(${i})`,
  loop: (i) =>
    `for (let k = 0; k < 3; k++) { n += await tools.step({ n: k + ${i} }); list.push(await tools.pay({ n: k })) }`,
  parallel: (i) =>
    `const all${i} = await Promise.all([1, 2].map(async (k) => { n += k; return (await tools.pay({ n: k })) + (await tools.step({ n: n })) })); list.push(...all${i})`,
  child: (i) => `told += (await agent_query({ agent: "kid", prompt: "p${i}" })); n += told.length`,
  failing: (i) => `n += ${i}; list.push(await tools.pay({ n: 9 })); throw new Error("no " + n)`,
  caught: () => `try { n += 1; await tools.broken({}) } catch (error) { told += error.message.slice(0, 3) }`,
  closure: (i) => `const add${i} = (x) => (n += x); add${i}(await tools.step({ n: ${i} })); list.push(add${i}(1))`,
  deleted: () => `list = list.slice(-2); await tools.step({ n: 1 }); list.unshift("cut")`,
}

const nowhere = {
  name: 'nowhere',
  attach: async () => {},
  dispatch: async () => {},
  schedule: async () => {},
  stop: async () => {},
}

/** The world of one store: what the services over it share. */
interface World {
  readonly journal: Journal
  /** Whether the process that drives the run gives it up at this call. Each call is made again once, by the other one. */
  readonly isLeftAt: (call: string) => boolean
}

const services: AgentService[] = []

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

function serviceOver({ journal, isLeftAt }: World): AgentService {
  const service: AgentService = new AgentService({
    journal,
    engine: nowhere,
    deterministic: undefined,
    limits: { cancelGraceMs: 5, liveSleepMs: 0, stopTimeoutMs: 2_000 },
    tools: toolsOf(isLeftAt, (run) => void kernelOf(service).interrupt(run)),
    agents: [{ id: 'kid', model: scripted((request) => kid(request.messages.length)), tools: [] }],
  })
  services.push(service)
  return service
}

const kid = (length: number): object | string =>
  length === 1 ? { toolCalls: [{ name: 'pay', input: { n: 5 } }] } : 'kid'

function toolsOf(isLeftAt: World['isLeftAt'], leave: (run: string) => void): ReturnType<typeof defineTool>[] {
  const inputSchema = { type: 'object', properties: { n: { type: 'number' } } } as const
  const step = defineTool({
    name: 'step',
    risk: 'read',
    idempotent: true,
    inputSchema,
    async run(input: { n: number }, context: ToolContext) {
      if (!isLeftAt(context.idempotencyKey)) return input.n + 1
      leave(context.requestId ?? context.runId)
      return new Promise((_, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason)))
    },
  })
  const pay = defineTool({
    name: 'pay',
    risk: 'write',
    needsApproval: true,
    inputSchema,
    run: ({ n }: { n: number }) => n * 100,
  })
  const broken = defineTool({
    name: 'broken',
    risk: 'read',
    run() {
      throw new Error('it broke')
    },
  })
  return [step, pay, broken, askUser(), sleep()]
}

/** Pseudo-random numbers from 0 below `below`. */
function numbersOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 12_345
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface Played {
  readonly ends: readonly unknown[]
  readonly values: unknown
  readonly runs: readonly string[]
}

/** Evaluates the cells, each segment in the service that `next` names, and reads the variables in every service. */
async function play(cells: readonly string[], over: readonly AgentService[], next: () => number): Promise<Played> {
  const open = (): Promise<ReplSession> => ReplSession.open(over[next()]!, { sessionId: 's' })
  const ends: unknown[] = []
  const runs: string[] = []
  for (const source of cells) {
    let result = await (await open()).evalCell(source)
    for (let tries = 0; result.status === 'waiting' && tries < 60; tries++)
      result = await goOn(over[next()]!, result, open)
    const { status, value, error, variablesChanged } = result
    ends.push({ source, status, value, error: error?.message, variablesChanged })
    runs.push(result.run)
  }
  const values = await Promise.all(over.map((service) => variablesIn(service)))
  for (const each of values) expect(each).toEqual(values[0])
  return { ends, values: values[0], runs }
}

async function goOn(service: AgentService, { run }: CellResult, open: () => Promise<ReplSession>): Promise<CellResult> {
  for (const request of await service.approvals(run))
    if (request.reason === 'question') await service.answer(request.id, `<${request.text}>`).catch(ignoreStale)
    else await service.approve(request.id).catch(ignoreStale)
  await new Promise((resolve) => setTimeout(resolve, 2))
  return (await open()).resume()
}

function ignoreStale(error: { code?: string }): void {
  if (error.code !== 'APPROVAL_STALE') throw error
}

async function variablesIn(service: AgentService): Promise<unknown> {
  const { variables } = await ReplSession.open(service, { sessionId: 's' })
  const names = await variables.names()
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await variables.get(name)])))
}

/** How many seeds the short suite plays. */
const SHORT = 8
const all = (count: number): number[] => Array.from({ length: count }, (_, seed) => seed)

describe('two services that take turns over one store', () => {
  const seeds = isSweep ? rotate(all(240).slice(SHORT), 'two services over one store') : all(SHORT)
  it.each(seeds)('at every await of the cells leave the variables of one service: seed %i', async (seed) => {
    const random = numbersOf(seed)
    const kinds = Object.keys(KINDS)
    const first = 'let n = 1; let list = []; let told = ""'
    // Every kind is met in the short suite.
    const sure = [kinds[seed % kinds.length]!, kinds[(seed + SHORT) % kinds.length]!]
    const chosen = [...sure, ...Array.from({ length: 2 }, () => kinds[random(kinds.length)]!)]
    const cells = [first, ...chosen.map((kind, i) => KINDS[kind]!(i + 1)), 'answer(JSON.stringify([n, list, told]))']

    const alone = await play(cells, [serviceOver({ journal: memoryJournal(), isLeftAt: () => false })], () => 0)

    const journal = memoryJournal()
    const left = new Set<string>()
    const isLeftAt = (call: string): boolean => !left.has(call) && random(2) === 0 && left.add(call).size > 0
    const pair = [serviceOver({ journal, isLeftAt }), serviceOver({ journal, isLeftAt })]
    let turn = 0
    // Mostly the other one; sometimes the same again, so that each has seen some cells and not others.
    const both = await play(cells, pair, () => (turn += random(4) === 0 ? 0 : 1) % 2)

    expect(both.ends).toEqual(alone.ends)
    expect(both.values).toEqual(alone.values)
    for (const run of both.runs)
      for (const service of pair)
        expect(await service.replay(run), run).toMatchObject({ identical: true, complete: true })
  })

  it('where the one that began a cell was stopped while the model thought: the agent goes on with the values of the other', async () => {
    const journal = memoryJournal()
    const thinking = Promise.withResolvers<void>()
    const cells = ['let total = 1; print(0)', 'total = await tools.pay({}); print(1)', 'answer(total + 1)']
    const service = (isSlow: boolean): AgentService => {
      const model = scripted(cells.map((cell) => `\`\`\`js\n${cell}\n\`\`\``))
      const slow = {
        ...model,
        async *stream(...[request, context]: Parameters<typeof model.stream>): ReturnType<typeof model.stream> {
          if (isSlow && request.messages.filter(({ role }) => role === 'assistant').length === 2) {
            thinking.resolve()
            await new Promise((_, no) => context.signal.addEventListener('abort', () => no(new Error('aborted'))))
          }
          yield* model.stream(request, context)
        },
      }
      const pay = defineTool({ name: 'pay', risk: 'write', needsApproval: true, run: () => 41 })
      const made = new AgentService({
        ...{ journal, engine: nowhere, limits: { cancelGraceMs: 50, stopTimeoutMs: 500 } },
        agents: [{ id: 'coder', mode: 'code', tools: [pay], model: slow }],
      })
      services.push(made)
      return made
    }
    const [first, second] = [service(false), service(true)]
    expect((await first.run('coder', 'Go.', { runId: 'r' })).status).toBe('await_user')
    const [request] = await first.approvals('r')
    await first.approve(request!.id)
    const resumed = second.resume('r')
    await thinking.promise
    await second.stop()
    expect((await resumed).status).toBe('await_user')
    expect(await first.resume('r')).toMatchObject({ status: 'completed', result: '42' })
  })

  it('one of which lost a cell and finished it too late leave the values of the one that has it', async () => {
    const journal = memoryJournal()
    const held = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    let isFrozen = false
    const isHeld = ['append', 'renew', 'acquire', 'release', 'signals']
    const frozen = new Proxy(journal, {
      get(target, name: keyof Journal) {
        const method = target[name] as (...args: unknown[]) => unknown
        if (typeof method !== 'function' || !isHeld.includes(name))
          return typeof method === 'function' ? method.bind(target) : method
        return async (...args: unknown[]) => {
          if (isFrozen) await held.promise
          return method.apply(target, args)
        }
      },
    })
    const slow = (isFirst: boolean): ReturnType<typeof defineTool> =>
      defineTool({
        name: 'slow',
        risk: 'write',
        idempotent: true,
        async run() {
          if (isFirst) {
            isFrozen = true
            asked.resolve()
            await held.promise
          }
          return 41
        },
      })
    const limits = { leaseMs: 100 }
    const [a, b] = [frozen, journal].map((each) => new AgentService({ journal: each, limits, engine: nowhere }))
    services.push(a!, b!)
    const inA = await ReplSession.open(a!, { sessionId: 's', tools: [slow(true)] })
    await inA.evalCell('let total = 1')
    const lost = inA.evalCell('total = await tools.slow({})').catch(() => undefined)
    await asked.promise
    const inB = await ReplSession.open(b!, { sessionId: 's', tools: [slow(false)] })
    for (let done = false; !done;)
      done = await inB.resume().then(
        ({ status }) => status === 'completed',
        () => new Promise((resolve) => setTimeout(() => resolve(false), 30)),
      )
    isFrozen = false
    held.resolve()
    await lost
    const again = await ReplSession.open(a!, { sessionId: 's', tools: [slow(false)] })
    expect(await again.evalCell('total')).toMatchObject({ value: 41 })
  })
})

describe('a fork of a waiting cell', () => {
  it.each(['service', 'session'] as const)('made by the %s does not enter its session', async (by) => {
    const journal = memoryJournal()
    const paid: unknown[] = []
    const pay = defineTool({ name: 'pay', risk: 'write', needsApproval: true, run: () => paid.push(1) })
    const service = new AgentService({ journal, engine: nowhere })
    services.push(service)
    const session = await ReplSession.open(service, { sessionId: 's', tools: [pay] })
    const waiting = await session.evalCell('const a = await tools.pay({})')
    await service.approve(waiting.pending[0]!.approvalId!)
    const forked = by === 'service' ? await service.fork(waiting.run) : (await session.fork()).id
    const again = await ReplSession.open(service, { sessionId: 's', tools: [pay] })
    expect(await again.resume()).toMatchObject({ status: 'completed', run: waiting.run })
    expect(paid).toHaveLength(1)
    if (by === 'session') return
    expect((await service.resume(forked)).status).toBe('await_user')
    expect(paid).toHaveLength(1)
  })
})
