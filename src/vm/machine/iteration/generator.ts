import { burn, charge, IN_TRY, live } from '../../meter/live.ts'
import type { Guest } from '../../value/guest.ts'
import type { Code, Frame } from '../../value/guest-function.ts'
import { carry, thrown } from '../../value/thrown.ts'
import { Activation, GOT_RETURN, GOT_THROW, GOT_VALUE, WHY_GIVE } from '../activation.ts'
import type { Got } from '../activation.ts'
import { drive } from '../driver.ts'
import { tooDeep } from '../invoke.ts'
import { ACTIVATION_BYTES } from '../waits.ts'
import { END, GuestIterator } from './guest-iterator.ts'

const AT_START = 0
export const SUSPENDED = 1
const RUNNING = 2
export const DONE = 3

/** Units of a step besides what the generator computes. */
const STEP_UNITS = 300
const CUT = 'The generator cannot go on, because labels are followed now. Make it again.'
/** Native stack frames of a step besides those of the body. */
const STEP_NEST = 4

/** A generator: a function that is suspended where it yields. */
export class GuestGenerator extends GuestIterator {
  readonly receiver = 'generator'
  readonly type = 'Generator'
  readonly active: Activation
  state: 0 | 1 | 2 | 3 = AT_START
  #value: Guest = undefined
  #hasThrown = false
  #isCut = false

  constructor(code: Code, frame: Frame) {
    super()
    this.active = new Activation(code, frame, null, null)
    this.active.generator = this
  }

  get bytes(): number {
    return 64
  }

  override held(): readonly unknown[] {
    return this.state === DONE ? [] : [this.active]
  }

  step(): Guest | typeof END {
    const value = this.resume(undefined, GOT_VALUE, 0)
    return this.state === DONE ? END : value
  }

  override close(): void {
    this.resume(undefined, GOT_RETURN, 0)
  }

  /** Runs up to the next `yield` or the end, and returns the yielded or returned value. `bits` is the label of the sent value. */
  resume(value: Guest, got: Got, bits: number): Guest {
    const { state, active } = this
    if (this.#isCut) throw thrown('Error', CUT)
    if (state === RUNNING) throw thrown('TypeError', 'Generator is already running')
    if (state === DONE || (state === AT_START && got !== GOT_VALUE)) {
      this.#finish()
      live.label |= bits
      if (got === GOT_THROW) throw carry(value)
      return got === GOT_RETURN ? value : undefined
    }
    if (state === SUSPENDED) {
      active.label = bits
      active.receive(value, got)
    }
    burn(STEP_UNITS)
    return this.#run()
  }

  /** Continues a deserialized generator at its position, which is in its frame. */
  goOn(): void {
    this.state = SUSPENDED
    this.active.isStarted = true
    this.active.why = WHY_GIVE
  }

  /** Drops its function. With `isCut`, later requests throw an error. */
  abandon(isCut: boolean): void {
    this.#finish()
    this.#isCut = isCut
  }

  /** Runs until the parameters are initialized, which happens at the call. */
  begin(): void {
    this.#run()
    if (this.state === SUSPENDED) this.state = AT_START
  }

  #run(): Guest {
    const { active } = this
    const { depth, machine, pc } = live
    if (live.isLabelled) this.label |= pc & (IN_TRY - 1)
    if (depth + active.code.nest + STEP_NEST > live.depthMax) tooDeep()
    live.depth = depth + STEP_NEST
    this.state = RUNNING
    machine.nativeDepth += 1
    drive(active)
    machine.nativeDepth -= 1
    live.depth = depth
    this.stepLabel = live.pc & (IN_TRY - 1)
    live.pc = (pc & IN_TRY) === 0 ? pc : live.pc | pc
    const given = this.#value
    this.#value = undefined
    if (!this.#hasThrown) return given
    this.#hasThrown = false
    throw carry(given)
  }

  /** Called by the driver at a `yield`. */
  given(value: Guest): null {
    this.state = SUSPENDED
    this.#value = value
    return null
  }

  /** Called by the driver when the function has returned or thrown. */
  ended(value: Guest, got: Got): null {
    this.#finish()
    this.#value = value
    this.#hasThrown = got === GOT_THROW
    return null
  }

  #finish(): void {
    this.state = DONE
    this.active.frame.length = 2
  }
}

/** Calls a generator function: nothing of its body runs yet. */
export function startGenerator(code: Code, frame: Frame, fillsParameters: boolean): GuestGenerator {
  charge(ACTIVATION_BYTES + 64 + frame.length * 8)
  const made = new GuestGenerator(code, frame)
  if (fillsParameters) made.begin()
  return made
}
