import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { systemClock } from '../../src/core/index.ts'
import type { Json } from '../../src/core/index.ts'
import { memoryJournal, readAll } from '../../src/journal/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { getState, registerGraph, resumeGraph, runGraph } from '../../src/graph/public.ts'
import { ANSWERS, orderTools, orders } from './orders.ts'
import type { World } from './orders.ts'

/** The world of one run, in memory. */
class MemoryWorld implements World {
  readonly done: [key: string, what: string][] = []

  happened(key: string): boolean {
    return this.done.some(([known]) => known === key)
  }

  happen(key: string, what: string): void {
    this.done.push([key, what])
  }

  get all(): readonly string[] {
    return this.done.map(([, what]) => what).toSorted()
  }
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

/** One process: goes on with the run until it is over, answering whatever waits. */
async function live(journal: Journal, world: MemoryWorld, born: number): Promise<Json | undefined> {
  // A later process finds the leases of the dead ones expired.
  const clock = { ...systemClock, now: () => systemClock.now() + born * 60_000 }
  const service = new AgentService({ journal, tools: orderTools(world), clock })
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
): Promise<{ output: Json | undefined; world: MemoryWorld; inner: Journal; died: boolean }> {
  const inner = memoryJournal()
  const world = new MemoryWorld()
  const { journal, isDead } = mortal(inner, last)
  const dying = live(journal, world, 0)
  const isOver = { value: false }
  // What a dead process still waits for fails after a while; nobody is there to hear it.
  void dying.then(
    () => (isOver.value = true),
    () => {},
  )
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
  for (let last = 1; ; last++) {
    const { output, world, inner, died } = await crashAt(last)
    expect(output, `died with entry ${last}`).toEqual(whole.output)
    expect(world.all, `died with entry ${last}`).toEqual(whole.world.all)
    const service = new AgentService({ journal: inner, tools: orderTools(world) })
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
