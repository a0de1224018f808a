import { invoke3, requireCallable } from '../machine/invoke.ts'
import { burn, charge } from '../meter/live.ts'
import { refused } from '../meter/stop.ts'
import type { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestMap, GuestSet } from '../value/collections.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray, newArray } from '../value/guest-array.ts'
import { GuestObject } from '../value/guest-object.ts'
import { iteratorOf } from '../machine/iteration/collection-iterator.ts'
import { ITERATOR } from '../value/symbols.ts'
import { pushItem } from '../value/property.ts'
import { readProperty } from '../value/prototypes/lookup.ts'
import { touchKey } from '../value/text/text.ts'
import { thrown } from '../value/thrown.ts'
import { itemCall } from './callbacks.ts'
import { itemsOf } from './iteration.ts'
import { type Rows, functions, global } from './constructors.ts'
import { describe, mapOf, setOf } from './argument-reads.ts'

const ENTRY_BYTES = 64

/** Charges for a key: looking up a long text reads all of it. */
function keyOf(key: Guest): Guest {
  if (typeof key === 'string') touchKey(key)
  return key
}

function put(map: GuestMap, key: Guest, value: Guest): void {
  const { size } = map.entries
  map.entries.set(keyOf(key), value)
  // A new key shows in the size, which saves a second lookup.
  if (map.entries.size !== size) charge(ENTRY_BYTES)
}

function add(set: GuestSet, value: Guest): void {
  const { size } = set.values
  set.values.add(keyOf(value))
  if (set.values.size !== size) charge(ENTRY_BYTES)
}

function makeMap(args: Guest[]): Guest {
  charge(ENTRY_BYTES)
  const map = new GuestMap()
  if (args[0] === undefined || args[0] === null) return map
  for (const entry of itemsOf(args[0])) {
    burn(150)
    if (entry instanceof GuestArray) put(map, entry.items[0], entry.items[1])
    else if (entry instanceof GuestObject) put(map, readProperty(entry, '0'), readProperty(entry, '1'))
    else throw thrown('TypeError', `Iterator value ${describe(entry)} is not an entry object`)
  }
  return map
}

function makeSet(args: Guest[]): GuestSet {
  charge(ENTRY_BYTES)
  const set = new GuestSet()
  if (args[0] === undefined || args[0] === null) return set
  for (const item of itemsOf(args[0])) {
    burn(150)
    add(set, item)
  }
  return set
}

function needsNew(name: string): never {
  throw thrown('TypeError', `Constructor ${name} requires 'new'`)
}

function groupBy(_: Guest, args: readonly Guest[]): Guest {
  const call = itemCall(args[1], 'Map.groupBy')
  const groups = new GuestMap()
  for (const [index, item] of itemsOf(args[0]).entries()) {
    burn(100)
    const key = call(item, index, undefined)
    let group = groups.entries.get(keyOf(key))
    if (!(group instanceof GuestArray)) {
      group = newArray([])
      put(groups, key, group)
    }
    pushItem(group, item)
  }
  return groups
}

/** `Map`. */
export const mapGlobal: BuiltinFunction = global('Map', {
  arity: 0,
  call: () => needsNew('Map'),
  construct: makeMap,
  members: functions('Map', { groupBy: [2, groupBy] }),
})

/** `Set`. */
export const setGlobal: BuiltinFunction = global('Set', { arity: 0, call: () => needsNew('Set'), construct: makeSet })

/** Live iteration, as in JavaScript: items added meanwhile are visited. */
function forEachEntry(receiver: Guest, fn: Guest): undefined {
  const map = mapOf(receiver, 'forEach')
  requireCallable(fn, 'forEach')
  for (const [key, value] of map.entries.entries()) {
    burn(40)
    invoke3(fn, value, key, map)
  }
}

function forEachValue(receiver: Guest, fn: Guest): undefined {
  const set = setOf(receiver, 'forEach')
  requireCallable(fn, 'forEach')
  for (const value of set.values.values()) {
    burn(40)
    invoke3(fn, value, value, set)
  }
}

/** Methods of maps. */
export const mapRows: Rows = {
  clear: [0, (receiver) => mapOf(receiver, 'clear').entries.clear() as undefined],
  delete: [1, (receiver, args) => mapOf(receiver, 'delete').entries.delete(keyOf(args[0]))],
  entries: [0, (receiver) => iteratorOf(mapOf(receiver, 'entries'), 'entries')],
  forEach: [1, (receiver, args) => forEachEntry(receiver, args[0])],
  get: [
    1,
    (receiver, args) => mapOf(receiver, 'get').entries.get(keyOf(args[0])),
    { one: (receiver, key) => mapOf(receiver, 'get').entries.get(keyOf(key)) },
  ],
  has: [
    1,
    (receiver, args) => mapOf(receiver, 'has').entries.has(keyOf(args[0])),
    { one: (receiver, key) => mapOf(receiver, 'has').entries.has(keyOf(key)) },
  ],
  keys: [0, (receiver) => iteratorOf(mapOf(receiver, 'keys'), 'keys')],
  set: [
    2,
    (receiver, args) => {
      put(mapOf(receiver, 'set'), args[0], args[1])
      return receiver
    },
    {
      two: (receiver, key, value) => {
        put(mapOf(receiver, 'set'), key, value)
        return receiver
      },
    },
  ],
  values: [0, (receiver) => iteratorOf(mapOf(receiver, 'values'))],
  [ITERATOR]: [0, (receiver) => iteratorOf(mapOf(receiver, 'entries'), 'entries')],
}

