import { MandateError } from '../core/index.ts'
import type { BuiltinFunction } from './value/builtin-function.ts'
import type { Guest } from './value/guest.ts'

export const RECEIVERS = [
  'string',
  'number',
  'boolean',
  'object',
  'array',
  'function',
  'map',
  'set',
  'date',
  'regexp',
  'promise',
  'error',
] as const
export type Receiver = (typeof RECEIVERS)[number]

/**
 * The table of everything a program can call or read that is not its own: methods by the type of the receiver, and globals.
 * Look-ups are in maps, so no name reaches a host prototype. A table is filled once, at load, and then shared and frozen.
 */
export class BuiltinTable {
  readonly methods: ReadonlyMap<Receiver, ReadonlyMap<string, BuiltinFunction>>
  /** Properties that are computed and are not methods: `length` of strings, `size` of maps. */
  readonly getters: ReadonlyMap<Receiver, ReadonlyMap<string, (receiver: never) => Guest>>
  readonly globals: ReadonlyMap<string, Guest>

  constructor(parts: BuiltinTableParts) {
    this.methods = parts.methods
    this.getters = parts.getters
    this.globals = parts.globals
  }
}

export interface BuiltinTableParts {
  readonly methods: ReadonlyMap<Receiver, ReadonlyMap<string, BuiltinFunction>>
  readonly getters: ReadonlyMap<Receiver, ReadonlyMap<string, (receiver: never) => Guest>>
  readonly globals: ReadonlyMap<string, Guest>
}

/** Lays tables over one another; a name may be declared once only. */
export function joinTables(...tables: readonly BuiltinTable[]): BuiltinTable {
  const methods = new Map<Receiver, ReadonlyMap<string, BuiltinFunction>>()
  const getters = new Map<Receiver, ReadonlyMap<string, (receiver: never) => Guest>>()
  const globals = new Map<string, Guest>()
  for (const table of tables) {
    for (const [receiver, own] of table.methods) methods.set(receiver, joinNames(receiver, methods.get(receiver), own))
    for (const [receiver, own] of table.getters) getters.set(receiver, joinNames(receiver, getters.get(receiver), own))
    for (const [name, value] of table.globals) globals.set(name, value)
  }
  return new BuiltinTable({ methods, getters, globals })
}

function joinNames<T>(
  receiver: string,
  first: ReadonlyMap<string, T> | undefined,
  second: ReadonlyMap<string, T>,
): ReadonlyMap<string, T> {
  for (const name of second.keys())
    if (first?.has(name)) throw new MandateError('DUPLICATE', `The built-in \`${receiver}.${name}\` is declared twice.`)
  return new Map([...(first ?? []), ...second])
}
