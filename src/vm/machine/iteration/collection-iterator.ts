import { burn, charge, live } from '../../meter/live.ts'
import { GuestMap, GuestSet } from '../../value/collections.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestNative, type IteratorMode } from '../../value/native/guest-native.ts'
import { GuestArray, newArrayOf } from '../../value/guest-array.ts'
import { touch } from '../../value/text/text.ts'
import { END, GuestIterator } from './guest-iterator.ts'

/** Sources of built-in iterators. */
type IteratorSource = GuestArray | GuestMap | GuestSet | GuestNative | string

/** The iterator of `keys()`, `values()`, `entries()` and `matchAll()`. Changes of its source during the iteration are visible. */
export class CollectionIterator extends GuestIterator {
  readonly receiver = 'iterator'
  /** Null once it has ended. */
  source: IteratorSource | null
  readonly mode: IteratorMode
  readonly type: string
  /** Number of items returned so far. */
  position = 0
  #walk: Iterator<[Guest, Guest]> | undefined

  constructor(source: IteratorSource | null, mode: IteratorMode, type: string = typeOf(source)) {
    super()
    this.source = source
    this.mode = mode
    this.type = type
  }

  get bytes(): number {
    return 96
  }

  override held(): readonly unknown[] {
    return [this.source]
  }

  get isStarted(): boolean {
    return this.position > 0 || this.source === null
  }

  /** Moves to a position, in a source that has not changed since. */
  moveTo(position: number): void {
    if (this.source instanceof GuestMap || this.source instanceof GuestSet)
      while (this.position < position && this.step() !== END);
    else this.position = position
  }

  /** Returns the number of items before the current position in the current state of the source. */
  placeNow(): number {
    const { source } = this
    if (!(source instanceof GuestMap || source instanceof GuestSet)) return this.position
    // The remaining items can only be counted by iterating over them.
    let left = 0
    for (let next = this.#walked(source).next(); next.done !== true; next = this.#walked(source).next()) left += 1
    const place = sizeOf(source) - left
    this.#walk = undefined
    const walk = this.#walked(source)
    for (let i = 0; i < place; i++) walk.next()
    return place
  }

  step(): Guest | typeof END {
    if (live.isLabelled) {
      // The items, their number and their order are those of the source.
      this.stepLabel = this.label | (live.machine.flow?.contentBits(this.source) ?? 0)
      live.label |= this.stepLabel
    }
    return this.#next()
  }

  #next(): Guest | typeof END {
    const { source } = this
    burn(40)
    if (source === null) return END
    if (source instanceof GuestArray) return this.#fromList(source)
    if (typeof source === 'string') return this.#fromText(source)
    if (source instanceof GuestNative) return this.#fromNative(source)
    const next = this.#walked(source).next()
    if (next.done === true) return this.#end()
    this.position += 1
    const [key, value] = next.value
    return this.#item(key, value)
  }

  #walked(source: GuestMap | GuestSet): Iterator<[Guest, Guest]> {
    return (this.#walk ??= source instanceof GuestMap ? source.entries.entries() : pairs(source))
  }

  #fromList({ items }: GuestArray): Guest | typeof END {
    const at = this.position
    if (at >= items.length) return this.#end()
    this.position = at + 1
    return this.#item(at, items[at])
  }

  #fromNative(source: GuestNative): Guest | typeof END {
    if (this.position >= (source.count ?? 0)) return this.#end()
    this.position += 1
    return source.itemAt(this.position - 1, this.mode)
  }

  #fromText(text: string): Guest | typeof END {
    touch(text)
    const code = text.codePointAt(this.position)
    if (code === undefined) return this.#end()
    const item = String.fromCodePoint(code)
    this.position += item.length
    charge(24 + item.length)
    return item
  }

  #item(key: Guest, value: Guest): Guest {
    if (this.mode === 'entries') return newArrayOf([key, value])
    return this.mode === 'keys' ? key : value
  }

  #end(): typeof END {
    this.source = null
    this.#walk = undefined
    return END
  }
}

function* pairs({ values }: GuestSet): Generator<[Guest, Guest]> {
  for (const value of values.values()) yield [value, value]
}

function sizeOf(source: GuestMap | GuestSet): number {
  return source instanceof GuestMap ? source.entries.size : source.values.size
}

function typeOf(source: IteratorSource | null): string {
  if (source instanceof GuestNative) return `${source.type} Iterator`
  if (source instanceof GuestMap) return 'Map Iterator'
  if (source instanceof GuestSet) return 'Set Iterator'
  return typeof source === 'string' ? 'String Iterator' : 'Array Iterator'
}

/** Makes an iterator over a collection. */
export function iteratorOf(source: IteratorSource, mode: IteratorMode = 'values', type?: string): CollectionIterator {
  charge(96)
  return new CollectionIterator(source, mode, type)
}
