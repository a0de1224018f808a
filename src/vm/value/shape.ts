/** Objects with more keys than this, or with keys made at run time beyond the second number, keep them in a map. */
export const SHAPE_KEYS_MAX = 32
export const COMPUTED_KEYS_MAX = 8
const SHAPES_MAX = 2_048
/** Keys that are compared one by one, and their length: comparing long texts would cost time that no fuel was charged for. */
const FEW = 8
const SHORT = 64

interface ShapeTree {
  count: number
}

/**
 * The layout of an object: which key is in which slot. Objects that got the same keys in the same order share one, so a
 * place in a program that sees one layout again reads the slot without looking the key up.
 */
export class Shape {
  readonly keys: readonly string[]
  #index: Map<string, number> | undefined
  /** Most layouts lead to one other: a map is made for the second. */
  #only: Shape | undefined
  #next: Map<string, Shape> | undefined
  readonly #tree: ShapeTree

  constructor(keys: readonly string[], tree: ShapeTree) {
    this.keys = keys
    this.#tree = tree
  }

  /** The slot of a key, if it has one. A few short keys are looked through; for others a table is made when first asked for. */
  slotOf(key: string): number | undefined {
    const { keys } = this
    if (keys.length > FEW || key.length > SHORT) return (this.#index ?? this.#makeIndex()).get(key)
    for (let slot = 0; slot < keys.length; slot++) if (keys[slot] === key) return slot
    return undefined
  }

  #makeIndex(): Map<string, number> {
    const index = new Map<string, number>()
    const { keys } = this
    for (let slot = 0; slot < keys.length; slot++) index.set(keys[slot]!, slot)
    return (this.#index = index)
  }

  /** The layout with one key more, or nothing when there are too many layouts or keys. */
  add(key: string): Shape | undefined {
    const { length } = this.keys
    if (this.#only !== undefined && this.#only.keys[length] === key) return this.#only
    const known = key.length > SHORT ? undefined : this.#next?.get(key)
    if (known !== undefined) return known
    // Layouts outlive a run, so a long key is not kept in one.
    if (key.length > SHORT || length >= SHAPE_KEYS_MAX || this.#tree.count >= SHAPES_MAX) return undefined
    this.#tree.count += 1
    const next = new Shape([...this.keys, key], this.#tree)
    if (this.#only === undefined) this.#only = next
    else (this.#next ??= new Map()).set(key, next)
    return next
  }
}

/** The empty layout of a program: each program has its own tree, so that no program can fill another's. */
export function rootShape(): Shape {
  return new Shape([], { count: 0 })
}

/** Stands for "the keys are in a map". No place in a program ever remembers it. */
export const DICTIONARY: Shape = rootShape()
