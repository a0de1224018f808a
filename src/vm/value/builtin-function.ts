import type { Guest } from './guest.ts'

/** How labels pass through a built-in: by default what comes out carries the labels of everything that went in. */
export type Flow = 'join' | 'clean' | 'receiver' | 'ask'

/** One built-in: the only way from a program to code of ours. */
export interface Builtin {
  readonly name: string
  readonly flow?: Flow | undefined
  /** Units of fuel per call, whatever the size; work that grows with the input is burnt inside, before it is done. */
  readonly cost: number
  /** `length` as programs see it. */
  readonly arity?: number | undefined
  call(receiver: Guest, args: Guest[]): Guest
  /** The same for exactly no, one and two arguments, where making a list of arguments would cost more than the work. */
  none?(receiver: Guest): Guest
  one?(receiver: Guest, a: Guest): Guest
  two?(receiver: Guest, a: Guest, b: Guest): Guest
}

/** A built-in as a value: `Math.max`, `String`, `JSON`. Immutable; without `builtin` it is only a name for its members. */
export class BuiltinFunction {
  /** Unique path, which is how kept values name it: `Math.max`, `string.slice`. */
  readonly path: string
  readonly builtin: Builtin | undefined
  /** What `new` does, where it is allowed. */
  readonly construct: ((args: Guest[]) => Guest) | undefined
  readonly members: ReadonlyMap<string, Guest> | undefined
  label = 0
  constructor(path: string, parts: BuiltinParts) {
    this.path = path
    this.builtin = parts.builtin
    this.construct = parts.construct
    this.members = parts.members
  }
}

export interface BuiltinParts {
  readonly builtin?: Builtin | undefined
  readonly construct?: ((args: Guest[]) => Guest) | undefined
  readonly members?: ReadonlyMap<string, Guest> | undefined
}
