import { describe, expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { Clock, Json } from '../../core/index.ts'
import { isEnded, memoryJournal, readStart } from '../../journal/index.ts'
import {
  call,
  entriesOf,
  eventually,
  gate,
  kernelWith,
  linesOf,
  outputOf,
  program,
  rest,
  tool,
} from '../kernel/kernel.fixture.ts'
import type { KernelParts } from '../kernel/kernel.fixture.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Mind } from '../mind/mind.ts'
import type { Engine, EngineHost } from './engine.ts'

/** Which process drives a run: `a` or `b`, or none for as long as it waits. */
type Route = (run: string) => 'a' | 'b' | undefined

/** Two processes that share a queue in memory, and a third that only starts runs. */
function fleet(route: Route): (name: 'a' | 'b' | 'client') => Engine {
  const hosts = new Map<string, EngineHost>()
  const done = new Map<string, PromiseWithResolvers<void>>()
  const doneOf = (id: string): PromiseWithResolvers<void> => {
    const known = done.get(id) ?? Promise.withResolvers<void>()
    done.set(id, known)
    return known
  }
  const asked = new Set<string>()
  const dispatch = async (run: string, cause: string): Promise<void> => {
    const id = `${run} ${cause}`
    const host = hosts.get(route(run) ?? '')
    if (asked.has(id) || host === undefined) return
    asked.add(id)
    void (host.notify(run) ? Promise.resolve() : host.segment(run).catch(() => {})).then(() => doneOf(id).resolve())
  }
  return (name) => ({
    name: 'fleet',
    attach: async (host) => void hosts.set(name, host),
    dispatch,
    schedule: async () => {},
    stop: async () => {},
    placement: {
      enlist: async (run, cause) => () => dispatch(run, cause),
      settled: (run, cause) => doneOf(`${run} ${cause}`).promise,
    },
  })
}

const isChild = (run: string): boolean => run !== 'r'
const CHILD = { kind: 'program', name: 'inner', input: null, key: 'child', allot: { toolCalls: 2 } } as const

interface Setup {
  readonly route?: Route
  readonly main?: Mind['start']
  readonly inner: Mind['start']
  readonly more?: KernelParts
  /** The clock of the process `a` alone. */
  readonly clock?: Clock
  readonly facts?: Parameters<typeof tool>[2]
}

async function processes({
  route = (run) => (isChild(run) ? 'b' : 'a'),
  main,
  inner,
  more,
  clock,
  facts,
}: Setup): Promise<
  {
    readonly [name in 'a' | 'b' | 'client']: Kernel
  } & { readonly called: string[] }
> {
  const engine = fleet(route)
  const journal = memoryJournal()
  const called: string[] = []
  const start: Mind['start'] = main ?? (async (_, context) => (await context.perform(CHILD)) as unknown as Json)
  const minds = [program('main', start, { mandate: { deny: ['danger'] } }), program('inner', inner)]
  const open = async (name: 'a' | 'b' | 'client'): Promise<Kernel> => {
    const tools = ['act', 'danger'].map((each) => tool(each, () => called.push(`${each} in ${name}`), facts))
    const own = name === 'a' && clock !== undefined ? { clock } : {}
    const kernel = kernelWith({ journal, minds, tools, ...more, ...own, engine: engine(name) })
    await kernel.attach()
    return kernel
  }
  return { a: await open('a'), b: await open('b'), client: await open('client'), called }
}

const SPEC = { kind: 'program', name: 'main', input: null, runId: 'r' } as const

async function childOf({ journal }: Kernel): Promise<string> {
  return eventually(async () => (await journal.list({ parent: 'r' }))[0]?.run)
}

describe('a child with an allotment', () => {
  test('is driven by another process, under the mandates of its parent, and what it spends is taken from its parent', async () => {
    const { client, called } = await processes({
      async main(_, context) {
        const child = await context.perform(CHILD)
        const after = [await call(context, 'act'), await call(context, 'act'), await call(context, 'act')]
        return [child as unknown as Json, ...after.map(({ status }) => status)]
      },
      inner: async (_, context) => [(await call(context, 'act')).status, (await call(context, 'danger')).status],
    })
    const outcome = await client.run({ ...SPEC, budget: { toolCalls: 3 } })
    expect(outputOf(outcome)).toEqual([{ status: 'ok', value: ['ok', 'denied'] }, 'ok', 'ok', 'denied'])
    expect(called).toEqual(['act in b', 'act in a', 'act in a'])
    expect(await readStart(client.journal, await childOf(client))).toMatchObject({
      apart: true,
      allotted: true,
      depth: 1,
    })
    expect(await client.verify('r')).toMatchObject({ ok: true })
  })

  test('without an allotment it stays with its parent, whose memory has its budget', async () => {
    const { client, called } = await processes({
      async main(_, context) {
        const { allot: _allot, ...drawing } = CHILD
        return (await context.perform(drawing)) as unknown as Json
      },
      inner: async (_, context) => (await call(context, 'act')).status,
    })
    expect(outputOf(await client.run(SPEC))).toMatchObject({ status: 'ok' })
    expect(called).toEqual(['act in a'])
  })

  test('is driven by the process of its parent where no other takes it', async () => {
    const clock = manualClock(1_000)
    const { client, called } = await processes({
      route: (run) => (isChild(run) ? undefined : 'a'),
      inner: async (_, context) => (await call(context, 'act')).status,
      more: { clock },
    })
    const outcome = client.run(SPEC)
    await childOf(client)
    await eventually(() => {
      clock.advance(100)
      return called.length > 0
    })
    expect(outputOf(await outcome)).toMatchObject({ status: 'ok', value: 'ok' })
    expect(called).toEqual(['act in a'])
  })

  test('is cut with its parent, in whatever process it is', async () => {
    const cut = gate()
    const { client, called } = await processes({
      inner: async (_, context) => {
        const outcome = call(context, 'act')
        return (await outcome).status
      },
      facts: {
        run: (_input: Json, { signal }: { signal: AbortSignal }) =>
          new Promise((_resolve, reject) => {
            called.push('started')
            signal.addEventListener('abort', () => (cut.resolve(), reject(signal.reason as Error)))
          }),
      },
    })
    const outcome = client.run(SPEC)
    await eventually(() => called.includes('started'))
    await client.cancel('r', 'not wanted')
    expect(await outcome).toMatchObject({ state: 'cancelled', reason: 'not wanted' })
    await cut.promise
    expect((await client.journal.summary(await childOf(client)))!.state).toBe('cancelled')
  })

  test('is not cut by a parent that another process has taken meanwhile: its time goes on there', async () => {
    const [clock, done] = [manualClock(1_000), gate()]
    const { client, called } = await processes({
      inner: async (_, context) => (await call(context, 'act')).status,
      facts: { run: async () => (called.push('started'), await done.promise, 1) },
      clock,
    })
    void client.run({ ...SPEC, budget: { timeMs: 5_000 } }).catch(() => {})
    await eventually(() => called.includes('started'))
    const child = await childOf(client)
    // As when this process was frozen, and the time of the run ends in the moment in which it goes on.
    await client.journal.acquire({ run: 'r', owner: 'taker', ttlMs: 60_000, now: 10_000_000 })
    clock.advance(6_000)
    await rest()
    done.resolve()
    await eventually(async () => isEnded((await client.journal.summary(child))!.state))
    expect((await client.journal.summary(child))!.state).toBe('completed')
  })

  test('waits for an approval there, and goes on when it is answered from anywhere', async () => {
    const { client, called } = await processes({
      inner: async (_, context) => (await call(context, 'act')).status,
      facts: { needsApproval: true },
    })
    expect(await client.run(SPEC)).toMatchObject({ state: 'suspended', reason: 'approval' })
    await client.respond((await client.approvals())[0]!.id, { answer: 'approve' })
    await eventually(async () => (await client.journal.summary('r'))!.state === 'completed')
    expect(called).toEqual(['act in b'])
  })

  test('goes on when the process of its parent stops, and is not repeated for the next one', async () => {
    const wait = gate()
    let parentIn: 'a' | 'b' = 'a'
    const { a, client, called } = await processes({
      route: (run) => (isChild(run) ? 'b' : parentIn),
      inner: async (_, context) => (await call(context, 'act')).status,
      facts: { idempotent: false, run: async () => (called.push('act'), await wait.promise, 1) },
    })
    const outcome = client.run(SPEC)
    await eventually(() => called.includes('act'))
    parentIn = 'b'
    expect((await a.stop()).suspended).toEqual([{ run: 'r', reason: 'interrupt' }])
    expect(await outcome).toMatchObject({ state: 'suspended', reason: 'interrupt' })
    const resumed = client.resume('r')
    wait.resolve()
    expect(outputOf(await resumed)).toEqual({ status: 'ok', value: 'ok' })
    expect(called).toEqual(['act'])
    expect((await linesOf(client.journal)).filter((line) => line === 'effect-start child')).toHaveLength(1)
    expect(await entriesOf(client.journal, 'run-suspend')).toHaveLength(1)
  })
})
