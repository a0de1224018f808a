import { RECEIVERS } from '../../src/vm/value/builtin-table.ts'
import { BUILTIN_RULES } from '../../src/vm/labels/rules/builtin-rules.ts'
import { wellKnownName } from '../../src/vm/value/symbols.ts'
import type { Slots } from './productions.ts'

type Give = (slots: Slots) => string

const number: Give = (s) => s.number()
const text: Give = (s) => s.text()
const list: Give = (s) => s.list()
const record: Give = (s) => s.record()
const any: Give = (s) => s.any()
const set: Give = (s) => `new Set(${s.list()})`
const entries: Give = (s) => `Object.entries(${s.record()})`
const json: Give = (s) => `JSON.stringify(${s.any()})`
const key: Give = (s) => (s.number().length % 2 === 0 ? "'a'" : '0')
const callback: Give = () => '(x, y) => (typeof x === "number" ? x : 1)'

const DATES = [
  "'2020-01-02'",
  "'2020-01-02T03:04:05.678Z'",
  "'Jan 2, 2020'",
  "'2020/01/02'",
  "'no date'",
  "''",
] as const

const RECEIVER_OF: Readonly<Record<(typeof RECEIVERS)[number], Give>> = {
  array: list,
  string: text,
  number: (s) => `(${s.number()})`,
  boolean: (s) => `(${s.flag()})`,
  object: (s) => `(${s.record()})`,
  function: () => 'String',
  map: (s) => `new Map([['a', ${s.number()}], [1, ${s.any()}]])`,
  set,
  date: (s) => `new Date(${s.number()})`,
  regexp: () => '/a|p/g',
  symbol: (s) => `Symbol(${s.text()})`,
  iterator: (s) => `${s.list()}.values()`,
  iteratorhelper: (s) => `${s.list()}.values().map((x) => x)`,
  // Its first item is taken, so that it can be told of an exception.
  generator: (s) =>
    `((g) => (g.next(), g))((function* () { try { yield 1; yield ${s.any()}; yield ${s.number()} } catch { yield 3 } })())`,
  asyncgenerator: (s) => `(async function* () { yield ${s.any()}; yield ${s.number()} })()`,
  promise: (s) => `Promise.resolve(${s.any()})`,
  error: (s) => `new Error(${s.text()})`,
  timer: () => 'setTimeout(() => 1, 1)',
  weakmap: (s) => `new WeakMap([[${s.record()}, ${s.any()}]])`,
  weakset: (s) => `new WeakSet([${s.record()}])`,
  abortcontroller: () => 'new AbortController()',
  abortsignal: () => 'new AbortController().signal',
  arraybuffer: () => 'new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9]).buffer',
  dataview: () => 'new DataView(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9]).buffer)',
  textdecoder: () => 'new TextDecoder()',
  textencoder: () => 'new TextEncoder()',
  typedarray: (s) => `new Float64Array([${s.number()}, 1, ${s.number()}])`,
  url: (s) => `new URL('https://a.example/p?q=' + encodeURIComponent(${s.text()}) + '#h')`,
  urlsearchparams: (s) => `new URLSearchParams([['a', ${s.text()}], ['b', ${s.number()}], ['a', '3']])`,
  numberformat: () => "new Intl.NumberFormat('de-DE', { maximumFractionDigits: 1 })",
  datetimeformat: () => "new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })",
  collator: () => "new Intl.Collator('en', { numeric: true })",
  pluralrules: () => "new Intl.PluralRules('en')",
  listformat: () => "new Intl.ListFormat('en')",
  relativetimeformat: () => "new Intl.RelativeTimeFormat('en')",
}

/** Typed arrays, and their functions `from` and `of`. */
const TYPED = /^\w+\d+(?:Clamped)?Array(?:\.(?:from|of))?$/

/** What the built-ins of an owner take, where no line of their own says it. */
const TAKEN_BY: Readonly<Record<string, readonly Give[]>> = {
  array: [number, number],
  string: [text, number],
  number: [number],
  boolean: [],
  object: [key],
  function: [any, list],
  map: [key, any],
  set: [number],
  date: [number, number],
  regexp: [text],
  promise: [callback, callback],
  error: [key],
  timer: [],
  symbol: [],
  iterator: [number],
  iteratorhelper: [number],
  generator: [number],
  asyncgenerator: [number],
  Symbol: [text],
  Iterator: [list],
  weakmap: [record, any],
  weakset: [record],
  url: [],
  abortcontroller: [any],
  abortsignal: [],
  AbortSignal: [any],
  Error: [(s) => `new Error(${s.text()})`],
  Reflect: [record, key, any],
  RegExp: [text],
  arraybuffer: [number, number],
  dataview: [() => '1', number],
  textdecoder: [(s) => `new TextEncoder().encode(${s.text()})`],
  textencoder: [text],
  typedarray: [number, number],
  ArrayBuffer: [() => 'new Uint8Array(1)'],
  urlsearchparams: [() => "'a'", text],
  URL: [() => "'../x?y=1'", () => "'https://a.example/b/c'"],
  numberformat: [number],
  datetimeformat: [number],
  collator: [text, text],
  pluralrules: [number],
  listformat: [(s) => `(${s.list()}).map(String)`],
  relativetimeformat: [number, () => "'day'"],
  Intl: [() => "'en-US'"],
  '': [text, number],
  Array: [list, number],
  Date: [number, number],
  JSON: [any],
  Map: [list],
  Math: [number, number],
  Number: [any],
  Object: [record, record],
  String: [number, number],
  console: [any, any],
  performance: [],
  Promise: [(s) => `[${s.any()}, Promise.resolve(${s.any()})]`],
}

