import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { systemClock } from '../../src/core/index.ts'
import type { Json } from '../../src/core/index.ts'
import { memoryJournal, readAll } from '../../src/journal/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import type { Tool } from '../../src/tool/index.ts'
import { channel, defineGraph, getState, nodes, registerGraph, resumeGraph, runGraph } from '../../src/graph/public.ts'
import type { Graph } from '../../src/graph/public.ts'

/** What the world has been told, by idempotency keys: a call that happened is found again by its key. */
type World = Map<string, { readonly what: string; count: number }>

function tools(world: World): readonly Tool[] {
  const named = (name: string): Tool =>
    defineTool({
      name,
      risk: 'write',
      run: (input, context) => {
        const key = context.idempotencyKey
        const known = world.get(key)
        if (known === undefined) world.set(key, { what: `${name} ${JSON.stringify(input)}`, count: 1 })
        else known.count += 1
        return `${name} done`
      },
      reconcile: (_input, context) =>
        Promise.resolve(
          world.has(context.idempotencyKey) ? { status: 'done', value: `${name} done` } : { status: 'not-done' },
        ),
    })
  return [named('pay'), named('mail'), named('ship')]
}

function orders(): Graph {
  const parcel = defineGraph({
    name: 'parcel',
    state: { order: channel.last<string>(), state: channel.last<string>() },
    input: ['order'],
    output: ['state'],
  })
    .node(
      'ship',
      nodes.tool('ship', { input: (state: { order: string }) => ({ order: state.order }), writes: 'state' }),
    )
    .node('ask', nodes.human({ prompt: 'Arrived?', output: (result: string) => ({ state: `arrived: ${result}` }) }))
    .edge('ship', 'ask')
    .start('ship')
  return defineGraph({
    name: 'orders',
    state: { order: channel.last<string>(), log: channel.topic<string>(), parcel: channel.last<unknown>() },
    input: ['order'],
  })
    .node('begin', () => ({ log: 'begin' }))
    .node('pay', async (state, ctx) => {
      await ctx.tool('pay', { order: state.order })
      return { log: `pay ${String(await ctx.interrupt('Paid?'))}` }
    })
    .node('mail', async (state, ctx) => {
      await ctx.tool('mail', { order: state.order })
      return { log: 'mail' }
    })
    .node('parcel', nodes.subgraph(parcel))
    .node('check', nodes.human({ prompt: 'Checked?', output: (result: string) => ({ log: `check ${result}` }) }))
    .node('end', async (_state, ctx) => {
      await ctx.tool('mail', { text: 'over' })
      return { log: 'end' }
    })
    .edge('begin', 'pay')
    .edge('begin', 'mail')
    .edge('begin', 'parcel')
    .edge('begin', 'check')
    .join(['pay', 'mail', 'parcel', 'check'], 'end')
    .start('begin')
}

/** A journal whose process dies with its entry number `last`: whatever it is asked afterwards is never answered. */
function mortal(inner: Journal, last: number): { journal: Journal; isDead: () => boolean; count: () => number } {
  let count = 0
  const isDead = (): boolean => count >= last
  const never = (): Promise<never> => new Promise(() => {})
  const journal = new Proxy(inner, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => {
        if (isDead() && name !== 'watch') return name === 'read' ? neverRead() : never()
        if (name !== 'append') return Reflect.apply(member, target, given) as unknown
        const [lease, at, entries, ...rest] = given as [unknown, unknown, readonly unknown[], ...unknown[]]
        const room = last - count
        count += entries.length
        const kept = entries.slice(0, room)
        const stored = Reflect.apply(member, target, [
          lease,
          at,
          kept,
          ...(kept.length < entries.length ? [] : rest),
        ]) as Promise<unknown>
        return count >= last ? stored.then(never) : stored
      }
    },
  })
  return { journal, isDead, count: () => count }
}

function neverRead(): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }
}

const ANSWERS: { readonly [text: string]: string } = { 'Paid?': 'yes', 'Checked?': 'fine', 'Arrived?': 'today' }

/** One process: goes on with the run until it is over, answering whatever waits. */
async function live(journal: Journal, world: World, born: number): Promise<Json | undefined> {
  // A later process finds the leases of the dead ones expired.
  const clock = { ...systemClock, now: () => systemClock.now() + born * 60_000 }
  const service = new AgentService({ journal, tools: tools(world), clock })
  registerGraph(service, orders())
  const isThere = (await journal.summary('r')) !== undefined
  const first = isThere ? resumeGraph(service, 'r') : runGraph(service, 'orders', { order: 'o1' }, { runId: 'r' })
  for (let run = first; ; run = resumeGraph(service, 'r')) {
    const outcome = await run.outcome
    if (outcome.state === 'completed') return outcome.output
    expect(outcome.state).toBe('suspended')
    for (const { id, text } of await service.approvals('r')) await service.answer(id, ANSWERS[text]!)
  }
}

async function crashAt(
  last: number,
): Promise<{ output: Json | undefined; world: World; inner: Journal; died: boolean }> {
  const inner = memoryJournal()
  const world: World = new Map()
  const { journal, isDead } = mortal(inner, last)
  const dying = live(journal, world, 0)
  dying.catch(() => {})
  const isOver = { value: false }
  void dying.then(() => (isOver.value = true))
  for (let waited = 0; waited < 2_000 && !isDead() && !isOver.value; waited++) await pause(1)
  await pause(5)
  if (!isDead()) return { output: await dying, world, inner, died: false }
  return { output: await live(inner, world, 1), world, inner, died: true }
}

it('a graph with branches, a join, questions and a sub-graph comes out the same from a crash at every entry, and does everything once', async () => {
  const whole = await crashAt(Number.POSITIVE_INFINITY)
  expect(whole.output).toMatchObject({
    log: ['begin', 'pay yes', 'mail', 'check fine', 'end'],
    parcel: { state: 'arrived: today' },
  })
  const done = (world: World): readonly string[] => [...world.values()].map(({ what }) => what).toSorted()
  for (let last = 1; ; last++) {
    const { output, world, inner, died } = await crashAt(last)
    expect(output, `died with entry ${last}`).toEqual(whole.output)
    expect(done(world), `died with entry ${last}`).toEqual(done(whole.world))
    expect(
      [...world.values()].map(({ count }) => count),
      `died with entry ${last}`,
    ).toEqual(done(world).map(() => 1))
    const service = new AgentService({ journal: inner, tools: tools(world) })
    registerGraph(service, orders())
    expect(await service.replay('r'), `died with entry ${last}`).toMatchObject({ identical: true, complete: true })
    expect((await service.verify('r')).ok, `died with entry ${last}`).toBe(true)
    expect(await getState(service, 'r')).toMatchObject({ step: 3, next: [], values: output as object })
    if (!died) {
      expect(last).toBeGreaterThan((await readAll(inner, 'r')).length)
      return
    }
  }
}, 240_000)
