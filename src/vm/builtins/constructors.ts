import { type Builtin, BuiltinFunction, type Flow } from '../value/builtin-function.ts'
import type { Guest } from '../value/guest.ts'

/** The implementation of a built-in. */
type Call = (receiver: Guest, args: Guest[]) => Guest

/** Fixed units of one call. */
const CALL_COST = 200

interface MethodParts {
  readonly cost?: number | undefined
  readonly flow?: Flow | undefined
  readonly none?: Builtin['none']
  readonly one?: Builtin['one']
  readonly two?: Builtin['two']
}

/** One built-in function. The last part of its path is its name. */
export function func(path: string, arity: number, call: Call, parts: MethodParts = {}): BuiltinFunction {
  const name = path.slice(path.lastIndexOf('.') + 1)
  const { cost = CALL_COST, flow, none, one, two } = parts
  // All built-ins have the same shape, because call sites read these fields of any built-in.
  const builtin: Builtin = { name, cost, arity, call, flow, none, one, two }
  return new BuiltinFunction(path, { builtin })
}

/** One built-in in a table: its `length`, its work, and faster forms of it. */
export type Row = readonly [arity: number, call: Call, parts?: MethodParts]

/** The methods of one receiver or the members of one global. */
export type Rows = { readonly [name: string]: Row }

/** Types a row whose name exists on every host object (such as `toString`), for which the type checker takes no hint from the table. */
export function row(arity: number, call: Call): Row {
  return [arity, call]
}

/** Makes functions from rows; a row's path is the owner's name and its own. */
export function functions(owner: string, rows: Rows): Map<string, BuiltinFunction> {
  const made = new Map<string, BuiltinFunction>()
  for (const [name, [arity, call, parts]] of Object.entries(rows))
    made.set(name, func(`${owner}.${name}`, arity, call, parts))
  return made
}

/** A namespace global: `Math`. */
export function namespace(path: string, members: ReadonlyMap<string, Guest>): BuiltinFunction {
  return new BuiltinFunction(path, { members })
}

interface GlobalParts {
  readonly arity?: number | undefined
  readonly call: Call
  readonly construct?: ((args: Guest[]) => Guest) | undefined
  readonly members?: ReadonlyMap<string, Guest> | undefined
}

/** A global that is called, constructed, or both: `String`, `Map`. */
export function global(path: string, parts: GlobalParts): BuiltinFunction {
  const builtin: Builtin = { name: path, cost: CALL_COST, arity: parts.arity ?? 1, call: parts.call }
  return new BuiltinFunction(path, { builtin, construct: parts.construct, members: parts.members })
}