/** What single built-ins take. */
const TAKEN: Readonly<Record<string, readonly Give[]>> = {
  'number.toString': [(s) => `2 + (${s.number()} & 7)`],
  'array.concat': [list, any],
  'array.includes': [any],
  'array.indexOf': [any],
  'array.lastIndexOf': [any],
  'array.push': [any, any],
  'array.unshift': [any, any],
  'array.fill': [any, number],
  'array.with': [() => '0', any],
  'array.splice': [number, number, any],
  'array.toSpliced': [number, number, any],
  'array.join': [text],
  'array.reduce': [callback, any],
  'array.reduceRight': [callback, any],
  'typedarray.set': [() => '[1, 2]', () => '1'],
  'typedarray.with': [() => '1', number],
  'typedarray.join': [text],
  'typedarray.reduce': [callback, any],
  'typedarray.reduceRight': [callback, any],
  'generator.reduce': [callback, any],
  'iterator.reduce': [callback, any],
  'iteratorhelper.reduce': [callback, any],
  'generator.take': [() => '1'],
  'generator.drop': [() => '1'],
  'iterator.take': [() => '1'],
  'iterator.drop': [() => '1'],
  'iteratorhelper.take': [() => '1'],
  'iteratorhelper.drop': [() => '1'],
  'set.union': [set],
  'set.intersection': [set],
  'set.difference': [set],
  'set.symmetricDifference': [set],
  'set.isSubsetOf': [set],
  'set.isSupersetOf': [set],
  'set.isDisjointFrom': [set],
  'string.at': [number],
  'string.charAt': [number],
  'string.charCodeAt': [number],
  'string.codePointAt': [number],
  'string.localeCompare': [text],
  'string.normalize': [],
  'string.padEnd': [number, text],
  'string.padStart': [number, text],
  'string.repeat': [(s) => `(${s.number()} & 3)`],
  'string.slice': [number, number],
  'string.substr': [number, number],
  'string.substring': [number, number],
  'string.match': [() => '/a|p/g'],
  'string.matchAll': [() => '/a|p/g'],
  'string.search': [() => '/a|p/'],
  'Object.create': [record],
  'Object.prototype.toString': [],
  'Object.defineProperty': [record, key, (s) => `{ value: ${s.number()}, configurable: true }`],
  'Object.defineProperties': [
    record,
    (s) => `{ b: { value: ${s.number()}, enumerable: ${s.flag()}, configurable: true } }`,
  ],
  'Object.getOwnPropertyDescriptor': [record, key],
  'Object.setPrototypeOf': [(s) => `{ ...${s.record()} }`, record],
  'String.raw': [(s) => `{ raw: ['a', ${s.text()}, 'c'] }`, number, any],
  Array: [(s) => `(${s.number()} & 7)`],
  Boolean: [any],
  Number: [any],
  String: [any],
  // Wrappers of texts, numbers and booleans are refused.
  Object: [record],
  Map: [entries],
  Set: [list],
  Date: [number],
  RegExp: [() => "'a|p'", () => "'g'"],
  AggregateError: [list, text],
  Promise: [() => '(x, y) => x(1)'],
  isFinite: [any],
  isNaN: [any],
  structuredClone: [any],
  setTimeout: [callback, () => '1'],
  setInterval: [callback, () => '1e6'],
  setImmediate: [callback],
  clearTimeout: [() => 'setTimeout(() => 1, 1)'],
  clearInterval: [() => 'setInterval(() => 1, 1e6)'],
  clearImmediate: [() => 'setImmediate(() => 1)'],
  URL: [(s) => `'/p?q=' + encodeURIComponent(${s.text()})`, () => "'https://a.example/b/c'"],
  URLSearchParams: [(s) => `'?a=' + encodeURIComponent(${s.text()}) + '&b=1'`],
  ArrayBuffer: [(s) => `(${s.number()} & 7)`],
  DataView: [() => 'new ArrayBuffer(8)', () => '2'],
  AbortController: [],
  escape: [text],
  unescape: [text],
  'Array.fromAsync': [(s) => `[${s.any()}, Promise.resolve(${s.any()})]`],
  TextDecoder: [],
  TextEncoder: [],
  WeakMap: [],
  WeakSet: [],
  atob: [(s) => `btoa(encodeURIComponent(${s.text()}))`],
  btoa: [(s) => `encodeURIComponent(${s.text()})`],
  'Array.isArray': [any],
  'Array.of': [any, any],
  'String.fromCodePoint': [(s) => `(${s.number()} & 127)`],
  // Of other texts the language says nothing: every engine reads them as it likes.
  'Date.parse': [(s) => DATES[s.number().length % DATES.length]!],
  'JSON.parse': [json],
  // Of formats with a time there is more to tell than is told.
  'datetimeformat.resolvedOptions': [],
  'Object.fromEntries': [entries],
  'Object.groupBy': [list],
  'Object.hasOwn': [record, key],
  'Object.is': [any, any],
  // It is refused for objects that can be extended: of what is no object there is nothing to do.
  'Object.preventExtensions': [number],
  'Promise.resolve': [any],
  'Promise.reject': [any],
  'Promise.withResolvers': [],
}

