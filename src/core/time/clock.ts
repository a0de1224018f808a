/** An injectable clock. Only `core` uses the platform's clock and timers. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Monotonic milliseconds, not affected by changes of the system date; used to measure durations. Defaults to `now`. */
  monotonic?(): number
  /** Calls `fire` once after `ms`; the returned function cancels it. An idle timer does not keep the process alive. */
  timer(ms: number, fire: () => void, isIdle?: boolean): () => void
}

/** Platform timers are limited to 31 bits of milliseconds; longer waits are split. */
const TIMER_MAX_MS = 2_147_000_000

/** Timers from this length on are armed at the end of the turn in which they were requested. */
const LONG_MS = 1_000

/** The time for measuring durations. */
export function monotonicNow(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now()
}

/** The platform's clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  timer(ms, fire, isIdle = false) {
    const timer = new PlatformTimer(ms, fire, isIdle)
    if (ms < LONG_MS) timer.arm()
    else armAfterTurn(timer)
    return () => timer.stop()
  },
}

class PlatformTimer {
  readonly #due: number
  /** Cleared when the timer is stopped, because the closure may hold a lot of memory until the turn ends. */
  #fire: (() => void) | undefined
  readonly #isIdle: boolean
  #handle: ReturnType<typeof setTimeout> | undefined

  constructor(ms: number, fire: () => void, isIdle: boolean) {
    // Monotonic, because the date may be set back or forth.
    this.#due = performance.now() + ms
    this.#fire = fire
    this.#isIdle = isIdle
  }

  arm(): void {
    if (this.#fire === undefined) return
    const left = Math.max(this.#due - performance.now(), 0)
    const piece = Math.min(left, TIMER_MAX_MS)
    this.#handle = setTimeout(() => (left > piece ? this.arm() : this.#fire?.()), piece)
    if (this.#isIdle) (this.#handle as { unref?: () => void }).unref?.()
  }

  stop(): void {
    this.#fire = undefined
    clearTimeout(this.#handle)
  }
}

/**
 * Timers that are not armed yet. A call's timeout is usually cancelled in the turn that started it and then never reaches the platform, where arming
 * one takes longer than the call.
 */
let unarmed: PlatformTimer[] = []

function armAfterTurn(timer: PlatformTimer): void {
  if (unarmed.push(timer) > 1) return
  afterTurn(() => {
    const all = unarmed
    unarmed = []
    for (const one of all) one.arm()
  })
}

export interface ManualClock extends Clock {
  /** Advances the time and fires due timers, in order. */
  advance(ms: number): void
  /** Sets the time without firing timers: a corrected or wrong system clock. */
  set(now: number): void
  /** When the next timer is due, if there is one. */
  readonly next: number | undefined
}

/**
 * A clock that only moves by `advance` and `set`; `tickMs` is added at every reading, so that time passes in deterministic runs as well.
 *
 * @example
 * ```ts
 * import { manualClock } from 'mandate/testing'
 * const clock = manualClock(1_000)
 * clock.advance(500)
 * clock.now() // 1500
 * ```
 */
export function manualClock(start = 0, tickMs = 0): ManualClock {
  let now = start
  /** The part of the time that was added by `set`, by which monotonic time does not move. */
  let put = 0
  let order = 0
  const timers = new Map<number, { due: number; fire: () => void }>()
  const earliest = (): [number, { due: number; fire: () => void }] | undefined => {
    let best: [number, { due: number; fire: () => void }] | undefined
    for (const entry of timers) if (best === undefined || entry[1].due < best[1].due) best = entry
    return best
  }
  return {
    now: () => (now += tickMs),
    monotonic: () => (now += tickMs) - put,
    timer(ms, fire) {
      const id = order++
      timers.set(id, { due: now + Math.max(ms, 0), fire })
      return () => void timers.delete(id)
    },
    advance(ms) {
      const end = now + ms
      for (let head = earliest(); head !== undefined && head[1].due <= end; head = earliest()) {
        timers.delete(head[0])
        now = Math.max(now, head[1].due)
        head[1].fire()
      }
      now = Math.max(now, end)
    },
    set(value) {
      put += value - now
      now = value
    },
    get next() {
      return earliest()?.[1].due
    },
  }
}

type Immediate = (fire: () => void) => void

function chooseImmediate(): Immediate {
  const host = globalThis as { setImmediate?: Immediate }
  if (host.setImmediate !== undefined) return host.setImmediate
  const channel = new MessageChannel()
  const queue: (() => void)[] = []
  channel.port1.onmessage = () => queue.shift()?.()
  return (fire) => {
    queue.push(fire)
    channel.port2.postMessage(0)
  }
}

/** How many calls in a row use the tick queue before the event loop gets a turn, so that nothing else starves. */
const TURNS_KEPT = 16

const NOW: Promise<void> = Promise.resolve()
let immediate: Immediate | undefined
let kept = 0

/**
 * Calls back after all pending microtasks have run: the only time at which a mind is known to be waiting. Uses the platform's tick queue where there
 * is one, because a turn of the event loop polls the operating system.
 */
export function afterMicrotasks(fire: () => void): void {
  const { process: host } = globalThis as { process?: { nextTick?: (fire: () => void) => void } }
  if (host?.nextTick !== undefined && kept < TURNS_KEPT) {
    kept += 1
    // A tick runs after the microtasks only if it is requested from one. A promise, because `queueMicrotask` has overhead for async context tracking.
    void NOW.then(() => host.nextTick!(fire))
    return
  }
  afterTurn(fire)
}

/** The time budget of the callbacks in one turn of the event loop; the rest wait for the next turn, so that timers and sockets are served in between. */
const TURN_MS = 8

const turnQueue: (() => void)[] = []
/** Counts turns: a callback that is requested in this turn runs in the next. */
let turnCount = 0
let turnStart = 0

/**
 * Calls back after all callbacks that are ready now have run; used for batching across runs. In order of request; when many are due at once, they are
 * spread over several turns.
 */
export function afterTurn(fire: () => void): void {
  turnQueue.push(fire)
  askForTurn()
}

/** Resolves after all callbacks that are ready now have run: lets other work run between two parts of a long computation. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => afterTurn(resolve))
}

function askForTurn(): void {
  immediate ??= chooseImmediate()
  const asked = turnCount
  immediate(() => takeTurn(asked))
}

function takeTurn(asked: number): void {
  const now = performance.now()
  if (asked === turnCount) {
    turnCount += 1
    turnStart = now
  } else if (now - turnStart > TURN_MS) return askForTurn()
  kept = 0
  turnQueue.shift()!()
}

/** Resolves after `ms` of the given clock. */
export function delay(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.timer(ms, resolve))
}

/** Waits for `work`, but no longer than `ms`: then it returns or throws what `late` does. A later result of `work` is ignored. */
export function within<T>(clock: Clock, ms: number, work: Promise<T>, late: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = clock.timer(ms, () => {
      try {
        resolve(late())
      } catch (error) {
        reject(error)
      }
    })
    work.then(resolve, reject).finally(stop)
  })
}

/**
 * Measures real time from now on, in milliseconds. Takes the larger of the platform's two clocks: one may stop while the machine sleeps, the other
 * can be set back. Not for recorded times, which use the injected clock.
 */
export function stopwatch(): () => number {
  const steady = performance.now()
  const date = Date.now()
  return () => Math.max(performance.now() - steady, Date.now() - date)
}
