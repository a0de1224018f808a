import { burn, charge, IN_TRY, live } from '../../meter/live.ts'
import type { Guest } from '../../value/guest.ts'
import type { Code, Frame } from '../../value/guest-function.ts'
import { type GuestObject, newObject } from '../../value/guest-object.ts'
import { type GuestPromise, REJECTED, type Waiter } from '../../value/guest-promise.ts'
import { carry } from '../../value/thrown.ts'
import { GuestNative } from '../../value/native/guest-native.ts'
import { Activation, GOT_RETURN, GOT_THROW, GOT_VALUE } from '../activation.ts'
import type { Giver, Got } from '../activation.ts'
import { drive } from '../driver.ts'
import { tooDeep } from '../invoke.ts'
import { newPromise, reject, resolve, subscribe } from '../promises/promises.ts'
import { ACTIVATION_BYTES } from '../waits.ts'

const AT_START = 0
const SUSPENDED = 1
/** State: running or waiting. */
const BUSY = 2
const ASYNC_DONE = 3

const REQUEST_BYTES = 64
const STEP_UNITS = 300

/** An unanswered call of `next`, `return` or `throw`. */
interface Asked {
  readonly value: Guest
  readonly got: Got
  readonly promise: GuestPromise
  readonly label: number
}

/** `{ value, done }` */
export function iteratorResult(value: Guest, isDone: boolean): GuestObject {
  const result = newObject()
  result.set('value', value)
  result.set('done', isDone)
  return result
}

/** An asynchronous generator. It processes one request after another. */
export class GuestAsyncGenerator extends GuestNative implements Giver {
  readonly receiver = 'asyncgenerator'
  readonly type = 'AsyncGenerator'
  readonly active: Activation
  state: 0 | 1 | 2 | 3 = AT_START
  readonly #queue: Asked[] = []
  #failure: { readonly value: Guest } | undefined

  constructor(code: Code, frame: Frame) {
    super()
    this.active = new Activation(code, frame, null, null)
    this.active.generator = this
  }

  get bytes(): number {
    return 96 + this.#queue.length * REQUEST_BYTES
  }

  override held(): readonly unknown[] {
    const asked = this.#queue.flatMap(({ value, promise }) => [value, promise])
    return this.state === ASYNC_DONE ? asked : [this.active, ...asked]
  }

  /** Requests the next item or an end; returns a promise of `{ value, done }`. `bits` is the label of the sent value. */
  ask(value: Guest, got: Got, bits: number): GuestPromise {
    charge(REQUEST_BYTES)
    burn(STEP_UNITS)
    const promise = newPromise()
    const { state } = this
    this.label |= live.pc & (IN_TRY - 1)
    this.#queue.push({ value, got, promise, label: bits })
    if (state === AT_START && got !== GOT_VALUE) this.#finish()
    if (state === ASYNC_DONE || this.state === ASYNC_DONE) {
      if (this.#queue.length === 1) this.#drain()
    } else if (state !== BUSY) this.#start()
    return promise
  }

  /** Runs until the parameters are initialized, which happens at the call. */
  begin(): void {
    this.state = BUSY
    this.#drive()
    if (this.#failure !== undefined) throw carry(this.#failure.value)
  }

  /** Runs up to the first wait, as a call of an `async` function does. */
  #start(): void {
    this.#take()
    this.#drive()
  }

  #take(): void {
    const [first] = this.#queue
    if (this.state !== AT_START) {
      this.active.label = first!.label
      this.active.receive(first!.value, first!.got)
    }
    this.state = BUSY
  }

  #drive(): void {
    const { depth, machine, pc, label } = live
    if (depth + this.active.code.nest > live.depthMax) tooDeep()
    machine.nativeDepth += 1
    drive(this.active)
    machine.nativeDepth -= 1
    live.depth = depth
    live.pc = pc
    live.label = label
  }

  given(value: Guest): Activation | null {
    const asked = this.#queue.shift()
    if (asked === undefined) {
      // The parameters are initialized.
      this.state = AT_START
      return null
    }
    this.#answer(asked.promise, value, false)
    this.state = SUSPENDED
    if (this.#queue.length === 0) return null
    this.#take()
    return this.active
  }

  ended(value: Guest, got: Got): Activation | null {
    this.#finish()
    const asked = this.#queue.shift()
    if (asked === undefined) {
      // A parameter could not be initialized.
      this.#failure = { value }
      return null
    }
    if (got === GOT_THROW) {
      asked.promise.label |= live.label | live.pc
      reject(asked.promise, value)
    } else this.#answer(asked.promise, value, true)
    this.#drain()
    return null
  }

  #answer(promise: GuestPromise, value: Guest, isDone: boolean): void {
    const bits = (live.label | live.pc) & (IN_TRY - 1)
    const result = iteratorResult(value, isDone)
    promise.label |= bits
    if (bits !== 0) result.label = bits
    resolve(promise, result)
  }

  #finish(): void {
    this.state = ASYNC_DONE
    this.active.frame.length = 2
  }

  /** Answers the requests to a generator that has ended. */
  #drain(): void {
    for (let asked = this.#queue[0]; asked !== undefined; asked = this.#queue[0]) {
      if (asked.got === GOT_RETURN) return subscribe(asked.value, new Returned(this))
      this.answerNext(asked.value, asked.got)
    }
  }

  /** Answers the first request of a generator that has ended. */
  answerNext(value: Guest, got: Got): void {
    const { promise, label } = this.#queue.shift()!
    promise.label |= label | this.label
    if (got === GOT_THROW) reject(promise, value)
    else resolve(promise, iteratorResult(got === GOT_RETURN ? value : undefined, true))
  }

  /** Called when the value of a requested return has settled. */
  returned({ state, value }: GuestPromise): void {
    this.answerNext(value, state === REJECTED ? GOT_THROW : GOT_RETURN)
    this.#drain()
  }
}

/** Waits for the value that an ended generator was requested to return. */
class Returned implements Waiter {
  readonly generator: GuestAsyncGenerator
  constructor(generator: GuestAsyncGenerator) {
    this.generator = generator
  }
  settled(promise: GuestPromise): void {
    this.generator.label |= promise.label
    this.generator.returned(promise)
  }
}

/** Calls an asynchronous generator function: nothing of its body runs yet. */
export function startAsyncGenerator(code: Code, frame: Frame, fillsParameters: boolean): GuestAsyncGenerator {
  charge(ACTIVATION_BYTES + 96 + frame.length * 8)
  const made = new GuestAsyncGenerator(code, frame)
  if (fillsParameters) made.begin()
  return made
}
