import { COST } from '../../meter/cost.ts'
import { IN_TRY, burn, charge, chargeList, live } from '../../meter/live.ts'
import { Stop } from '../../meter/stop.ts'
import { TIMER_KIND } from '../../port.ts'
import { type Builtin, BuiltinFunction } from '../../value/builtin-function.ts'
import { toNumber } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestFunction } from '../../value/guest-function.ts'
import { GuestError } from '../../value/guest-object.ts'
import { FULFILLED, REJECTED } from '../../value/guest-promise.ts'
import type { GuestPromise, Waiter } from '../../value/guest-promise.ts'
import { GuestNative } from '../../value/native/guest-native.ts'
import { carry } from '../../value/thrown.ts'
import type { Activation } from '../activation.ts'
import { invoke, requireCallable } from '../invoke.ts'
import { settle } from '../settle.ts'
import { activationOf } from '../waits.ts'
import { attempt, decided } from './promise-waiters.ts'
import { newPromise, subscribe } from './promises.ts'

const TIMER_BYTES = 128
/** Longer delays are 1 ms, as in other engines. */
const DELAY_MAX = 2 ** 31 - 1

/** The result of `setTimeout` and `setInterval`. It has no number, because that would reveal how many timers were created. */
class GuestTimer extends GuestNative {
  readonly receiver = 'timer' as const
  readonly type = 'Timeout'
  readonly callback: Guest
  readonly args: Guest[]
  readonly delay: number
  readonly isRepeated: boolean
  isActive = true
  /** Program counter label when it was set. */
  readonly pc: number = live.pc & ~IN_TRY

  constructor(callback: Guest, args: Guest[], delay: number, isRepeated: boolean) {
    super()
    this.callback = callback
    this.args = args
    this.delay = delay
    this.isRepeated = isRepeated
  }

  get bytes(): number {
    return TIMER_BYTES
  }

  override held(): readonly unknown[] {
    return [this.callback, ...this.args]
  }
}

/** Returns the label of whether the callback is called: of the control flow that set the timer, and of the data that may have cleared it. */
function labelOf(timer: GuestTimer): number {
  return timer.pc | timer.label | live.heapFloor
}

/** Requests a wait from the host; under the kernel it is a durable effect. */
function arm(timer: GuestTimer): void {
  // The same request as that of the global function `sleep`.
  subscribe(live.machine.waiting.request(TIMER_KIND, 'sleep', timer.delay), new Fire(timer))
}

/** Calls the callback of a timer when it is due. */
class Fire implements Waiter {
  readonly timer: GuestTimer
  begun: Activation | undefined

  constructor(timer: GuestTimer) {
    this.timer = timer
  }

  settled(promise: GuestPromise): void {
    const { timer } = this
    if (promise.state === REJECTED) throw unmet(promise.value)
    const { flow } = live.machine
    const bits = labelOf(timer) | promise.label
    const { callback, args } = timer
    flow?.noteSkippedCallback(callback, bits, timer.isRepeated)
    if (timer.isActive) {
      if (!timer.isRepeated) timer.isActive = false
      const result = newPromise()
      subscribe(result, new After(timer))
      const done = decided(result, bits, bits)
      if (flow === undefined && callback instanceof GuestFunction && callback.code.isLong && !callback.code.isAsync)
        this.begun = activationOf(callback, args, result)
      else
        attempt(result, () => {
          invoke(callback, [...args])
          settle(result, FULFILLED, undefined)
        })
      done()
    }
    // In another execution the timer may have been cleared; the callback may have done it itself.
    flow?.noteSkippedCallback(callback, bits | labelOf(timer), timer.isRepeated)
  }
}

/** Runs after a callback: an exception ends the program, as an uncaught error does; an interval continues. */
class After implements Waiter {
  readonly timer: GuestTimer

  constructor(timer: GuestTimer) {
    this.timer = timer
  }

  settled(promise: GuestPromise): void {
    if (promise.state === REJECTED) throw carry(promise.value)
    if (!this.timer.isActive || !this.timer.isRepeated) return
    live.pc = labelOf(this.timer)
    arm(this.timer)
    live.pc = 0
  }
}

/** Returns the stop of a program whose wait the host refused, so that the callback can never be called. */
function unmet(reason: Guest): Stop {
  const isError = reason instanceof GuestError
  const message = isError ? reason.message : 'The wait of a timer failed.'
  return new Stop({ code: ((isError && reason.code) || 'TOOL_FAILED') as 'TOOL_FAILED', message })
}

function set(name: string, args: readonly Guest[], isRepeated: boolean): Guest {
  const [callback, ms, ...rest] = args
  requireCallable(callback, `The callback of ${name}`)
  const given = Math.trunc(toNumber(ms))
  const delay = given >= 1 && given <= DELAY_MAX ? given : 1
  charge(TIMER_BYTES)
  chargeList(rest.length)
  burn(rest.length * 100)
  const timer = new GuestTimer(callback, rest, delay, isRepeated)
  arm(timer)
  return timer
}

/** Clears a timer. It stays pending until it is due, so that the clearing is not observable before. */
function clear(timer: Guest): Guest {
  if (timer instanceof GuestTimer) timer.isActive = false
  return undefined
}

function builtin(name: string, arity: number, call: Builtin['call']): [string, BuiltinFunction] {
  return [name, new BuiltinFunction(name, { builtin: { name, cost: COST.request * 4, arity, call } })]
}

/** `setTimeout`, `setInterval` and the functions that clear them. */
export const timerFunctions: ReadonlyMap<string, BuiltinFunction> = new Map([
  builtin('setTimeout', 2, (_, args) => set('setTimeout', args, false)),
  builtin('setInterval', 2, (_, args) => set('setInterval', args, true)),
  builtin('setImmediate', 1, (_, [callback, ...rest]) => set('setImmediate', [callback, 1, ...rest], false)),
  builtin('clearTimeout', 1, (_, [timer]) => clear(timer)),
  builtin('clearInterval', 1, (_, [timer]) => clear(timer)),
  builtin('clearImmediate', 1, (_, [timer]) => clear(timer)),
])

function method(name: string, call: Builtin['call']): [string, BuiltinFunction] {
  const path = `timer.${name}`
  return [name, new BuiltinFunction(path, { builtin: { name, cost: COST.call, arity: 0, call } })]
}

/** Methods of timers. Timers do not keep a program running: it ends when it has its value. */
export const timerMethods: ReadonlyMap<string, BuiltinFunction> = new Map([
  method('hasRef', () => true),
  method('ref', (receiver) => receiver),
  method('unref', (receiver) => receiver),
])
