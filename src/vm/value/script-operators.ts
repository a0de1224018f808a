import { COST } from '../meter/cost.ts'
import { burn, live } from '../meter/live.ts'
import { BuiltinFunction } from './builtin-function.ts'
import { receiverOf, toKey, toNumber, toPrimitive, toText } from './convert.ts'
import type { Guest } from './guest.ts'
import { GuestArray } from './guest-array.ts'
import { GuestFunction } from './guest-function.ts'
import { GuestError, GuestObject, isIndexKey } from './guest-object.ts'
import { GuestNative } from './native/guest-native.ts'
import { hasProperty as hasOwnOrInherited, hasStatic, isBare } from './prototypes/lookup.ts'
import { OPERATIONS, number, strictEquals } from './operators.ts'
import type { Operation } from './operators.ts'
import { GuestSymbol } from './symbols.ts'
import { touchKey } from './text/text.ts'
import { thrown } from './thrown.ts'

/** JavaScript's `a == b`. */
function looseEquals(a: Guest, b: Guest): boolean {
  if (typeof a === 'string' && typeof b === 'string') return strictEquals(a, b)
  if (a === b) return true
  if (a === null || a === undefined) return b === null || b === undefined
  if (b === null || b === undefined || typeof a === typeof b) return false
  // A symbol is equal only to itself and to an object that becomes it, which no object here does.
  if (a instanceof GuestSymbol || b instanceof GuestSymbol) return false
  if (typeof a === 'object') return looseEquals(toPrimitive(a, 'default'), b)
  if (typeof b === 'object') return looseEquals(a, toPrimitive(b, 'default'))
  return toNumber(a) === toNumber(b)
}

function hasProperty(key: Guest, target: Guest): boolean {
  burn(COST.node)
  if (target instanceof GuestArray) {
    if (typeof key === 'number') return key in target.items
    const name = toKey(key)
    if (isIndexKey(name)) return name in target.items
    return name === 'length' || target.named?.has(name) === true || isInTable(target, name)
  }
  if (typeof target !== 'object' || target === null)
    throw thrown('TypeError', `Cannot use 'in' operator to search for '${toKey(key)}' in ${toText(target)}`)
  const name = toKey(key)
  touchKey(name)
  if (target instanceof GuestObject && hasOwnOrInherited(target, name)) return true
  if (target instanceof GuestObject && isBare(target)) return false
  if (target instanceof GuestFunction && hasStatic(target, name)) return true
  if (target instanceof GuestNative && target.isIndexed && isIndexKey(name)) return Number(name) < target.count!
  if (target instanceof BuiltinFunction && target.members?.has(name)) return true
  return (target instanceof GuestError && hasUnlisted(target, name)) || isInTable(target, name)
}

function hasUnlisted({ cause, errors }: GuestError, name: string): boolean {
  if (name === 'cause') return cause !== undefined
  return name === 'errors' ? errors !== undefined : ['name', 'message', 'stack'].includes(name)
}

/** Whether the type of the value has a built-in of this name. */
function isInTable(target: Guest, name: string): boolean {
  const isOnlyName = target instanceof BuiltinFunction && target.builtin === undefined
  const receiver = isOnlyName ? 'object' : receiverOf(target)!
  const { methods, getters } = live.machine.builtins
  return methods.get(receiver)?.has(name) === true || getters.get(receiver)?.has(name) === true
}

/** The script-only operators, and `==` with JavaScript semantics. */
export const SCRIPT_OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ...OPERATIONS,
  ['==', looseEquals],
  ['!=', (a, b) => !looseEquals(a, b)],
  ['&', (a, b) => number(a) & number(b)],
  ['|', (a, b) => number(a) | number(b)],
  ['^', (a, b) => number(a) ^ number(b)],
  ['<<', (a, b) => number(a) << number(b)],
  ['>>', (a, b) => number(a) >> number(b)],
  ['>>>', (a, b) => number(a) >>> number(b)],
  ['in', hasProperty],
])
