import { GOT_RETURN, GOT_THROW, GOT_VALUE } from '../machine/activation.ts'
import { GuestAsyncGenerator, iteratorResult } from '../machine/iteration/async-generator.ts'
import { cursorOf, drain, ObjectCursor, used } from '../machine/iteration/cursors.ts'
import { anyCursor } from '../machine/iteration/delegate.ts'
import { DONE, GuestGenerator } from '../machine/iteration/generator.ts'
import { END, GuestIterator } from '../machine/iteration/guest-iterator.ts'
import type { Cursor } from '../machine/iteration/guest-iterator.ts'
import { allItems } from '../machine/iteration/iterate.ts'
import { callWithLabel, closeAfter, type LazyKind, LazyIterator } from '../machine/iteration/lazy-iterator.ts'
import { invoke3, requireCallable } from '../machine/invoke.ts'
import { burn, charge, live } from '../meter/live.ts'
import type { BuiltinFunction } from '../value/builtin-function.ts'
import { isCallable, toNumber } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { GuestObject } from '../value/guest-object.ts'
import { readProperty } from '../value/prototypes/lookup.ts'
import { ASYNC_ITERATOR, ITERATOR } from '../value/symbols.ts'
import { thrown } from '../value/thrown.ts'
import { describe } from './argument-reads.ts'
import { functions, namespace, type Rows } from './constructors.ts'

function iteratorOf(receiver: Guest, method: string): GuestIterator {
  if (receiver instanceof GuestIterator) return used(receiver)
  throw thrown('TypeError', `${method} is not a function of ${describe(receiver)}`)
}

function generatorOf(receiver: Guest, method: string): GuestGenerator {
  if (receiver instanceof GuestGenerator) return used(receiver)
  throw thrown('TypeError', `${method} method called on incompatible receiver ${describe(receiver)}`)
}

function next(receiver: Guest): Guest {
  const item = iteratorOf(receiver, 'next').step()
  return iteratorResult(item === END ? undefined : item, item === END)
}

function resumed(receiver: Guest, value: Guest, got: 1 | 2 | 3, name: string): Guest {
  const generator = generatorOf(receiver, name)
  const given = generator.resume(value, got, live.label)
  return iteratorResult(given, generator.state === DONE)
}

function helper(kind: LazyKind): (receiver: Guest, args: readonly Guest[]) => Guest {
  return (receiver, args) => {
    const source = iteratorOf(receiver, kind)
    closing(source, () => requireCallable(args[0], describe(args[0])))
    charge(128)
    return new LazyIterator(kind, source, source, { fn: args[0] })
  }
}

/** An argument that is not valid closes the iterator. */
function closing<T>(source: Cursor, work: () => T): T {
  try {
    return work()
  } catch (error) {
    closeAfter(source, error)
    throw error
  }
}

function limited(kind: 'take' | 'drop'): (receiver: Guest, args: readonly Guest[]) => Guest {
  return (receiver, args) => {
    const source = iteratorOf(receiver, kind)
    const left = closing(source, () => {
      const limit = toNumber(args[0])
      if (Number.isNaN(limit) || Math.trunc(limit) < 0)
        throw thrown('RangeError', `${describe(args[0])} must be positive`)
      return Math.trunc(limit)
    })
    charge(128)
    return new LazyIterator(kind, source, source, { left })
  }
}

/** Iterates over the remaining items until `answer` returns a result. */
function search(
  receiver: Guest,
  fn: Guest,
  name: string,
  answer: (result: Guest, item: Guest) => Guest | typeof END,
): Guest | typeof END {
  const source = iteratorOf(receiver, name)
  closing(source, () => requireCallable(fn, describe(fn)))
  let bits = live.label
  for (let index = 0; ; index++) {
    burn(60)
    live.label = 0
    const item = source.step()
    bits |= source.stepLabel
    if (item === END) break
    const result = closing(source, () => callWithLabel(fn, item, index, bits | live.label))
    bits |= live.label
    const answered = answer(result, item)
    if (answered === END) continue
    source.close()
    live.label = bits
    return answered
  }
  live.label = bits
  return END
}