/** Built-ins that give an iterator: what it goes through is what is looked at. */
const ITERATORS =
  /^(?:array|map|set|typedarray|urlsearchparams)\.(?:entries|keys|values)$|^string\.matchAll$|^(?:generator|iterator|iteratorhelper)\.(?:map|filter|take|drop|flatMap)$|@@iterator$|^Iterator\.from$/

/** Constructors that are called with `new`. */
const MADE =
  /^(?:ArrayBuffer|DataView|TextDecoder|TextEncoder|\w+\d+(?:Clamped)?Array|URL|URLSearchParams|WeakMap|WeakSet|Array|Date|Map|Object|RegExp|Set|Promise|\w*Error)$/

/** What is made or given as an object of the platform. */
const TEXTS_ONLY = /^(?:Intl\.|URL|Abort|ArrayBuffer$|DataView|Text(?:De|En)coder)/

/** A method by its name, or by its symbol. */
function memberOf(name: string): string {
  const symbol = wellKnownName(name)
  return symbol === undefined ? `.${name}` : `[${symbol}]`
}

function ownerOf(path: string): string {
  return path.slice(0, Math.max(path.indexOf('.'), 0))
}

/** Whether a built-in gives a promise. */
export function isPromised(path: string): boolean {
  return (
    path === 'Promise' ||
    path === 'Array.fromAsync' ||
    (['promise', 'Promise', 'asyncgenerator'].includes(ownerOf(path)) && !path.includes('@@'))
  )
}

/**
 * A call of a built-in with what it takes, for every built-in of the language: what has no line above is called with what its owner
 * takes, and functions stand wherever its label rule says that it calls them.
 */
export function callOf(path: string, slots: Slots): string {
  const traits = BUILTIN_RULES.get(path)!
  const owner = ownerOf(path)
  const usual = TYPED.test(path) ? [list] : (TAKEN_BY[owner] ?? [any, any])
  const taken = [...(path.includes('toLocale') ? [] : (TAKEN[path] ?? usual))]
  if (traits.has('calls-0')) taken[0] = callback
  if (traits.has('calls-1')) taken[1] = callback
  const given = taken.map((give) => give(slots)).join(', ')
  const isMethod = (RECEIVERS as readonly string[]).includes(owner)
  if (isMethod) {
    const receiver = RECEIVER_OF[owner as 'array'](slots)
    const called = `${receiver}${memberOf(path.slice(owner.length + 1))}(${given})`
    if (path === 'symbol.valueOf' || path.endsWith('@@asyncIterator')) return `typeof ${called}`
    // Nothing of a weak collection is shown.
    if (/^weak.*\.(?:set|add)$/.test(path)) return `typeof ${called}`
    if (owner === 'timer') return `typeof ${called}`
    if (path === 'datetimeformat.resolvedOptions')
      return `Intl.DateTimeFormat('en-US', { timeZone: 'UTC' }).resolvedOptions()`
    if (path === 'arraybuffer.slice') return `[...new Uint8Array(${called})]`
    if (owner === 'typedarray' && !ITERATORS.test(path)) return `String(${called})`
    return ITERATORS.test(path) || path === 'textencoder.encode' ? `[...${called}]` : called
  }
  // A timer shows its inside in some engines.
  if (path.startsWith('set')) return `typeof ${path}(${given})`
  if (path === 'Symbol' || owner === 'Symbol') return `String(${path}(${given}))`
  if (ITERATORS.test(path)) return `[...${path}(${given})]`
  // What JSON shows nothing of is compared as a text.
  if (TYPED.test(path)) return `[...${owner === '' ? 'new ' : ''}${path}(${given})]`
  if (TEXTS_ONLY.test(path))
    return `String(${owner === 'URL' || owner === 'AbortSignal' ? '' : 'new '}${path}(${given}))`
  return `${MADE.test(path) ? 'new ' : ''}${path}(${given})`
}
