import type { Receiver } from '../builtin-table.ts'

/** The suggested replacement of a missing name. */
type Advice = string

const NO_TIMERS = 'Wait with `setTimeout(f, ms)` or `await sleep(ms)`.'
const NO_NETWORK =
  'A script reaches the network through the tools it was given alone, as in `const page = await tools.fetch({ url })`.'
const NO_HOST =
  'There are no modules, files, processes and environment here: what a script needs is in `args`, or a tool does it, as in `await tools.readFile({ path })`.'
const NO_PAGE =
  'There is no page and no browser. Get the text with a tool, `await tools.name({ … })`, and take it apart with regular expressions.'
const NO_STORAGE = 'Keep it in a variable or a `Map`; what is to last is for a tool: `await tools.name({ … })`.'
const NO_BUFFER = 'For base64 write `btoa(text)` and `atob(text)`; for bytes `new TextEncoder().encode(text)`.'
const NO_LIBRARY =
  'There are no libraries. Use methods of arrays and objects, as in `list.map(…)`, or call one of the `tools.…`.'
const NO_DATE_LIBRARY =
  'There are no libraries. Use `new Date(…)`, `toISOString()`, `toLocaleDateString(…)` and `Date.UTC(…)`.'
const NO_BYTES = 'Bytes are in `Uint8Array` and its kin, texts of them in `TextEncoder` and `TextDecoder`.'
const NO_PROTOTYPES = 'Objects have no prototype and no hidden properties. Use plain properties and functions.'
const NO_URLS =
  'Take the text apart with `new URL(text)`, a regular expression or `split`; encode with `encodeURIComponent`.'
const NO_STREAMS =
  'There are no streams, events and signals. Collect values in an array, and end a loop by a variable: `while (!isDone)`.'
const SYMBOLS =
  'Of the well-known symbols there are `Symbol.iterator` and `Symbol.asyncIterator`. For texts of objects write `toString() { … }`, for numbers `valueOf() { … }`.'
const WEAK = 'There are no weak references. Use `new Map()` or `new Set()`.'
const NUMBERS =
  'Whole numbers are exact up to 9007199254740991: use `Number(text)` and `Math.trunc(a / b)`. Keep groups of 7 digits in a list for larger ones.'
const IDS =
  'Randomness comes from `Math.random()`: an id is `Math.random().toString(36).slice(2)`. Ask a tool for hashes and keys: `await tools.name({ … })`.'
const FORMATTING =
  'Of `Intl` there are `NumberFormat`, `DateTimeFormat`, `Collator`, `PluralRules`, `ListFormat` and `RelativeTimeFormat`; write other texts with templates.'

function names(advice: Advice, list: string): [string, Advice][] {
  return list.split(' ').map((name) => [name, advice])
}

