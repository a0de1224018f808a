import { systemClock } from '../../core/index.ts'
import { until } from '../journal-cases/case.ts'
import { MINDS, approve, begin, ended, guarantee, mind } from './case.ts'
import type { EngineCase } from './case.ts'

/** What resumes a run: an answer, a cancel, a timer, from this process or an earlier one. */
export const wakeUpCases: readonly EngineCase[] = [
  guarantee('a parked run goes on when it is answered', async (place, expect) => {
    const kernel = await place.join()
    await begin(kernel, 'asking', 'r')
    expect((await kernel.journal.summary('r'))?.state).toBe('suspended')
    await approve(kernel, 'r')
    expect(await ended(kernel, 'r')).toBe('completed')
    expect(place.done.get('r')).toBe(1)
  }),

  guarantee('an answer for a child brings back the top of its tree', async (place, expect) => {
    const kernel = await place.join()
    await begin(kernel, 'above', 'r')
    const [request] = await kernel.approvals('r')
    expect(request?.run === 'r').toBe(false)
    await approve(kernel, 'r')
    expect(await ended(kernel, 'r')).toBe('completed')
    expect([...place.done.values()]).toEqual([1, 1])
  }),

  guarantee('the same answer many times at once has one effect', async (place, expect) => {
    const kernel = await place.join()
    await begin(kernel, 'asking', 'r')
    const [request] = await kernel.approvals('r')
    const answers = Array.from({ length: 4 }, () => kernel.respond(request!.id, { answer: 'approve' }))
    const settled = await Promise.allSettled(answers)
    expect(settled.some(({ status }) => status === 'fulfilled')).toBe(true)
    expect(await ended(kernel, 'r')).toBe('completed')
    expect(place.done.get('r')).toBe(1)
  }),

  guarantee('a text from one process reaches a run that another one drives', async (place, expect) => {
    const first = await place.join()
    await begin(first, 'steered', 'r')
    await place.leave(first)
    const second = await place.join()
    await second.steer('r', 'turn left')
    await place.leave(second)
    const third = await place.join()
    await approve(third, 'r')
    expect(await ended(third, 'r')).toBe('completed')
    expect(place.done.get('turn left')).toBe(1)
  }),

  guarantee('a parked run that is cancelled ends', async (place, expect) => {
    const kernel = await place.join()
    await begin(kernel, 'asking', 'r')
    await kernel.cancel('r')
    expect(await ended(kernel, 'r')).toBe('cancelled')
    expect(place.done.size).toBe(0)
  }),

  guarantee('a sleeping run is woken at its time and not before', async (place, expect) => {
    const kernel = await place.join()
    const begun = systemClock.now()
    await begin(kernel, 'sleeping', 'r', 200)
    expect(await ended(kernel, 'r')).toBe('completed')
    expect(systemClock.now() - begun >= 200).toBe(true)
    expect(place.done.get('r')).toBe(1)
  }),

  guarantee('a run that sleeps when its process ends is woken by the next', async (place, expect) => {
    const first = await place.join()
    await begin(first, 'sleeping', 'r', 400)
    await place.leave(first)
    const second = await place.join()
    expect(await ended(second, 'r')).toBe('completed')
    expect(place.done.get('r')).toBe(1)
  }),

  guarantee('a run that falls asleep because its process ends is woken by the next', async (place, expect) => {
    let hold: (() => void) | undefined
    const held = mind('held', async (_, context) => {
      const at = context.now() + 300
      const waiting = context.perform({ kind: 'sleep', name: 'sleep', input: { until: at } })
      // Resolves while the process stops, so that it stops with the run asleep.
      await new Promise<void>((resolve) => (hold ??= resolve) === resolve || resolve())
      await waiting
      place.done.set('r', (place.done.get('r') ?? 0) + 1)
      return 'woken'
    })
    const first = await place.join([...MINDS, held])
    first.run({ kind: 'program', name: 'held', runId: 'r', input: null }).catch(() => {})
    await until(() => hold !== undefined)
    const leaving = place.leave(first)
    hold?.()
    await leaving
    const second = await place.join([...MINDS, held])
    expect(await ended(second, 'r')).toBe('completed')
    expect(place.done.get('r')).toBe(1)
  }),

  guarantee('a moment that has passed is now', async (place, expect) => {
    const kernel = await place.join()
    await begin(kernel, 'asking', 'r')
    await kernel.journal.signal('r', {
      id: 'cancel',
      type: 'cancel',
      at: systemClock.now(),
      by: { id: 'local', roles: ['owner'] },
      data: { reason: 'called off' },
    })
    await kernel.engine.schedule('r', systemClock.now() - 1_000)
    expect(await ended(kernel, 'r')).toBe('cancelled')
  }),
]
