import { promiseGlobal, promiseMethods, queueMicrotask } from '../machine/promises/promise-builtins.ts'
import { timerFunctions, timerMethods } from '../machine/promises/timers.ts'
import type { BuiltinTable, Receiver } from '../value/builtin-table.ts'
import type { BuiltinFunction } from '../value/builtin-function.ts'
import type { GuestMap, GuestSet } from '../value/collections.ts'
import { GuestError } from '../value/guest-object.ts'
import type { Guest } from '../value/guest.ts'
import { arrayCallbackRows } from './arrays/array-callbacks.ts'
import { scriptArrayGlobal } from './arrays/array-async.ts'
import { arrayGlobal } from './arrays/array-global.ts'
import { arrayIterationRows } from './iteration.ts'
import { asyncGeneratorRows, generatorRows, iteratorGlobal, iteratorHelperRows, iteratorRows } from './iterators.ts'
import { arrayRows } from './arrays/array-methods.ts'
import { arraySortRows } from './arrays/array-sort.ts'
import { mapGlobal, mapRows, setGlobal, setRows } from './collections.ts'
import { consoleGlobal } from './console.ts'
import { dateGlobal, dateRows } from './text/date.ts'
import { errorGlobals, errorRows } from './errors.ts'
import { functionGetters, functionGlobal, functionRows } from './function-methods.ts'
import { globalFunctions } from './global-functions.ts'
import { formatGetters, formatMethods, intlGlobal } from './intl/formats.ts'
import { parseJson } from './text/json-parse.ts'
import { stringifyJson } from './text/json-stringify.ts'
import { type Row, type Rows, functions, namespace } from './constructors.ts'
import { mathGlobal } from './math.ts'
import { booleanGlobal, booleanRows, numberGlobal, numberRows, parseFloatFunction, parseIntFunction } from './number.ts'
import { objectGlobal, objectRows } from './object.ts'
import { tagRows } from './objects/properties.ts'
import { abortGetters, abortGlobals, abortMethods } from './platform/abort.ts'
import { base64Functions } from './platform/base64.ts'
import { urlGetters, urlGlobals, urlMethods } from './platform/url.ts'
import { weakGlobals, weakMethods } from './platform/weak.ts'
import { bytesGetters, bytesGlobals, bytesMethods } from './platform/bytes.ts'
import { performanceGlobal } from './platform/performance.ts'
import { reflectGlobal } from './reflect.ts'
import { regexpGetters, regexpGlobal, regexpRows } from './text/regexp.ts'
import { symbolGetters, symbolGlobal, symbolRows } from './symbol.ts'
import { stringGlobal } from './text/string-global.ts'
import { stringRows } from './text/string-methods.ts'
import { stringPatternRows } from './text/string-patterns.ts'

const jsonGlobal = namespace('JSON', functions('JSON', { parse: [2, parseJson], stringify: [3, stringifyJson] }))

/** Methods of every value, unless its type overrides them. */
const shared: Rows = {
  hasOwnProperty: objectRows['hasOwnProperty'] as Row,
  propertyIsEnumerable: objectRows['propertyIsEnumerable'] as Row,
  toLocaleString: objectRows['toLocaleString'] as Row,
  toString: objectRows['toString'] as Row,
  valueOf: objectRows['valueOf'] as Row,
}

/** Methods of functions. */
const nameless: Rows = {
  hasOwnProperty: objectRows['hasOwnProperty'] as Row,
  propertyIsEnumerable: objectRows['propertyIsEnumerable'] as Row,
  valueOf: objectRows['valueOf'] as Row,
}

const rows: readonly (readonly [Receiver, Rows])[] = [
  ['array', { ...shared, ...arrayRows, ...arrayCallbackRows, ...arraySortRows, ...arrayIterationRows }],
  ['asyncgenerator', { ...shared, ...asyncGeneratorRows }],
  ['boolean', booleanRows],
  ['date', { ...shared, ...dateRows }],
  ['error', { ...shared, ...errorRows }],
  ['function', { ...functionRows, ...nameless }],
  ['generator', { ...shared, ...generatorRows }],
  ['iterator', { ...shared, ...iteratorRows }],
  ['iteratorhelper', { ...shared, ...iteratorHelperRows }],
  ['map', { ...shared, ...mapRows }],
  ['number', numberRows],
  ['regexp', { ...shared, ...regexpRows }],
  ['symbol', symbolRows],
  ['set', { ...shared, ...setRows }],
  ['string', { ...stringRows, ...stringPatternRows }],
]

