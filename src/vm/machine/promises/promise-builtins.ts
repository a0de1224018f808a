import { COST } from '../../meter/cost.ts'
import { charge, live } from '../../meter/live.ts'
import { type Builtin, BuiltinFunction } from '../../value/builtin-function.ts'
import type { Guest } from '../../value/guest.ts'
import { newObject } from '../../value/guest-object.ts'
import { GuestPromise } from '../../value/guest-promise.ts'
import { thrown } from '../../value/thrown.ts'
import { invoke2, requireCallable } from '../invoke.ts'
import { listOf } from '../iteration/iterate.ts'
import { Follow, newPromise, promiseFor, reject, subscribe } from './promises.ts'
import { FinalReaction, Gather, GatherSlot, Reaction, Resolver, attempt } from './promise-waiters.ts'
import type { GatherKind } from './promise-waiters.ts'

type Method = (receiver: Guest, args: Guest[]) => Guest

function builtin(path: string, arity: number, call: Method): [string, BuiltinFunction] {
  const name = path.slice(path.indexOf('.') + 1)
  return [name, new BuiltinFunction(path, { builtin: { name, cost: COST.call, arity, call } })]
}

function promiseOf(receiver: Guest, name: string): GuestPromise {
  if (receiver instanceof GuestPromise) return receiver
  throw thrown('TypeError', `Promise.prototype.${name} was called on something that is no promise`)
}

function then(receiver: Guest, onFulfilled: Guest, onRejected: Guest): GuestPromise {
  charge(64)
  const result = newPromise()
  subscribe(promiseOf(receiver, 'then'), new Reaction(onFulfilled, onRejected, result))
  return result
}

/** Methods of promises. */
export const promiseMethods: ReadonlyMap<string, BuiltinFunction> = new Map([
  builtin('promise.then', 2, (receiver, [onFulfilled, onRejected]) => then(receiver, onFulfilled, onRejected)),
  builtin('promise.catch', 1, (receiver, [onRejected]) => then(receiver, undefined, onRejected)),
  builtin('promise.finally', 1, (receiver, [callback]) => {
    requireCallable(callback, 'The callback of finally')
    charge(64)
    const result = newPromise()
    subscribe(promiseOf(receiver, 'finally'), new FinalReaction(callback, result))
    return result
  }),
])

/** The items to wait for; a value that is not iterable rejects the returned promise. */
function itemsFor(target: GuestPromise, items: Guest): Guest[] | undefined {
  let all: Guest[] | undefined
  attempt(target, () => {
    all = listOf(items).items
  })
  return all
}

/** `{ promise, resolve, reject }`. */
function withResolvers(): Guest {
  const promise = newPromise()
  charge(128)
  const parts = newObject()
  parts.set('promise', promise)
  parts.set('resolve', new Resolver(promise, false))
  parts.set('reject', new Resolver(promise, true))
  return parts
}

const gather =
  (kind: GatherKind): Method =>
  (_receiver, [items]) => {
    const target = newPromise()
    const all = itemsFor(target, items)
    if (all === undefined) return target
    charge(64 + all.length * 64)
    const made = new Gather(kind, target, all.length)
    live.machine.flow?.beginGather(made.values, items)
    if (all.length === 0) made.finish()
    for (let i = 0; i < all.length; i++) subscribe(all[i], new GatherSlot(made, i))
    return target
  }

function race(_receiver: Guest, [items]: Guest[]): Guest {
  const target = newPromise()
  for (const item of itemsFor(target, items) ?? []) subscribe(item, new Follow(target))
  return target
}

function construct([executor]: Guest[]): Guest {
  if (executor === undefined) throw thrown('TypeError', 'Promise resolver undefined is not a function')
  requireCallable(executor, 'Promise resolver')
  const promise = newPromise()
  charge(128)
  attempt(promise, () => void invoke2(executor, new Resolver(promise, false), new Resolver(promise, true)))
  return promise
}

const statics = new Map<string, Guest>([
  builtin('Promise.all', 1, gather('all')),
  builtin('Promise.allSettled', 1, gather('allSettled')),
  builtin('Promise.any', 1, gather('any')),
  builtin('Promise.race', 1, race),
  builtin('Promise.resolve', 1, (_receiver, [value]) => promiseFor(value)),
  builtin('Promise.reject', 1, (_receiver, [value]) => {
    const promise = newPromise()
    reject(promise, value)
    return promise
  }),
  builtin('Promise.withResolvers', 0, withResolvers),
])

const notCalled: Builtin = {
  name: 'Promise',
  cost: COST.call,
  arity: 1,
  call() {
    throw thrown('TypeError', "Promise constructor cannot be invoked without 'new'")
  },
}

/** `Promise` with its static methods. */
export const promiseGlobal: BuiltinFunction = new BuiltinFunction('Promise', {
  builtin: notCalled,
  construct,
  members: statics,
})

/** `queueMicrotask`: runs a function after the current code. */
export const queueMicrotask: BuiltinFunction = builtin('queueMicrotask', 1, (_receiver, [callback]) => {
  requireCallable(callback, 'The callback of queueMicrotask')
  then(promiseFor(undefined), callback, undefined)
  return undefined
})[1]
