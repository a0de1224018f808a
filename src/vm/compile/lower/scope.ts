import type { Guest } from '../../value/guest.ts'

export type VariableKind = 'let' | 'const' | 'var' | 'param' | 'function' | 'once'

/** A name in one scope, and where its value is. */
export class Variable {
  readonly name: string
  readonly kind: VariableKind
  readonly fn: FunctionInfo
  readonly slot: number
  /** A function inside took it along: it lives in a box. */
  isCaptured = false
  /** It may be read before its declaration has run, so reads look. */
  isChecked = false
  isDeclared = false

  constructor(name: string, kind: VariableKind, fn: FunctionInfo) {
    this.name = name
    this.kind = kind
    this.fn = fn
    this.slot = fn.takeSlot()
  }

  get isConst(): boolean {
    return this.kind === 'const' || this.kind === 'once'
  }
}

/** Where a function finds a variable it takes along: a slot of the function around it, or a box that one already has. */
export type Capture = { readonly variable: Variable; readonly up: number }

const FIRST_SLOT = 2

/** What is known about a function before it is compiled. */
export class FunctionInfo {
  readonly parent: FunctionInfo | undefined
  readonly captures: Capture[] = []
  readonly #captureOf = new Map<Variable, number>()
  #next = FIRST_SLOT
  size: number = FIRST_SLOT
  /** Place among the functions of the program. */
  id = 0
  /** Deepest nesting of expressions and statements. */
  nest = 1
  /** From the slot of a variable to that of its labels, where labels are followed. */
  labelOffset = 0
  hasLoop = false
  hasCall = false
  /** It waits itself, without being an `async` function: a JSON program or a helper of one. */
  waits = false

  constructor(parent: FunctionInfo | undefined) {
    this.parent = parent
  }

  takeSlot(): number {
    const slot = this.#next++
    if (this.#next > this.size) this.size = this.#next
    return slot
  }

  /** Slots of a block are free again after it. */
  get mark(): number {
    return this.#next
  }
  release(mark: number): void {
    this.#next = mark
  }

  /** A slot that is never shared: for what must outlive a wait. */
  ownSlot(): number {
    return this.size++
  }

  /** The index of a variable of an outer function among the boxes this one carries. */
  capture(variable: Variable): number {
    const known = this.#captureOf.get(variable)
    if (known !== undefined) return known
    const up = this.parent === variable.fn ? -1 : this.parent!.capture(variable)
    const index = this.captures.length
    this.#captureOf.set(variable, index)
    this.captures.push({ variable, up })
    return index
  }
}

/** Names that one block declares. */
export class Scope {
  readonly parent: Scope | undefined
  readonly fn: FunctionInfo
  readonly names: Map<string, Variable> = new Map()
  readonly #mark: number

  constructor(parent: Scope | undefined, fn: FunctionInfo) {
    this.parent = parent
    this.fn = fn
    this.#mark = fn.mark
  }

  declare(name: string, kind: VariableKind): Variable {
    const variable = new Variable(name, kind, this.fn)
    this.names.set(name, variable)
    return variable
  }

  find(name: string): Variable | undefined {
    return this.names.get(name) ?? this.parent?.find(name)
  }

  /** Every name that can be used here. */
  visible(): string[] {
    return [...this.names.keys(), ...(this.parent?.visible() ?? [])]
  }

  close(): void {
    this.fn.release(this.#mark)
  }
}

/** A variable whose declaration has not run yet. Never seen by programs. */
export const UNSET: Guest = Object.freeze({ unset: true }) as never