/** Names that JavaScript platforms have and programs here do not, with alternatives. */
export const MISSING_GLOBALS: ReadonlyMap<string, Advice> = new Map([
  ...names(NO_URLS, 'URLPattern'),
  ...names(NO_TIMERS, 'requestAnimationFrame cancelAnimationFrame scheduler'),
  ...names(NUMBERS, 'BigInt BigInt64Array BigUint64Array'),
  ...names('Objects have no hidden behaviour. Use a function: `const get = (key) => object[key] ?? 0`.', 'Proxy'),
  ...names(
    'There is no global object. Name the variable itself: `Array`, not `globalThis.Array`.',
    'globalThis global window self top parent frames',
  ),
  ...names(WEAK, 'WeakRef FinalizationRegistry'),
  ...names('Use `for await (const item of source)`.', 'AsyncIterator'),
  ...names(IDS, 'crypto Crypto CryptoKey SubtleCrypto'),
  ...names('Use `Date.now()` and `new Date(…)`.', 'Temporal'),
  ...names(
    NO_NETWORK,
    'fetch Headers Request Response FormData WebSocket EventSource XMLHttpRequest navigator Navigator',
  ),
  ...names(
    NO_HOST,
    'process require module exports __dirname __filename Deno Bun WebAssembly Worker importScripts postMessage',
  ),
  ...names(NO_HOST, 'fs os http https child_process execSync spawn readFileSync writeFileSync'),
  ...names(NO_BUFFER, 'Buffer'),
  ...names(NO_STORAGE, 'localStorage sessionStorage indexedDB caches'),
  ...names(NO_PAGE, 'document alert confirm prompt location history DOMParser XMLSerializer cheerio JSDOM $ jQuery'),
  ...names(NO_NETWORK, 'axios got superagent'),
  ...names(NO_LIBRARY, '_ lodash underscore R z zod math mathjs Papa'),
  ...names(NO_DATE_LIBRARY, 'moment dayjs luxon DateTime dateFns'),
  ...names(NO_BYTES, 'SharedArrayBuffer Atomics Blob File FileReader ImageData Float16Array'),
  ...names(NO_STREAMS, 'Event EventTarget CustomEvent MessageEvent CloseEvent ErrorEvent'),
  ...names(NO_STREAMS, 'BroadcastChannel MessageChannel MessagePort ReadableStream WritableStream TransformStream'),
  ...names(NO_STREAMS, 'TransformStreamDefaultController WritableStreamDefaultController WritableStreamDefaultWriter'),
  ...names(NO_STREAMS, 'ReadableStreamDefaultReader ReadableStreamBYOBReader ReadableStreamBYOBRequest'),
  ...names(NO_STREAMS, 'ReadableByteStreamController ReadableStreamDefaultController ByteLengthQueuingStrategy'),
  ...names(
    NO_STREAMS,
    'CountQueuingStrategy TextEncoderStream TextDecoderStream CompressionStream DecompressionStream',
  ),
  ...names('Use `Date.now()`.', 'Performance PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserver'),
  ...names('Use `Date.now()`.', 'PerformanceObserverEntryList PerformanceResourceTiming'),
  ...names('Throw an `Error` with a `name` or a `cause`.', 'DOMException SuppressedError QuotaExceededError'),
  ...names('Use try … finally.', 'DisposableStack AsyncDisposableStack'),
  ...names(NO_STORAGE, 'Storage StorageManager Lock LockManager'),
])

/** Members of built-ins, by their global name. */
const MISSING_MEMBERS: Readonly<Record<string, ReadonlyMap<string, Advice>>> = {
  Error: new Map(names('Errors have `name`, `message`, `cause` and `stack`.', 'prepareStackTrace')),
  AbortSignal: new Map(
    names('Ask `signal.aborted` where it matters; wait with `Promise.race([work, sleep(ms)])`.', 'any timeout'),
  ),
  Reflect: new Map([
    ...names('Call it with `fn(...list)`.', 'apply construct'),
    ...names(
      'Use the function of `Object` with this name.',
      'defineProperty getOwnPropertyDescriptor getPrototypeOf setPrototypeOf isExtensible preventExtensions',
    ),
  ]),
  Function: new Map(),
  JSON: new Map(names('Use `JSON.stringify`.', 'rawJSON isRawJSON')),
  Map: new Map(),
  Math: new Map([
    ...names('Use `Math.fround`.', 'f16round'),
    ...names('Use `list.reduce((a, b) => a + b, 0)`.', 'sumPrecise'),
  ]),
  Number: new Map(),
  Object: new Map(names(NO_PROTOTYPES, 'getOwnPropertySymbols')),
  Promise: new Map(names('Write `(async () => work())()`.', 'try')),
  RegExp: new Map([
    ...names('Use what `exec` or `match` gives.', "input $_ lastMatch $& lastParen $+ leftContext $` rightContext $'"),
    ...names('Use what `exec` or `match` gives.', '$1 $2 $3 $4 $5 $6 $7 $8 $9'),
  ]),
  URL: new Map(
    names('There are no files and blobs. Keep the text itself in a variable.', 'createObjectURL revokeObjectURL'),
  ),
  String: new Map(),
  Symbol: new Map([
    ...names('Use `Symbol.for(name)`, and keep the name.', 'keyFor'),
    ...names(
      SYMBOLS,
      'toPrimitive toStringTag hasInstance isConcatSpreadable match matchAll replace search species split unscopables dispose asyncDispose',
    ),
  ]),
  Uint8Array: new Map([
    ...names('Use `Uint8Array.from(atob(text), (c) => c.charCodeAt(0))`.', 'fromBase64'),
    ...names('Use `Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16))`.', 'fromHex'),
  ]),
  Iterator: new Map(names('Use `Iterator.from(iterable)`.', 'concat zip zipKeyed')),
  Intl: new Map([
    ...names(FORMATTING, 'DisplayNames DurationFormat Locale getCanonicalLocales supportedValuesOf v8BreakIterator'),
    ...names('Characters are `[...text]`, words `text.match(/\\p{L}+/gu)`.', 'Segmenter'),
  ]),
  performance: new Map(
    names(
      'Use `performance.now()`.',
      'mark measure clearMarks clearMeasures getEntries getEntriesByName getEntriesByType eventLoopUtilization timerify toJSON nodeTiming',
    ),
  ),
  console: new Map(names('Use `console.log`.', 'profile profileEnd timeStamp context createTask Console')),
}

