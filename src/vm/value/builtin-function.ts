import type { Json } from '../../core/index.ts'
import type { Guest } from './guest.ts'

/**
 * How labels propagate through a built-in; by default the result carries the labels of all inputs. `ask` and `ask-all` make a request with the first
 * argument, or with all: it carries their labels, and the labels of the result arrive with its outcome.
 */
export type Flow = 'join' | 'clean' | 'receiver' | 'ask' | 'ask-all'

/** One built-in: the only way for a program to call host code. */
export interface Builtin {
  readonly name: string
  readonly flow?: Flow | undefined
  /** Fixed units of fuel per call; work that grows with the input is charged inside, in advance. */
  readonly cost: number
  /** `length` as visible to programs. */
  readonly arity?: number | undefined
  call(receiver: Guest, args: Guest[]): Guest
  /** Variants for exactly zero, one and two arguments, which avoid the argument array. */
  readonly none?: ((receiver: Guest) => Guest) | undefined
  readonly one?: ((receiver: Guest, a: Guest) => Guest) | undefined
  readonly two?: ((receiver: Guest, a: Guest, b: Guest) => Guest) | undefined
}

/** A built-in as a value: `Math.max`, `String`, `JSON`. Immutable; without `builtin` it is a namespace. */
export class BuiltinFunction {
  /** Unique path, used by serialized values: `Math.max`, `string.slice`. */
  readonly path: string
  readonly builtin: Builtin | undefined
  /** The constructor, if `new` is allowed. */
  readonly construct: ((args: Guest[]) => Guest) | undefined
  readonly members: ReadonlyMap<string, Guest> | undefined
  /** The data that a namespace represents, and by which it is replaced when it leaves a program. */
  readonly standsFor: Json | undefined
  /** Whether it is a namespace of the host, such as `tools`, whose members are listed as in an object. Those of the language's own globals are not. */
  readonly isListed: boolean
  label = 0
  constructor(path: string, parts: BuiltinParts) {
    this.path = path
    this.builtin = parts.builtin
    this.construct = parts.construct
    this.members = parts.members
    this.standsFor = parts.standsFor
    this.isListed = parts.isListed ?? false
  }
}

interface BuiltinParts {
  readonly builtin?: Builtin | undefined
  readonly construct?: ((args: Guest[]) => Guest) | undefined
  readonly members?: ReadonlyMap<string, Guest> | undefined
  readonly standsFor?: Json | undefined
  readonly isListed?: boolean | undefined
}

/** Built-ins that convert a value; `new` makes no object of them. */
export const WRAPPERS: readonly string[] = ['Boolean', 'Number', 'String']

/** The members that an object of built-ins lists. */
export function listedMembers({ members, isListed }: BuiltinFunction): ReadonlyMap<string, Guest> {
  return isListed && members !== undefined ? members : NONE
}

const NONE: ReadonlyMap<string, Guest> = new Map()
