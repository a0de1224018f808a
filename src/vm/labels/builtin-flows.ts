/** Names of methods that built-ins have, and what they do to their receiver and to references inside of it. */
const METHODS: readonly string[] =
  `slice concat join indexOf lastIndexOf includes at flat keys values entries map filter forEach reduce reduceRight find findIndex
  findLast findLastIndex some every flatMap charAt charCodeAt codePointAt split substring substr trim trimStart trimEnd toLowerCase
  toUpperCase padStart padEnd repeat replace replaceAll startsWith endsWith match matchAll search toString toLocaleString valueOf toFixed
  toPrecision get has then catch finally getTime toISOString toJSON hasOwnProperty localeCompare normalize toSorted toReversed toSpliced with
  call apply bind push pop shift unshift splice sort reverse fill copyWithin set add delete clear test exec next`.split(
    /\s+/,
  )

export const METHOD_NAMES: ReadonlySet<string> = new Set(METHODS)

function places(names: string, ...at: number[]): [string, readonly number[]][] {
  return names.split(/\s+/).map((name) => [name, at])
}

/** Names of built-ins that call what they are given, and at which places. */
export const CALLED: ReadonlyMap<string, readonly number[]> = new Map([
  ...places(
    `map filter forEach reduce reduceRight find findIndex findLast findLastIndex some every flatMap sort toSorted catch finally try`,
    0,
  ),
  ...places('then', 0, 1),
  ...places('replace replaceAll from fromAsync groupBy stringify parse', 1),
])

/** Methods of texts that write where they are into a pattern that keeps its place; a text in its stead keeps nothing. */
export const PATTERNED: ReadonlySet<string> = new Set('replace replaceAll split match matchAll search'.split(' '))

/** Methods that change their receiver. */
export const MUTATORS: ReadonlySet<string> = new Set(
  `push pop shift unshift splice sort reverse fill copyWithin set add delete clear test exec next match matchAll replace replaceAll search split`.split(
    /\s+/,
  ),
)

/** Functions that change their first argument. */
export const STATIC_MUTATORS: ReadonlySet<string> = new Set([
  'Object.assign',
  'Object.freeze',
  'Object.seal',
  'Object.preventExtensions',
  'Object.defineProperty',
  'Object.defineProperties',
])

/** Built-ins that move references about without looking into what they refer to; all others may have looked at everything. */
const SHALLOW: ReadonlySet<string> = new Set(
  `array.push array.pop array.shift array.unshift array.slice array.concat array.at array.reverse array.toReversed array.splice array.fill
  array.indexOf array.includes array.lastIndexOf array.entries array.values array.keys Array.isArray Object.values Object.entries
  Object.assign map.get map.set map.has map.delete set.add set.has set.delete`.split(/\s+/),
)

export function isShallow(path: string): boolean {
  return (
    SHALLOW.has(path) ||
    path.startsWith('Promise.') ||
    path.startsWith('promise.') ||
    path === 'resolve' ||
    path === 'reject'
  )
}

/** Built-ins that give one of the things that are inside of something: where it was none, it could have been one. */
export const PICKING: ReadonlySet<string> = new Set(
  `array.at array.pop array.shift array.find array.findLast array.reduce array.reduceRight map.get`.split(' '),
)

/** Built-ins that make something of what is inside of what a function gives back to them. */
export const TAKING_APART: ReadonlySet<string> = new Set(
  `array.flatMap array.sort array.toSorted string.replace string.replaceAll JSON.stringify Object.groupBy Map.groupBy`.split(
    ' ',
  ),
)

const FRESH: ReadonlySet<string> = new Set(
  `array.slice array.concat array.filter array.map array.flat array.splice array.entries array.values array.keys array.toReversed
  array.toSorted array.toSpliced Object.keys Object.values Object.entries Object.fromEntries Array.from Array.of JSON.parse`.split(
    /\s+/,
  ),
)

/** Built-ins that give something new, so that nothing was chosen. */
export function isFresh(path: string): boolean {
  return FRESH.has(path) || path.startsWith('string.')
}

/** Built-ins that only look at what keys there are. */
export const KEYS_ONLY: ReadonlySet<string> = new Set([
  // Its parts have their labels one by one.
  'Promise.all',
  'Promise.allSettled',
  'Object.keys',
  'Array.isArray',
  'object.hasOwnProperty',
  'Object.hasOwn',
])