/** Members of `Object.prototype`, which no value has here. */
const OF_ALL: readonly [string, Advice][] = [
  ...names('Ask `typeof value`, `Array.isArray(value)` or `error.name`.', 'constructor'),
  ...names(
    NO_PROTOTYPES,
    '__proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ isPrototypeOf',
  ),
]

const FROM_OBJECT = 'hasOwnProperty propertyIsEnumerable toLocaleString toString valueOf'
const HTML = 'anchor big blink bold fontcolor fontsize fixed italics link small strike sub sup'

/** Missing methods of formats. */
function format(missing: string): ReadonlyMap<string, Advice> {
  return new Map([...OF_ALL, ...names('Use `format(value)`.', missing), ...names('Use `format(value)`.', FROM_OBJECT)])
}

/** Methods and properties of values, by type. */
const MISSING_METHODS: Readonly<Record<Receiver, ReadonlyMap<string, Advice>>> = {
  array: new Map(OF_ALL),
  boolean: new Map([...OF_ALL, ...names('Use `String(value)`.', FROM_OBJECT)]),
  date: new Map([
    ...OF_ALL,
    ...names('Use `toISOString()` or `toUTCString()`.', 'toGMTString toTemporalInstant'),
    ...names('Use `setFullYear`.', 'setYear'),
  ]),
  error: new Map(OF_ALL),
  function: new Map([
    ...OF_ALL,
    ...names('Functions have no text here. Keep what is to be shown in a string.', 'toString toLocaleString'),
    ...names(NO_PROTOTYPES, 'prototype'),
  ]),
  map: new Map([...OF_ALL, ...names('Use `has`, `get` and `set`.', 'getOrInsert getOrInsertComputed')]),
  number: new Map([...OF_ALL, ...names('Use `String(value)`.', FROM_OBJECT)]),
  object: new Map(OF_ALL),
  promise: new Map([...OF_ALL, ...names('`await` the promise first.', FROM_OBJECT)]),
  regexp: new Map([...OF_ALL, ...names('Use `new RegExp(source, flags)`.', 'compile')]),
  set: new Map(OF_ALL),
  timer: new Map([
    ...OF_ALL,
    ...names('Set another timer: `setTimeout(f, ms)`.', 'refresh close'),
    ...names('Keep the timer itself.', FROM_OBJECT),
  ]),
  iterator: new Map(OF_ALL),
  iteratorhelper: new Map(OF_ALL),
  generator: new Map(OF_ALL),
  asyncgenerator: new Map(OF_ALL),
  weakmap: new Map([
    ...OF_ALL,
    ...names('Use `has`, `get` and `set`.', `getOrInsert getOrInsertComputed ${FROM_OBJECT}`),
  ]),
  weakset: new Map([...OF_ALL, ...names('Use `has` and `add`.', FROM_OBJECT)]),
  abortcontroller: new Map([...OF_ALL, ...names('Keep it in a variable.', FROM_OBJECT)]),
  abortsignal: new Map([
    ...OF_ALL,
    ...names(
      'Nothing listens: ask `signal.aborted` where it matters. To wait no longer than some time write `await Promise.race([work(), sleep(ms)])`.',
      'onabort addEventListener removeEventListener dispatchEvent',
    ),
    ...names('Ask `signal.aborted`.', FROM_OBJECT),
  ]),
  url: new Map([...OF_ALL, ...names('Use `String(url)`.', FROM_OBJECT)]),
  urlsearchparams: new Map([...OF_ALL, ...names('Use `String(params)`.', FROM_OBJECT)]),
  arraybuffer: new Map([
    ...OF_ALL,
    ...names('Buffers keep their size: make another and copy with `set`.', 'maxByteLength resizable resize detached'),
    ...names('Copy it: `buffer.slice()`.', 'transfer transferToFixedLength'),
    ...names('Use `new Uint8Array(buffer)`.', FROM_OBJECT),
  ]),
  dataview: new Map([
    ...OF_ALL,
    ...names('Use `getInt32` and `setInt32`, or `getFloat32`.', 'getBigInt64 setBigInt64 getBigUint64 setBigUint64'),
    ...names('Use `getFloat32`.', 'getFloat16 setFloat16'),
    ...names('Use `new Uint8Array(view.buffer)`.', FROM_OBJECT),
  ]),
  textdecoder: new Map([...OF_ALL, ...names('Use `decode(bytes)`.', FROM_OBJECT)]),
  textencoder: new Map([...OF_ALL, ...names('Use `encode(text)`.', `encodeInto ${FROM_OBJECT}`)]),
  typedarray: new Map([
    ...OF_ALL,
    ...names('Use `Array.from(bytes)` and its methods.', FROM_OBJECT),
    ...names('Use `btoa(String.fromCharCode(...bytes))`.', 'toBase64 toHex setFromBase64 setFromHex'),
  ]),
  numberformat: format('formatRange formatRangeToParts formatToParts resolvedOptions'),
  datetimeformat: format('formatRange formatRangeToParts'),
  collator: format('resolvedOptions'),
  pluralrules: format('resolvedOptions selectRange'),
  listformat: format('formatToParts resolvedOptions'),
  relativetimeformat: format('formatToParts resolvedOptions'),
  symbol: new Map([
    ...OF_ALL,
    ...names('Use `String(symbol)` or `symbol.description`.', 'hasOwnProperty propertyIsEnumerable toLocaleString'),
  ]),
  string: new Map([
    ...OF_ALL,
    ...names('Write the text with a template.', HTML),
    ...names('Use `Object.hasOwn` on an object.', FROM_OBJECT),
  ]),
}

/** Returns the replacement of a member of a built-in, such as `Math.f16round`, if JavaScript has it and programs here do not. */
export function missingMember(path: string, name: string): Advice | undefined {
  const own = Object.hasOwn(MISSING_MEMBERS, path) ? MISSING_MEMBERS[path]!.get(name) : undefined
  return own ?? MISSING_METHODS.function.get(name)
}

/** Returns the replacement of a method or property of a value, if JavaScript has it and values here do not. */
export function missingMethod(receiver: Receiver, name: string): Advice | undefined {
  return MISSING_METHODS[receiver].get(name)
}

/** Property reads that never silently give `undefined`: JavaScript has them on every value, here only if the program set them. */
export const HIDDEN_READS: ReadonlySet<string> = new Set([...OF_ALL.map(([name]) => name), 'prototype'])
