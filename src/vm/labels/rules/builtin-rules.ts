import { ASYNC_ITERATOR, ITERATOR } from '../../value/symbols.ts'

/** How a built-in treats its inputs, where it differs from reading all of them and returning a result. */
export type Trait =
  /** It mutates its receiver. */
  | 'changes'
  /** It mutates its first argument. */
  | 'changes-first'
  /** It calls the argument at this position, if that is a function. */
  | 'calls-0'
  | 'calls-1'
  /** It calls that argument later. */
  | 'later'
  /** It writes `lastIndex` of a regular expression with state. */
  | 'pattern'
  /** It moves references without reading what they refer to. */
  | 'shallow'
  /** It reads only the structure, or labels its parts one by one. */
  | 'keys'
  /** It returns a part of an input: where it returns a primitive, it may have been a reference in another execution. */
  | 'picks'
  /** It reads the contents of what its callback returns. */
  | 'apart'
  /** Its result is fresh, so that no label selected it. */
  | 'fresh'

/**
 * The label rule of every built-in, by its receiver or the global it belongs to (none: a global function or constructor). Without traits,
 * the result carries the labels of all inputs. A test compares this table with the tables of built-ins: a built-in without a rule fails it,
 * and so does a rule without a built-in.
 */
const TABLE = {
  array: `hasOwnProperty propertyIsEnumerable toLocaleString toString valueOf at=shallow+picks concat=shallow+fresh
    copyWithin=changes fill=changes+shallow flat=fresh includes=shallow indexOf=shallow join lastIndexOf=shallow
    pop=changes+shallow+picks push=changes+shallow reverse=changes+shallow shift=changes+shallow+picks slice=shallow+fresh
    splice=changes+shallow+fresh toReversed=shallow+fresh toSpliced=fresh unshift=changes+shallow with every=calls-0
    filter=calls-0+fresh find=calls-0+picks findIndex=calls-0 findLast=calls-0+picks findLastIndex=calls-0
    flatMap=calls-0+apart forEach=calls-0 map=calls-0+fresh reduce=calls-0+picks reduceRight=calls-0+picks some=calls-0
    sort=changes+calls-0+apart toSorted=calls-0+apart+fresh entries=shallow+fresh keys=shallow+fresh
    values=shallow+fresh ${ITERATOR}=shallow+fresh`,
  asyncgenerator: `hasOwnProperty propertyIsEnumerable toLocaleString toString valueOf next=changes return=changes throw=changes
    ${ASYNC_ITERATOR}=shallow`,
  boolean: `toLocaleString toString valueOf`,
  date: `hasOwnProperty propertyIsEnumerable toLocaleString toString valueOf getDate getDay getFullYear getHours
    getMilliseconds getMinutes getMonth getSeconds setDate=changes setFullYear=changes setHours=changes
    setMilliseconds=changes setMinutes=changes setMonth=changes setSeconds=changes getUTCDate getUTCDay getUTCFullYear
    getUTCHours getUTCMilliseconds getUTCMinutes getUTCMonth getUTCSeconds setUTCDate=changes setUTCFullYear=changes
    setUTCHours=changes setUTCMilliseconds=changes setUTCMinutes=changes setUTCMonth=changes setUTCSeconds=changes getTime
    getTimezoneOffset getYear setTime=changes toDateString toISOString toJSON toLocaleDateString toLocaleTimeString
    toTimeString toUTCString`,
  error: `hasOwnProperty propertyIsEnumerable toLocaleString toString valueOf`,
  function: `apply=picks bind=picks call=picks hasOwnProperty propertyIsEnumerable valueOf`,
  generator: `hasOwnProperty propertyIsEnumerable toLocaleString toString valueOf drop=fresh every=calls-0 filter=calls-0+fresh
    find=calls-0+picks flatMap=calls-0+fresh forEach=calls-0 map=calls-0+fresh reduce=calls-0+picks some=calls-0 take=fresh
    toArray=changes ${ITERATOR}=shallow next=changes return=changes
    throw=changes`,
  iterator: `hasOwnProperty propertyIsEnumerable toLocaleString toString valueOf drop=fresh every=calls-0 filter=calls-0+fresh
    find=calls-0+picks flatMap=calls-0+fresh forEach=calls-0 map=calls-0+fresh reduce=calls-0+picks some=calls-0 take=fresh
    toArray=changes ${ITERATOR}=shallow next=changes`,
  iteratorhelper: `hasOwnProperty propertyIsEnumerable toLocaleString toString valueOf drop=fresh every=calls-0 filter=calls-0+fresh
    find=calls-0+picks flatMap=calls-0+fresh forEach=calls-0 map=calls-0+fresh reduce=calls-0+picks some=calls-0 take=fresh
    toArray=changes ${ITERATOR}=shallow next=changes return=changes`,
  map: `hasOwnProperty propertyIsEnumerable toLocaleString toString valueOf clear=changes delete=changes+shallow entries
    forEach=calls-0 get=shallow+picks has=shallow keys set=changes+shallow values ${ITERATOR}`,
  number: `toExponential toFixed toLocaleString toPrecision toString valueOf`,
  object: `hasOwnProperty=keys isPrototypeOf propertyIsEnumerable toLocaleString valueOf`,
  regexp: `hasOwnProperty propertyIsEnumerable toLocaleString toString valueOf exec=changes test=changes`,
  set: `hasOwnProperty propertyIsEnumerable toLocaleString toString valueOf add=changes+shallow clear=changes
    delete=changes+shallow entries forEach=calls-0 has=shallow keys values union intersection difference
    symmetricDifference isSubsetOf isSupersetOf isDisjointFrom ${ITERATOR}`,
  symbol: `toString valueOf`,
  string: `${ITERATOR}=fresh at=fresh charAt=fresh charCodeAt=fresh codePointAt=fresh concat=fresh endsWith=fresh includes=fresh indexOf=fresh
    isWellFormed=fresh lastIndexOf=fresh localeCompare=fresh normalize=fresh padEnd=fresh padStart=fresh repeat=fresh
    slice=fresh startsWith=fresh substr=fresh substring=fresh toLocaleLowerCase=fresh toLocaleString=fresh toLocaleUpperCase=fresh
    toLowerCase=fresh toUpperCase=fresh toString=fresh toWellFormed=fresh trim=fresh trimEnd=fresh trimLeft=fresh trimRight=fresh trimStart=fresh
    valueOf=fresh match=changes+pattern+fresh matchAll=changes+pattern+fresh replace=changes+calls-1+pattern+apart+fresh
    replaceAll=changes+calls-1+pattern+apart+fresh search=changes+pattern+fresh split=changes+pattern+fresh`,
  promise: `then=calls-0+calls-1+later+shallow catch=calls-0+later+shallow finally=calls-0+later+shallow`,
  weakmap: `delete=changes+shallow get=shallow+picks has=shallow set=changes+shallow`,
  weakset: `add=changes+shallow delete=changes+shallow has=shallow`,
  url: `toJSON=fresh toString=fresh`,
  urlsearchparams: `${ITERATOR} append=changes delete=changes entries forEach=calls-0 get=fresh getAll=fresh has=fresh keys set=changes sort=changes
    toString=fresh values`,
  abortcontroller: `abort=changes`,
  abortsignal: `throwIfAborted`,
  arraybuffer: `slice=fresh`,
  dataview: `getInt8 getUint8 getInt16 getUint16 getInt32 getUint32 getFloat32 getFloat64 setInt8=changes setUint8=changes
    setInt16=changes setUint16=changes setInt32=changes setUint32=changes setFloat32=changes setFloat64=changes`,
  textdecoder: `decode=fresh`,
  textencoder: `encode=fresh`,
  typedarray: `${ITERATOR} at copyWithin=changes entries every=calls-0 fill=changes filter=calls-0+fresh find=calls-0 findIndex=calls-0
    findLast=calls-0 findLastIndex=calls-0 forEach=calls-0 includes indexOf join keys lastIndexOf map=calls-0+apart+fresh
    reduce=calls-0+picks reduceRight=calls-0+picks reverse=changes set=changes slice=fresh some=calls-0 sort=changes+calls-0+apart
    subarray toReversed=fresh toSorted=calls-0+apart+fresh toString values with=fresh`,
  timer: `hasRef ref=shallow unref=shallow`,
  numberformat: `format`,
  datetimeformat: `format formatToParts resolvedOptions`,
  collator: `compare`,
  pluralrules: `select`,
  listformat: `format`,
  relativetimeformat: `format`,
  Intl: `NumberFormat DateTimeFormat Collator PluralRules ListFormat RelativeTimeFormat`,
  '': `Array Boolean Date Map Number parseFloat parseInt Object RegExp Set String Error TypeError RangeError SyntaxError
    ReferenceError EvalError URIError AggregateError decodeURI decodeURIComponent encodeURI encodeURIComponent isFinite
    isNaN structuredClone Promise atob=fresh btoa=fresh queueMicrotask=calls-0+later+shallow
    setTimeout=calls-0+later+shallow setInterval=calls-0+later+shallow setImmediate=calls-0+later+shallow
    clearTimeout=changes-first+shallow clearInterval=changes-first+shallow clearImmediate=changes-first+shallow WeakMap WeakSet
    URL URLSearchParams ArrayBuffer DataView TextDecoder TextEncoder Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array
    Int32Array Uint32Array Float32Array Float64Array AbortController AbortSignal Function escape unescape
    Symbol`,
  Iterator: `from`,
  Array: `fromAsync=shallow+keys from=calls-1+fresh isArray=shallow+keys of=fresh`,
  Date: `UTC now parse`,
  JSON: `parse=calls-1+fresh stringify=calls-1+apart`,
  Map: `groupBy=calls-1+apart`,
  Math: `abs acos acosh asin asinh atan atanh cbrt ceil clz32 cos cosh exp expm1 floor fround log log10 log1p log2 round sign
    sin sinh sqrt tan tanh trunc atan2 imul pow hypot max min random`,
  Number: `isFinite isInteger isNaN isSafeInteger`,
  Object: `assign=changes-first+shallow create defineProperties=changes-first defineProperty=changes-first
    getOwnPropertyDescriptor getOwnPropertyDescriptors getPrototypeOf=picks setPrototypeOf=changes-first entries=shallow+fresh freeze=changes-first fromEntries=fresh getOwnPropertyNames
    groupBy=calls-1+apart hasOwn=keys is isExtensible isFrozen isSealed keys=fresh+keys preventExtensions=changes-first
    seal=changes-first values=shallow+fresh`,
  Symbol: `for`,
  'Object.prototype': `toString`,
  String: `fromCharCode fromCodePoint raw`,
  console: `assert clear count countReset debug dir dirxml error group groupCollapsed groupEnd info log table time timeEnd timeLog trace warn`,
  performance: `now`,
  AbortSignal: `abort=fresh`,
  ArrayBuffer: `isView`,
  Error: `captureStackTrace isError`,
  Reflect: `deleteProperty=changes-first get=picks has ownKeys=fresh set=changes-first`,
  RegExp: `escape=fresh`,
  Int8Array: `from=calls-1+apart+fresh of=fresh`,
  Uint8Array: `from=calls-1+apart+fresh of=fresh`,
  Uint8ClampedArray: `from=calls-1+apart+fresh of=fresh`,
  Int16Array: `from=calls-1+apart+fresh of=fresh`,
  Uint16Array: `from=calls-1+apart+fresh of=fresh`,
  Int32Array: `from=calls-1+apart+fresh of=fresh`,
  Uint32Array: `from=calls-1+apart+fresh of=fresh`,
  Float32Array: `from=calls-1+apart+fresh of=fresh`,
  Float64Array: `from=calls-1+apart+fresh of=fresh`,
  URL: `canParse=fresh parse=fresh`,
  Promise: `all=shallow+keys allSettled=shallow+keys any=shallow race=shallow resolve=shallow reject=shallow withResolvers=shallow`,
} as const

const TRAITS: ReadonlySet<string> = new Set<Trait>([
  'changes',
  'changes-first',
  'calls-0',
  'calls-1',
  'later',
  'pattern',
  'shallow',
  'keys',
  'picks',
  'apart',
  'fresh',
])

function readRules(): Map<string, ReadonlySet<Trait>> {
  const rules = new Map<string, ReadonlySet<Trait>>()
  for (const [owner, list] of Object.entries(TABLE))
    for (const entry of list.split(/\s+/)) {
      const [name = '', traits] = entry.split('=')
      const own = traits?.split('+') ?? []
      const strange = own.find((trait) => !TRAITS.has(trait))
      if (strange !== undefined) throw new Error(`There is no trait "${strange}" for built-ins.`)
      rules.set(owner === '' ? name : `${owner}.${name}`, new Set(own as Trait[]))
    }
  return rules
}

/** The traits of each built-in, by its path. */
export const BUILTIN_RULES: ReadonlyMap<string, ReadonlySet<Trait>> = readRules()
