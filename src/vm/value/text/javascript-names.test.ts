import { expect, test } from 'vitest'
import { scriptBuiltins } from '../../builtins/index.ts'
import { RECEIVERS } from '../builtin-table.ts'
import type { Receiver } from '../builtin-table.ts'
import { BuiltinFunction } from '../builtin-function.ts'
import { MISSING_GLOBALS, missingMember, missingMethod } from './javascript-names.ts'

function typeOf(value: object): { readonly prototype: object } {
  return { prototype: Object.getPrototypeOf(Object.getPrototypeOf(value) as object) as object }
}

const TYPES: Readonly<Record<Receiver, { readonly prototype: object }>> = {
  string: String,
  number: Number,
  boolean: Boolean,
  symbol: Symbol,
  iterator: typeOf([].values()),
  iteratorhelper: typeOf(
    (Object.getPrototypeOf(Object.getPrototypeOf([].values())) as { map(fn: () => number): object }).map.call(
      [].values(),
      () => 1,
    ),
  ),
  generator: typeOf((function* () {})()),
  asyncgenerator: typeOf((async function* () {})()),
  object: Object,
  array: Array,
  function: Function,
  map: Map,
  set: Set,
  date: Date,
  regexp: RegExp,
  promise: Promise,
  error: Error,
  timer: setTimeout(() => 0).constructor,
  weakmap: WeakMap,
  weakset: WeakSet,
  url: URL,
  abortcontroller: AbortController,
  abortsignal: AbortSignal,
  arraybuffer: ArrayBuffer,
  dataview: DataView,
  textdecoder: TextDecoder,
  textencoder: TextEncoder,
  typedarray: Object.getPrototypeOf(Uint8Array),
  urlsearchparams: URLSearchParams,
  numberformat: Intl.NumberFormat,
  datetimeformat: Intl.DateTimeFormat,
  collator: Intl.Collator,
  pluralrules: Intl.PluralRules,
  listformat: Intl.ListFormat,
  relativetimeformat: Intl.RelativeTimeFormat,
}

/** What values have without any table, or what engines keep from strict code. */
const OTHERWISE = new Set(['length', 'name', 'message', 'size', 'caller', 'arguments', 'undefined'])

test('every name of the engine is either there or refused with advice', () => {
  const forgotten: string[] = []
  const look = (where: string, names: readonly string[], isKnown: (name: string) => boolean): void => {
    for (const name of names) if (!OTHERWISE.has(name) && !isKnown(name)) forgotten.push(`${where}.${name}`)
  }
  const inherited = Object.getOwnPropertyNames(Object.prototype)
  for (const receiver of RECEIVERS)
    look(
      receiver,
      [...Object.getOwnPropertyNames(TYPES[receiver].prototype), ...inherited],
      (name) =>
        (scriptBuiltins.methods.get(receiver)?.has(name) ?? false) ||
        (scriptBuiltins.getters.get(receiver)?.has(name) ?? false) ||
        missingMethod(receiver, name) !== undefined,
    )
  for (const [path, value] of scriptBuiltins.globals)
    if (value instanceof BuiltinFunction && path !== 'console')
      look(
        path,
        Object.getOwnPropertyNames((globalThis as unknown as Record<string, object>)[path]),
        (name) => value.members?.has(name) === true || missingMember(path, name) !== undefined,
      )
  look(
    'globalThis',
    // What the test runner adds begins with two underscores, what libraries of other tests in this process add with a dollar sign or `lc_`; neither is of an engine.
    Object.getOwnPropertyNames(globalThis).filter((name) => !/^(?:__|\$|lc_)/.test(name) && name !== 'eval'),
    (name) => scriptBuiltins.globals.has(name) || MISSING_GLOBALS.has(name),
  )
  expect(forgotten).toEqual([])
})
