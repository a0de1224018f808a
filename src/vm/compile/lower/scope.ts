import type { Guest } from '../../value/guest.ts'

type VariableKind = 'let' | 'const' | 'var' | 'param' | 'function' | 'once'

/** A name in one scope, with the location of its value. */
export class Variable {
  readonly name: string
  readonly kind: VariableKind
  readonly fn: FunctionInfo
  readonly slot: number
  /** Whether an inner function captures it, so that it is stored in a box. */
  isCaptured = false
  /** It may be read in its temporal dead zone, so reads check. */
  isChecked = false
  isDeclared = false
  /** Identifies the variable of a session that has this name; unset for a variable of one program. */
  shared: object | undefined

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

/** The source of a captured variable: a slot of the enclosing function, or a box that function has captured. */
type Capture = { readonly variable: Variable; readonly up: number }

const FIRST_SLOT = 2

/** Facts about a whole program, collected before it is compiled. */
export interface ProgramFacts {
  /** Whether it has generators, symbols, or iterators held in variables. Iterating over a value may then change it and run code. */
  hasIterators: boolean
}

/** Facts about a function, collected before it is compiled. */
export class FunctionInfo {
  readonly parent: FunctionInfo | undefined
  readonly captures: Capture[] = []
  readonly #captureOf = new Map<Variable, number>()
  #next = FIRST_SLOT
  size: number = FIRST_SLOT
  /** Index among the functions of the program. */
  id = 0
  /** Deepest nesting of expressions and statements. */
  nest = 1
  /** Offset from the slot of a variable to that of its label, with label tracking. */
  labelOffset = 0
  hasLoop = false
  hasCall = false
  /** Whether it waits without being `async`: a JSON program or one of its helpers. */
  waits = false
  isAsync = false
  isGenerator = false
  /** Whether it is a generator whose parameters are initialized by code. */
  fillsParameters = false

  readonly program: ProgramFacts

  constructor(parent: FunctionInfo | undefined, program: ProgramFacts = { hasIterators: false }) {
    this.parent = parent
    this.program = program
  }

  takeSlot(): number {
    const slot = this.#next++
    if (this.#next > this.size) this.size = this.#next
    return slot
  }

  /** Slots of a block are reused after it. */
  get mark(): number {
    return this.#next
  }
  release(mark: number): void {
    this.#next = mark
  }

  /** A slot that is never reused, for values that must survive a suspension. */
  ownSlot(): number {
    return this.size++
  }

  /** The index of an outer variable among the captured boxes. */
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

  /** All names visible here. */
  visible(): string[] {
    return [...this.names.keys(), ...(this.parent?.visible() ?? [])]
  }

  close(): void {
    this.fn.release(this.#mark)
  }
}

/** Marks a variable in its temporal dead zone. Never visible to programs. */
export const UNSET: Guest = Object.freeze({ unset: true }) as never
