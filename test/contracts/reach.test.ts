import { describe, expect, test } from 'vitest'
import { Agent, AgentRun, AgentService, AgentSession, ServiceAs, kernelOf } from '../../src/agent/index.ts'
import type { AgentConfig } from '../../src/agent/index.ts'
import { Schedules } from '../../src/agent/schedule/schedules.ts'
import { EventBus, manualClock } from '../../src/core/index.ts'
import { readAll } from '../../src/journal/index.ts'
import { scripted } from '../../src/model/index.ts'
import type { Model } from '../../src/model/index.ts'
import { Kernel, localEngine } from '../../src/run/index.ts'
import type { Engine, Mind, Performer } from '../../src/run/index.ts'
import { TaskContext } from '../../src/run/mind/context.ts'
import { defineTool } from '../../src/tool/index.ts'
import { isObject, reachable, tamper } from './reachable.ts'

/** Takes what a function of the host was called with. */
type Take = (name: string, given: readonly unknown[]) => void

interface World {
  readonly take: Take
  /** What the host brought itself, and may change as it likes. */
  readonly own: Set<object>
}

/** A tool whose functions show what they are given. */
function sendTool({ take }: World): object {
  return defineTool({
    name: 'send',
    risk: 'write',
    inputSchema: { type: 'object' },
    retry: { attempts: 2, backoffMs: 1, retriable: (...given: unknown[]) => (take('tool retriable', given), false) },
    fatal: (...given: unknown[]) => (take('tool fatal', given), false),
    needsApproval: (...given: unknown[]) => (take('tool needsApproval', given), true),
    run(input: { to: readonly string[] }, context: unknown) {
      const [to] = input.to
      take('tool run', [input, context])
      if (to === 'nobody') throw new Error('There is nobody.')
      return { sent: [to] }
    },
  } as never)
}

/** A model that shows what it was asked, once it has answered. */
function showing({ take, own }: World, name: string): Model {
  const send = (to: string): object => ({ name: 'send', input: { to: [to] } })
  const model = scripted([{ toolCalls: [send('ana'), send('nobody')] } as never, 'Done.', 'Done again.'], { name })
  const shown: Model = {
    ...model,
    async *stream(...given) {
      yield* model.stream(...given)
      take('model', given)
    },
  }
  own.add(shown).add(model)
  return shown
}

function agents(world: World, send: object): AgentConfig[] {
  const { take, own } = world
  const agent = (id: string, config: object): AgentConfig => ({
    id,
    model: showing(world, id),
    tools: [send],
    metadata: { team: ['a'] },
    ...config,
  })
  const planner = {
    plan(state: { readonly turn: number }) {
      const { turn } = state
      take('planner', [state])
      return turn < 3 ? { type: 'tool', toolId: 'send', input: { to: ['eve'] } } : { type: 'finish', message: 'Done.' }
    },
  }
  const hosted = { planner, executor: { execute: (...given: unknown[]) => (take('executor', given), ['carried out']) } }
  const runner = { run: async (...given: unknown[]) => (take('runner', given), { text: 'Done.' }) }
  own.add(planner).add(hosted.executor).add(runner)
  return [
    agent('plain', {
      agents: ['hosted'],
      // It may change model, tools and prompt; the rest is only shown to it.
      hooks: [(context: { history: unknown; context: unknown }) => take('hook', [context.history, context.context])],
      reflector: { reflect: (...given: unknown[]) => take('reflector', given) },
      selectModel(candidates: readonly Model[], need: unknown) {
        const [first] = candidates
        take('selectModel', [candidates, need])
        return first
      },
    }),
    agent('planned', { planner }),
    agent('hosted', hosted),
    agent('driven', { runner }),
  ]
}

/** A mind of the host's own, which asks for effects that a performer of the host carries out. */
function ownMind({ take }: World): Mind {
  return {
    kind: 'program',
    name: 'own',
    async start(input, context) {
      const { record, perform } = context
      const decided = await record('decide', (strand) => (take('record', [strand]), ['decided']))
      const outcome = await perform({ kind: 'embed', name: 'own', input: { to: ['bob'] } })
      const { status } = outcome
      take('mind', [input, context, decided, outcome])
      return { gave: [status] }
    },
  }
}

function ownPerformer({ take }: World): Performer {
  return {
    kind: 'embed',
    facts: (...given) => (take('performer facts', given), { known: true, worst: {} }),
    repeatable: (...given) => (take('performer repeatable', given), true),
    timeoutMs: (...given) => (take('performer timeoutMs', given), undefined),
    perform: async (...given) => (take('performer perform', given), { value: ['performed'] }),
  }
}

function ownEngine({ take }: World): Engine {
  const engine = localEngine()
  const { attach } = engine
  engine.attach = async (given) => {
    await attach.call(engine, given)
    take('engine', [given])
  }
  return engine
}

