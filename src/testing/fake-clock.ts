import { afterTurn, delay, manualClock, systemClock } from '../core/index.ts'
import type { ManualClock } from '../core/index.ts'

/** A clock that advances only on request, with methods that let promises settle in between. */
export interface FakeClock extends ManualClock {
  /** Advances time by `ms`. All work that a timer starts settles before the next timer fires, as with a real clock. */
  run(ms: number): Promise<void>
  /**
   * Advances time, timer by timer, until the promise settles, and returns its result. Time does not advance while `isBusy` returns true, because outside work
   * is awaited. Throws when no timer is left that could settle the promise.
   */
  runUntil<T>(promise: Promise<T>, isBusy?: () => boolean): Promise<T>
  /** Lets all work continue that needs no time to pass. */
  settle(): Promise<void>
}

/** Turns of the event loop after which work in memory is considered settled. */
const TURNS = 20
/** Waits of one real millisecond after which a promise without a timer is given up. */
const PATIENCE = 1_000
/** Limit on timers that fire: timers that rearm themselves (leases) would otherwise never end. */
const TIMERS_MAX = 10_000

/**
 * A clock for tests.
 *
 * @example
 * ```ts
 * import { fakeClock } from 'mandate/testing'
 * const clock = fakeClock()
 * const rang: number[] = []
 * clock.timer(1_000, () => rang.push(clock.now()))
 * await clock.run(5_000)
 * console.log(rang, clock.now()) // [1000] 5000
 * ```
 */
export function fakeClock(start = 0, tickMs = 0): FakeClock {
  const clock = manualClock(start, tickMs)
  const step = (due: number): void => clock.advance(Math.max(0, due - clock.now()))
  const run = async (ms: number): Promise<void> => {
    const end = clock.now() + ms
    await settle()
    for (let due = clock.next; due !== undefined && due <= end; due = clock.next) {
      step(due)
      await settle()
    }
    step(end)
    await settle()
  }
  const runUntil = async <T>(promise: Promise<T>, isWaiting: () => boolean = () => false): Promise<T> => {
    let isSettled = false
    const mark = (): void => void (isSettled = true)
    promise.then(mark, mark)
    for (let idle = 0, fired = 0; idle < PATIENCE && fired < TIMERS_MAX;) {
      await settle(() => isSettled)
      if (isSettled) return promise
      const due = clock.next
      if (isWaiting() || due === undefined) {
        await delay(systemClock, 1)
        if (!isWaiting()) idle++
      } else {
        step(due)
        idle = 0
        fired++
      }
    }
    const why = clock.next === undefined ? 'and no timer is left that could settle it' : `after ${TIMERS_MAX} timers`
    throw new Error(`The promise is not settled at ${clock.now()}, ${why}.`)
  }
  return {
    now: () => clock.now(),
    timer: (ms, fire) => clock.timer(ms, fire),
    advance: (ms) => clock.advance(ms),
    set: (now) => clock.set(now),
    get next() {
      return clock.next
    },
    run,
    runUntil,
    settle: () => settle(),
  }
}

async function settle(isEnough: () => boolean = () => false): Promise<void> {
  for (let turn = 0; turn < TURNS && !isEnough(); turn++) await new Promise<void>((resolve) => afterTurn(resolve))
}