const methods = new Map<Receiver, ReadonlyMap<string, BuiltinFunction>>([
  ['object', new Map([...functions('object', objectRows), ...functions('Object.prototype', tagRows)])],
  ...rows.map(([receiver, own]): [Receiver, ReadonlyMap<string, BuiltinFunction>] => [
    receiver,
    functions(receiver, own),
  ]),
  ...formatMethods,
  ...weakMethods,
  ...urlMethods,
  ...bytesMethods,
  ...abortMethods,
])

const getters = new Map<Receiver, ReadonlyMap<string, (receiver: never) => Guest>>([
  ['function', functionGetters],
  ['map', new Map([['size', (map: GuestMap): Guest => map.entries.size]])],
  ['regexp', regexpGetters],
  ['symbol', symbolGetters],
  ['set', new Map([['size', (set: GuestSet): Guest => set.values.size]])],
  ...formatGetters,
  ...urlGetters,
  ...bytesGetters,
  ...abortGetters,
])

const globals = new Map<string, Guest>([
  ['Array', arrayGlobal],
  ['Boolean', booleanGlobal],
  ['Date', dateGlobal],
  ['Infinity', Infinity],
  ['Intl', intlGlobal],
  ['Iterator', iteratorGlobal],
  ['JSON', jsonGlobal],
  ['Map', mapGlobal],
  ['Math', mathGlobal],
  ['NaN', Number.NaN],
  ['Number', numberGlobal],
  ['Object', objectGlobal],
  ['Reflect', reflectGlobal],
  ['RegExp', regexpGlobal],
  ['Set', setGlobal],
  ['Symbol', symbolGlobal],
  ['String', stringGlobal],
  ['console', consoleGlobal],
  ['parseFloat', parseFloatFunction],
  ['parseInt', parseIntFunction],
  ['performance', performanceGlobal],
  ...base64Functions,
  ...weakGlobals,
  ...urlGlobals,
  ...bytesGlobals,
  ...abortGlobals,
  ...errorGlobals,
  ...globalFunctions,
])

/** `Array.prototype`: the methods of lists by name, as in `Array.prototype.slice.call(value)`. Nothing can be added to it. */
const PROTOTYPES: readonly (readonly [string, Receiver])[] = [
  ['Array', 'array'],
  ['Boolean', 'boolean'],
  ['Date', 'date'],
  ['Error', 'error'],
  ['Map', 'map'],
  ['Number', 'number'],
  ['Object', 'object'],
  ['RegExp', 'regexp'],
  ['Set', 'set'],
  ['String', 'string'],
]
for (const [name, receiver] of PROTOTYPES) {
  const owner = globals.get(name) as { members: Map<string, Guest> | undefined }
  owner.members ??= new Map()
  const prototype = namespace(`${name}.prototype`, methods.get(receiver)!)
  owner.members.set('prototype', prototype)
  if (name === 'Array') (scriptArrayGlobal.members as Map<string, Guest>).set('prototype', prototype)
}

/** Built-ins of JSON programs. They have no promises: a step that makes a request waits for the answer. */
export const programBuiltins: BuiltinTable = { methods, getters, globals }

const scriptGlobals = new Map<string, Guest>([
  ...globals,
  ['Array', scriptArrayGlobal],
  ['Function', functionGlobal],
  ['Promise', promiseGlobal],
  ['queueMicrotask', queueMicrotask],
  ...timerFunctions,
])

/** Constructors of values, for `value.constructor`. Functions have none, because theirs would create code from text. */
const MAKERS: readonly (readonly [Receiver, string])[] = [
  ...PROTOTYPES.map(([name, receiver]) => [receiver, name] as const),
  ['promise', 'Promise'],
]

const scriptGetters = new Map(getters)
for (const [receiver, name] of MAKERS) {
  const made = (value: Guest): Guest => scriptGlobals.get(value instanceof GuestError ? value.kind : name)
  scriptGetters.set(receiver, new Map([...(getters.get(receiver) ?? []), ['constructor', made]]))
}

/** Built-ins of scripts. */
export const scriptBuiltins: BuiltinTable = {
  methods: new Map([...methods, ['promise', promiseMethods], ['timer', timerMethods]]),
  getters: scriptGetters,
  globals: scriptGlobals,
}