function reduce(receiver: Guest, args: readonly Guest[]): Guest {
  const source = iteratorOf(receiver, 'reduce')
  const [fn] = args
  closing(source, () => requireCallable(fn, describe(fn)))
  let bits = live.label
  let sum: Guest | typeof END = args[1]
  let index = 0
  if (args.length < 2) {
    sum = source.step()
    bits |= source.stepLabel | live.label
    if (sum === END) throw thrown('TypeError', 'Reduce of a done iterator with no initial value')
    index = 1
  }
  drainInto(source, (item, label) => {
    bits |= label
    const { callbackLabel } = live
    live.callbackLabel |= bits
    sum = closing(source, () => invoke3(fn, sum as Guest, item, index))
    live.callbackLabel = callbackLabel
    bits |= live.label
    index += 1
  })
  live.label |= bits
  return sum
}

function drainInto(source: Cursor, take: (item: Guest, label: number) => void): void {
  drain(source, (item) => {
    burn(60)
    take(item, live.label | source.stepLabel)
  })
}

function found(value: Guest | typeof END, otherwise: Guest): Guest {
  return value === END ? otherwise : value
}

/** Methods of all iterators. */
const shared: Rows = {
  drop: [1, limited('drop')],
  every: [
    1,
    (receiver, [fn]) =>
      found(
        search(receiver, fn, 'every', (is) => (is ? END : false)),
        true,
      ),
  ],
  filter: [1, helper('filter')],
  find: [
    1,
    (receiver, [fn]) =>
      found(
        search(receiver, fn, 'find', (is, item) => (is ? item : END)),
        undefined,
      ),
  ],
  flatMap: [1, helper('flatMap')],
  forEach: [
    1,
    (receiver, [fn]) =>
      found(
        search(receiver, fn, 'forEach', () => END),
        undefined,
      ),
  ],
  map: [1, helper('map')],
  reduce: [1, reduce],
  some: [
    1,
    (receiver, [fn]) =>
      found(
        search(receiver, fn, 'some', (is) => (is ? true : END)),
        false,
      ),
  ],
  take: [1, limited('take')],
  toArray: [0, (receiver) => new GuestArray(allItems(iteratorOf(receiver, 'toArray')))],
  [ITERATOR]: [0, (receiver) => receiver],
}

/** Methods of iterators of collections. */
export const iteratorRows: Rows = { ...shared, next: [0, next] }

/** Methods of `iterator.map(f)` and the like. */
export const iteratorHelperRows: Rows = {
  ...shared,
  next: [0, next],
  return: [
    0,
    (receiver) => {
      iteratorOf(receiver, 'return').close()
      return iteratorResult(undefined, true)
    },
  ],
}

/** Methods of generators. */
export const generatorRows: Rows = {
  ...shared,
  next: [1, (receiver, [value]) => resumed(receiver, value, GOT_VALUE, 'next')],
  return: [1, (receiver, [value]) => resumed(receiver, value, GOT_RETURN, 'return')],
  throw: [1, (receiver, [value]) => resumed(receiver, value, GOT_THROW, 'throw')],
}

function asked(got: 1 | 2 | 3, name: string): (receiver: Guest, args: readonly Guest[]) => Guest {
  return (receiver, [value]) => {
    if (receiver instanceof GuestAsyncGenerator) return receiver.ask(value, got, live.label)
    throw thrown('TypeError', `${name} method called on incompatible receiver ${describe(receiver)}`)
  }
}

/** Methods of asynchronous generators. */
export const asyncGeneratorRows: Rows = {
  next: [1, asked(GOT_VALUE, 'next')],
  return: [1, asked(GOT_RETURN, 'return')],
  throw: [1, asked(GOT_THROW, 'throw')],
  [ASYNC_ITERATOR]: [0, (receiver) => receiver],
}

/** The iterator of an iterable or of an object with `next`, with the helpers. */
function from(_: Guest, [source]: readonly Guest[]): Guest {
  if (source instanceof GuestIterator) return source
  const isOwn = source instanceof GuestObject && cursorOf(source) === undefined
  if (!isOwn && (typeof source !== 'object' || source === null) && typeof source !== 'string')
    throw thrown('TypeError', 'Iterator.from called on non-object')
  const cursor = isOwn ? new ObjectCursor(source) : anyCursor(source)
  if (cursor instanceof GuestIterator) return cursor
  charge(128)
  return new LazyIterator('wrap', source, cursor, {})
}

/** `Iterator`. */
export const iteratorGlobal: BuiltinFunction = namespace('Iterator', functions('Iterator', { from: [1, from] }))

/** Whether `for … of` accepts a value. */
export function isIterableObject(value: Guest): boolean {
  return value instanceof GuestIterator || (value instanceof GuestObject && isCallable(readProperty(value, ITERATOR)))
}
