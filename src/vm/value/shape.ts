/** Objects with more keys than this, or more computed keys than the second number, become dictionaries. */
export const SHAPE_KEYS_MAX = 32
export const COMPUTED_KEYS_MAX = 8
const SHAPES_MAX = 2_048
/** Limits of linear key search: comparing long texts would take time that is not charged for. */
const FEW = 8
const SHORT = 64

interface ShapeTree {
  count: number
  /** Objects of this tree may have setters on their prototypes, so a new key is not just added. */
  readonly isGuarded?: boolean
  instances?: Shape
  guarded?: Shape
}

/**
 * The shape (hidden class) of an object: which key is in which slot. Objects that got the same keys in the same order share one,
 * so that inline caches can read the slot without a lookup.
 */
export class Shape {
  readonly keys: readonly string[]
  #index: Map<string, number> | undefined
  /** Most shapes have one transition; a map is made for the second. */
  #only: Shape | undefined
  #next: Map<string, Shape> | undefined
  readonly #tree: ShapeTree

  constructor(keys: readonly string[], tree: ShapeTree) {
    this.keys = keys
    this.#tree = tree
  }

  /** The slot of a key, if any. Few short keys are searched linearly; for others a table is built on first use. */
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

  /** Whether a new key may run a setter of a prototype. */
  get isGuarded(): boolean {
    return this.#tree.isGuarded === true
  }

  /** The root shape of objects with a prototype; they have trees of their own, apart from plain objects. */
  instances(isGuarded: boolean): Shape {
    const tree = this.#tree
    if (isGuarded) return (tree.guarded ??= new Shape([], { count: 0, isGuarded }))
    return (tree.instances ??= new Shape([], { count: 0 }))
  }

  /** The shape with one more key; `undefined` if there are too many shapes or keys. */
  add(key: string): Shape | undefined {
    const { length } = this.keys
    if (this.#only !== undefined && this.#only.keys[length] === key) return this.#only
    const known = key.length > SHORT ? undefined : this.#next?.get(key)
    if (known !== undefined) return known
    // Shapes outlive a run, so they hold no long keys.
    if (key.length > SHORT || length >= SHAPE_KEYS_MAX || this.#tree.count >= SHAPES_MAX) return undefined
    this.#tree.count += 1
    const next = new Shape([...this.keys, key], this.#tree)
    if (this.#only === undefined) this.#only = next
    else (this.#next ??= new Map()).set(key, next)
    return next
  }
}

/** The root shape of a program: each program has its own tree, so that none can exhaust another's. */
export function rootShape(): Shape {
  return new Shape([], { count: 0 })
}

/** The shape of dictionary objects; never cached by inline caches. */
export const DICTIONARY: Shape = rootShape()