function hostOf(world: World): AgentService {
  const { take, own } = world
  const send = sendTool(world)
  const clock = manualClock(1_000)
  own.add(send).add(clock)
  const service = new AgentService({
    deterministic: { seed: 1, clock },
    engine: ownEngine(world),
    minds: [ownMind(world)],
    agents: agents(world, send),
    sinks: [{ name: 'sink', write: (...given: unknown[]) => take('sink', given) }],
    onApproval: (...given) => (take('onApproval', given), { answer: 'approve' }),
    filters: [{ name: 'look', check: (...given) => (take('filter', given), undefined) }],
    mandate: { content: [{ id: 'all', on: ['tool-input', 'tool-output', 'prompt'], filter: 'look' }] },
  })
  own.add(service.journal)
  service.events.on('*', (...given) => take('listener', given))
  kernelOf(service).registry.registerPerformer(ownPerformer(world))
  return service
}

/** Runs everything that the host has, and gives what the journals say of it. */
async function runAll(world: World): Promise<readonly string[]> {
  const { take } = world
  const service = hostOf(world)
  const caller = service.as({ id: 'ana', roles: ['owner'] })
  const late = new Agent({ id: 'late', model: showing(world, 'late') }, service)
  take('service', [service, caller, late, late.spec])
  const session = caller.createSession('plain', { sessionId: 's' })
  for (const runId of ['first', 'second']) {
    const run = session.run('Go on.', {
      runId,
      context: { facts: ['one'] },
      onToolCall: (...given) => take('onToolCall', given),
      onStepStart: (...given) => take('onStepStart', given),
    })
    const result = await run
    take('session', [session, session.history, run, result, result.report(), await service.messages(runId)])
  }
  for (const agent of ['planned', 'hosted', 'driven'])
    await caller.run(agent, 'Go on.', { runId: agent, labels: ['untrusted:mail'] })
  await kernelOf(service).run({
    kind: 'program',
    name: 'own',
    input: { words: ['a'] },
    runId: 'own',
    labels: ['untrusted:mail'],
  })
  const runs = ['first', 'second', 'planned', 'hosted', 'driven', 'own']
  const entries = (await Promise.all(runs.map((run) => readAll(service.journal, run)))).flat()
  for (const run of runs) expect(await service.verify(run)).toMatchObject({ ok: true })
  await service.stop()
  return entries.map((entry) => JSON.stringify(entry))
}

/** What users hold, and every function of theirs that is called with something. */
const PLACES = [
  ...[
    'service',
    'session',
    'listener',
    'sink',
    'onStepStart',
    'onToolCall',
    'onApproval',
    'filter',
    'model',
    'selectModel',
  ],
  ...[
    'hook',
    'planner',
    'executor',
    'reflector',
    'runner',
    'tool run',
    'tool needsApproval',
    'tool fatal',
    'tool retriable',
  ],
  ...[
    'mind',
    'record',
    'engine',
    'performer facts',
    'performer repeatable',
    'performer timeoutMs',
    'performer perform',
  ],
]

const untouched = runAll({ take: () => {}, own: new Set() })

/** What users may hold. Each keeps what it stands on in private fields. */
const PUBLIC: readonly unknown[] = [
  ...[Agent, AgentRun, AgentService, AgentSession, EventBus, Schedules, ServiceAs, TaskContext],
  ...[AbortSignal, Array, Error, Function, Map, Object, Promise],
]

describe('from what users hold and are given', () => {
  test('no kernel, live run or other inner object can be reached', async () => {
    const inner = new Set<string>()
    const own = new Set<object>()
    await runAll({
      own,
      take(name, given) {
        for (const value of given.filter(isObject))
          for (const found of reachable(value, name, (one) => own.has(one)))
            if (!isPublic(found.value)) inner.add(`${found.value.constructor.name}: ${found.path}`)
      },
    })
    expect([...inner]).toEqual([])
  })

  test.each(PLACES)('%s: overwriting all of it changes nothing of a run', async (place) => {
    const own = new Set<object>()
    let count = 0
    const take: Take = (name, given) => {
      if (name !== place) return
      count += 1
      for (const value of given.filter(isObject)) tamper(value, (one) => own.has(one))
    }
    expect(await runAll({ take, own })).toEqual(await untouched)
    expect(count).toBeGreaterThan(0)
  })

  test('the walk finds what lies behind getters, symbols, maps and prototypes', () => {
    class Base {
      get hidden(): object {
        return new Map([['a', new Set([{ [Symbol('s')]: new Kernel() }])]])
      }
    }
    class Derived extends Base {}
    const found = reachable(new Derived(), 'root').filter(({ value }) => value instanceof Kernel)
    expect(found.map(({ path }) => path)).toContain('root.hidden.get().values().Symbol(s)')
  })
})

/** Functions, prototypes and plain data are walked through; what else there is has a class. */
function isPublic(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as { readonly constructor?: unknown } | null
  if (typeof value === 'function' || prototype === null || !Object.hasOwn(prototype, 'constructor')) return true
  return typeof prototype.constructor !== 'function' || PUBLIC.includes(prototype.constructor)
}