function valuesOf(receiver: Guest, method: string): Guest {
  return iteratorOf(setOf(receiver, method))
}

/** The other side of `a.union(b)`: a set, or the keys of a map. */
interface Other {
  readonly size: number
  has(value: Guest): boolean
  keys(): Iterable<Guest>
}

function otherSet(value: Guest): Other {
  if (value instanceof GuestSet) return value.values
  if (value instanceof GuestMap) return value.entries
  const message = `The argument must be a Set or a Map, not ${describe(value)}`
  throw value instanceof GuestObject ? refused(message) : thrown('TypeError', message)
}

/** Whether a value is in a set, charged for. */
function isIn(set: Other, value: Guest): boolean {
  burn(80)
  return set.has(keyOf(value))
}

/** The values of one side that are, or are not, on the other. */
function* chosen(from: Other, other: Other, isWanted: boolean): Generator<Guest> {
  for (const value of from.keys()) if (isIn(other, value) === isWanted) yield value
}

type Combining = 'union' | 'intersection' | 'difference' | 'symmetricDifference'
type Comparing = 'isSubsetOf' | 'isSupersetOf' | 'isDisjointFrom'

/** The set operations, with their result order as in JavaScript. */
const COMBINATIONS: Readonly<Record<Combining, (own: Other, other: Other) => Iterable<Guest>>> = {
  *union(own, other) {
    yield* own.keys()
    yield* other.keys()
  },
  intersection: (own, other) => (own.size <= other.size ? chosen(own, other, true) : chosen(other, own, true)),
  difference: (own, other) => chosen(own, other, false),
  *symmetricDifference(own, other) {
    yield* chosen(own, other, false)
    yield* chosen(other, own, false)
  },
}

function isSubset(own: Other, other: Other): boolean {
  if (own.size > other.size) return false
  for (const value of own.keys()) if (!isIn(other, value)) return false
  return true
}

const COMPARISONS: Readonly<Record<Comparing, (own: Other, other: Other) => boolean>> = {
  isSubsetOf: isSubset,
  isSupersetOf: (own, other) => isSubset(other, own),
  isDisjointFrom(own, other) {
    const [few, many] = own.size <= other.size ? [own, other] : [other, own]
    for (const value of few.keys()) if (isIn(many, value)) return false
    return true
  },
}

function combined(receiver: Guest, other: Guest, method: Combining): Guest {
  const { values } = setOf(receiver, method)
  const others = otherSet(other)
  const result = new GuestSet()
  charge(ENTRY_BYTES)
  for (const value of COMBINATIONS[method](values, others)) {
    burn(120)
    add(result, value)
  }
  return result
}

function compared(receiver: Guest, other: Guest, method: Comparing): boolean {
  const { values } = setOf(receiver, method)
  return COMPARISONS[method](values, otherSet(other))
}

/** Methods of sets. */
export const setRows: Rows = {
  add: [
    1,
    (receiver, args) => {
      add(setOf(receiver, 'add'), args[0])
      return receiver
    },
    {
      one: (receiver, value) => {
        add(setOf(receiver, 'add'), value)
        return receiver
      },
    },
  ],
  clear: [0, (receiver) => setOf(receiver, 'clear').values.clear() as undefined],
  delete: [1, (receiver, args) => setOf(receiver, 'delete').values.delete(keyOf(args[0]))],
  entries: [0, (receiver) => iteratorOf(setOf(receiver, 'entries'), 'entries')],
  forEach: [1, (receiver, args) => forEachValue(receiver, args[0])],
  has: [
    1,
    (receiver, args) => setOf(receiver, 'has').values.has(keyOf(args[0])),
    { one: (receiver, value) => setOf(receiver, 'has').values.has(keyOf(value)) },
  ],
  keys: [0, (receiver) => valuesOf(receiver, 'keys')],
  values: [0, (receiver) => valuesOf(receiver, 'values')],
  [ITERATOR]: [0, (receiver) => valuesOf(receiver, 'values')],
  ...Object.fromEntries(
    (Object.keys(COMBINATIONS) as Combining[]).map((name) => [
      name,
      [1, (receiver: Guest, args: Guest[]) => combined(receiver, args[0], name)] as const,
    ]),
  ),
  ...Object.fromEntries(
    (Object.keys(COMPARISONS) as Comparing[]).map((name) => [
      name,
      [1, (receiver: Guest, args: Guest[]) => compared(receiver, args[0], name)] as const,
    ]),
  ),
}
