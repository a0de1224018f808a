import { delay, systemClock } from '../../core/index.ts'
import { until } from '../journal-cases/case.ts'
import { MINDS, approve, begin, call, ended, guarantee, mind } from './case.ts'
import type { EngineCase } from './case.ts'

const MANY = 40

/** How segments are driven: each run by one driver, every run eventually, and none after the engine has stopped. */
export const segmentCases: readonly EngineCase[] = [
  guarantee('a run that is dispatched many times at once is driven once', async (place, expect) => {
    const kernel = await place.join()
    await begin(kernel, 'asking', 'r')
    const [request] = await kernel.approvals('r')
    await Promise.all([
      kernel.respond(request!.id, { answer: 'approve' }),
      ...Array.from({ length: 8 }, (_, index) => kernel.engine.dispatch('r', `again/${index % 2}`)),
    ])
    expect(await ended(kernel, 'r')).toBe('completed')
    await kernel.engine.dispatch('r', 'once more')
    await delay(systemClock, 30)
    expect(place.done.get('r')).toBe(1)
    expect((await kernel.verify('r')).ok).toBe(true)
  }),

  guarantee('what is dispatched without news stays as it is', async (place, expect) => {
    const kernel = await place.join()
    await begin(kernel, 'asking', 'r')
    await kernel.engine.dispatch('r', 'once more')
    await begin(kernel, 'asking', 'other')
    await approve(kernel, 'other')
    expect(await ended(kernel, 'other')).toBe('completed')
    expect((await kernel.approvals('r')).length).toBe(1)
    await approve(kernel, 'r')
    expect(await ended(kernel, 'r')).toBe('completed')
  }),

  guarantee('many parked runs that are answered at once all go on', async (place, expect) => {
    const kernel = await place.join()
    const runs = Array.from({ length: MANY }, (_, index) => `r${index}`)
    await Promise.all(runs.map((run) => begin(kernel, 'asking', run)))
    await Promise.all(runs.map((run) => approve(kernel, run)))
    for (const run of runs) expect(await ended(kernel, run)).toBe('completed')
    expect([...place.done.values()].every((count) => count === 1)).toBe(true)
    expect(place.done.size).toBe(MANY)
  }),

  guarantee('a run that nobody here can drive stays, and does not hold up the others', async (place, expect) => {
    const strange = mind('strange', (_, context) => call(context, 'ask', context.runId))
    const first = await place.join([...MINDS, strange])
    await begin(first, 'strange', 's')
    await begin(first, 'asking', 'r')
    await place.leave(first)
    const second = await place.join()
    await approve(second, 's')
    await approve(second, 'r')
    expect(await ended(second, 'r')).toBe('completed')
    expect((await second.journal.summary('s'))?.state).toBe('suspended')
    await place.leave(second)
    const third = await place.join([...MINDS, strange])
    await third.engine.dispatch('s', 'once more')
    expect(await ended(third, 's')).toBe('completed')
    expect(place.done.get('s')).toBe(1)
  }),

  guarantee('a process that ends puts down what it drives, and the next one takes it up', async (place, expect) => {
    let begun = false
    const long = mind('long', async (_, context) => {
      for (let index = 0; index < 20; index++) {
        await call(context, 'act', `${context.runId}/${index}`)
        begun = true
      }
      return 'through'
    })
    const first = await place.join([...MINDS, long])
    // Not awaited: if the engine places runs elsewhere, it settles when the run ends in another process.
    const outcome = first.run({ kind: 'program', name: 'long', runId: 'r', input: null })
    outcome.catch(() => {})
    await until(() => begun)
    await place.leave(first)
    const second = await place.join([...MINDS, long])
    await second.engine.dispatch('r', 'once more')
    expect(await ended(second, 'r')).toBe('completed')
    expect([...place.done.values()].every((count) => count === 1)).toBe(true)
    expect(place.done.size).toBe(20)
  }),

  guarantee('after its end an engine begins nothing', async (place, expect) => {
    const kernel = await place.join()
    await begin(kernel, 'asking', 'r')
    const { engine, journal } = kernel
    await engine.stop()
    await journal.signal('r', {
      id: 'late',
      type: 'cancel',
      at: systemClock.now(),
      by: { id: 'local', roles: ['owner'] },
      data: { reason: 'too late' },
    })
    await engine.dispatch('r', 'signal/late').catch(() => {})
    await delay(systemClock, 50)
    expect((await journal.summary('r'))?.state).toBe('suspended')
  }),
]
