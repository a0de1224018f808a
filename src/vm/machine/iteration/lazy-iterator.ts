import { burn, live } from '../../meter/live.ts'
import type { Guest } from '../../value/guest.ts'
import { thrown } from '../../value/thrown.ts'
import { caught } from '../caught.ts'
import { invoke2, tooDeep } from '../invoke.ts'
import { anyCursor } from './delegate.ts'
import { type Cursor, END, GuestIterator } from './guest-iterator.ts'

const STEP_NEST = 4

export type LazyKind = 'map' | 'filter' | 'take' | 'drop' | 'flatMap' | 'wrap'

/** A lazy iterator over another one: `iterator.map(f)`. */
export class LazyIterator extends GuestIterator {
  readonly receiver = 'iteratorhelper'
  readonly type = 'Iterator Helper'
  readonly kind: LazyKind
  readonly source: Cursor
  /** The guest value of the source, which remains referenced. */
  readonly over: Guest
  readonly fn: Guest
  /** Items still to be taken or dropped. */
  left: number
  #count = 0
  #inner: Cursor | undefined
  #isDone = false
  #isRunning = false

  constructor(kind: LazyKind, over: Guest, source: Cursor, { fn, left = 0 }: { fn?: Guest; left?: number }) {
    super()
    this.kind = kind
    this.over = over
    this.source = source
    this.fn = fn
    this.left = left
  }

  get bytes(): number {
    return 128
  }

  override held(): readonly unknown[] {
    return [this.over, this.fn, this.#inner]
  }

  step(): Guest | typeof END {
    const { depth } = live
    if (depth + STEP_NEST > live.depthMax) tooDeep()
    if (this.#isRunning) throw thrown('TypeError', 'Generator is already running')
    burn(100)
    if (this.#isDone) return END
    live.depth = depth + STEP_NEST
    this.#isRunning = true
    this.stepLabel = this.label
    let item: Guest | typeof END
    try {
      item = this.#next()
    } catch (error) {
      caught(error)
      this.#isDone = true
      throw error
    } finally {
      this.#isRunning = false
    }
    live.depth = depth
    if (item === END) this.#isDone = true
    return item
  }

  override close(): void {
    if (this.#isDone) return
    this.#isDone = true
    this.#inner?.close()
    this.source.close()
  }

  #pull(): Guest | typeof END {
    live.label = 0
    const item = this.source.step()
    this.stepLabel |= this.source.stepLabel
    return item
  }

  #next(): Guest | typeof END {
    switch (this.kind) {
      case 'take':
        if (this.left <= 0) {
          this.source.close()
          return END
        }
        this.left -= 1
        return this.#pull()
      case 'drop':
        for (; this.left > 0; this.left -= 1) if (this.#pull() === END) return END
        return this.#pull()
      case 'filter':
        return this.#filtered()
      case 'flatMap':
        return this.#flat()
      case 'map': {
        const item = this.#pull()
        return item === END ? END : this.#called(item)
      }
      default:
        return this.#pull()
    }
  }

  #filtered(): Guest | typeof END {
    for (;;) {
      const item = this.#pull()
      if (item === END) return END
      const bits = live.label
      const isKept = Boolean(this.#called(item))
      // The test decides which items are returned.
      this.stepLabel |= live.label
      live.label = bits
      if (isKept) return item
    }
  }

  #flat(): Guest | typeof END {
    for (;;) {
      const inner = this.#inner
      if (inner !== undefined) {
        live.label = 0
        const item = inner.step()
        this.stepLabel |= inner.stepLabel
        if (item !== END) return item
        this.#inner = undefined
      }
      const next = this.#pull()
      if (next === END) return END
      const made = this.#called(next)
      this.stepLabel |= live.label
      this.#inner = this.#guarded(() => {
        if (typeof made === 'string' || typeof made !== 'object')
          throw thrown('TypeError', `${typeof made} is not an object`)
        return anyCursor(made)
      })
    }
  }

  #called(item: Guest): Guest {
    const index = this.#count
    this.#count += 1
    return this.#guarded(() => callWithLabel(this.fn, item, index, live.label | this.stepLabel))
  }

  /** Runs a callback. An exception also closes the source. */
  #guarded<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      closeAfter(this.source, error)
      throw error
    }
  }
}

/** Closes a source because of an exception, which takes precedence over one of the source. */
export function closeAfter(source: Cursor, error: unknown): void {
  caught(error)
  const { depth, label } = live
  try {
    source.close()
  } catch (failure) {
    caught(failure)
  }
  live.depth = depth
  live.label = label
}

/** Calls a callback with an item that has a label; `live.label` then has that of the result. */
export function callWithLabel(fn: Guest, item: Guest, index: Guest, bits: number): Guest {
  const { callbackLabel } = live
  live.callbackLabel |= bits
  live.label = bits
  const result = invoke2(fn, item, index)
  live.callbackLabel = callbackLabel
  return result
}
