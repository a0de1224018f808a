import { invoke3, requireCallable } from '../../machine/invoke.ts'
import { burn } from '../../meter/live.ts'
import type { BuiltinFunction } from '../../value/builtin-function.ts'
import type { Receiver } from '../../value/builtin-table.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray, newArrayOf } from '../../value/guest-array.ts'
import { GuestObject } from '../../value/guest-object.ts'
import { iteratorOf } from '../../machine/iteration/collection-iterator.ts'
import type { IteratorMode } from '../../value/native/guest-native.ts'
import { ITERATOR } from '../../value/symbols.ts'
import { GuestSearchParams, GuestUrl, type UrlPart, parseUrl } from '../../value/native/guest-url.ts'
import { thrown } from '../../value/thrown.ts'
import { textArgument } from '../argument-reads.ts'
import { type Rows, functions, global, row } from '../constructors.ts'
import { isIterable, itemsOf } from '../iteration.ts'

function urlOf(receiver: Guest, method: string): GuestUrl {
  if (receiver instanceof GuestUrl) return receiver
  throw thrown('TypeError', `URL.${method} is called on something that is no URL`)
}

function paramsOf(receiver: Guest, method: string): GuestSearchParams {
  if (receiver instanceof GuestSearchParams) return receiver
  throw thrown('TypeError', `URLSearchParams.${method} is called on something that is no URLSearchParams`)
}

function parse(args: readonly Guest[]): GuestUrl | undefined {
  if (args.length === 0) throw thrown('TypeError', 'The "url" argument must be specified')
  const text = textArgument(args[0])
  const base = args[1] === undefined ? undefined : textArgument(args[1])
  const host = parseUrl(text, base)
  return host === undefined ? undefined : new GuestUrl(host)
}

function makeUrl(args: readonly Guest[]): Guest {
  const made = parse(args)
  if (made === undefined) throw thrown('TypeError', 'Invalid URL')
  return made
}

function needsNew(name: string): never {
  throw thrown('TypeError', `Class constructor ${name} cannot be invoked without 'new'`)
}

const notAPair = (): unknown => thrown('TypeError', 'Each query pair must be an iterable [name, value] tuple')

function makeParams([init]: readonly Guest[]): Guest {
  const made = new GuestSearchParams()
  if (init === undefined) return made
  if (typeof init === 'object' && init !== null) {
    if (isIterable(init)) fillFromPairs(made, itemsOf(init))
    else if (init instanceof GuestObject) for (const key of init.listKeys()) made.add(key, textArgument(init.get(key)))
    return made
  }
  const text = textArgument(init)
  made.read(text.startsWith('?') ? text.slice(1) : text)
  return made
}

function fillFromPairs(params: GuestSearchParams, pairs: readonly Guest[]): void {
  for (const pair of pairs) {
    burn(200)
    if (!(typeof pair === 'object' && pair !== null && isIterable(pair))) throw notAPair()
    const [name, value, ...more] = itemsOf(pair)
    if (more.length > 0 || (pair instanceof GuestArray && pair.items.length !== 2)) throw notAPair()
    params.add(textArgument(name), textArgument(value))
  }
}

/** `URL` and `URLSearchParams`. */
export const urlGlobals: ReadonlyMap<string, BuiltinFunction> = new Map([
  [
    'URL',
    global('URL', {
      call: () => needsNew('URL'),
      construct: makeUrl,
      members: functions('URL', {
        canParse: [1, (_, args) => parse(args) !== undefined],
        parse: [1, (_, args) => parse(args) ?? null],
      }),
    }),
  ],
  [
    'URLSearchParams',
    global('URLSearchParams', { arity: 0, call: () => needsNew('URLSearchParams'), construct: makeParams }),
  ],
])

const urlRows: Rows = {
  toJSON: [0, (receiver) => urlOf(receiver, 'toJSON').text()],
  toString: row(0, (receiver) => urlOf(receiver, 'toString').text()),
}

/** The arguments of a method as texts; fewer than `least` are an error. */
function texts(args: readonly Guest[], least: number): [string, string] {
  if (args.length < least)
    throw thrown('TypeError', least === 1 ? 'The "name" argument must be specified' : 'The "name" and "value" arguments must be specified') // prettier-ignore
  return [textArgument(args[0]).toWellFormed(), args[1] === undefined && least === 1 ? '' : textArgument(args[1])]
}

/** The indexes of the pairs that have a name and, if it is given, a value. */
function indexes(params: GuestSearchParams, args: readonly Guest[]): number[] {
  const [name, value] = texts(args, 1)
  const wanted = args[1] === undefined ? undefined : value.toWellFormed()
  const found: number[] = []
  for (let at = 0; at < params.pairs.length; at += 1) if (params.fits(at, name, wanted)) found.push(at)
  return found
}

function keepOnly(params: GuestSearchParams, isKept: (index: number) => boolean): void {
  params.pairs = params.pairs.filter((_, index) => isKept(index))
}

function set(receiver: Guest, args: readonly Guest[]): Guest {
  const params = paramsOf(receiver, 'set')
  const [name, value] = texts(args, 2)
  const [first, ...others] = indexes(params, [name])
  if (first === undefined) params.add(name, value)
  else {
    params.pairs[first] = [name, value.toWellFormed()]
    const dropped = new Set(others)
    keepOnly(params, (index) => !dropped.has(index))
  }
  params.changed()
  return undefined
}

function remove(receiver: Guest, args: readonly Guest[]): Guest {
  const params = paramsOf(receiver, 'delete')
  const dropped = new Set(indexes(params, args))
  keepOnly(params, (index) => !dropped.has(index))
  params.changed()
  return undefined
}

function sort(receiver: Guest): Guest {
  const params = paramsOf(receiver, 'sort')
  params.pairs.sort(([a], [b]) => {
    burn(80 + (Math.min(a.length, b.length) >> 1))
    return a < b ? -1 : a > b ? 1 : 0
  })
  params.changed()
  return undefined
}

/** Live, as in JavaScript: pairs that are added meanwhile are visited. */
function forEach(receiver: Guest, [fn]: readonly Guest[]): Guest {
  const params = paramsOf(receiver, 'forEach')
  requireCallable(fn, 'The callback of forEach')
  for (let at = 0; at < params.pairs.length; at += 1) {
    burn(40)
    const [name, value] = params.pairs[at]!
    invoke3(fn, value, name, params)
  }
  return undefined
}

function listed(mode: IteratorMode) {
  return (receiver: Guest): Guest => {
    return iteratorOf(paramsOf(receiver, mode), mode)
  }
}

const paramsRows: Rows = {
  append: [
    2,
    (receiver, args) => {
      const params = paramsOf(receiver, 'append')
      params.add(...texts(args, 2))
      params.changed()
      return undefined
    },
  ],
  delete: [1, remove],
  entries: [0, listed('entries')],
  [ITERATOR]: [0, listed('entries')],
  forEach: [1, forEach],
  get: [
    1,
    (receiver, args) => {
      const params = paramsOf(receiver, 'get')
      const [first] = indexes(params, [texts(args, 1)[0]])
      return first === undefined ? null : params.pairs[first]![1]
    },
  ],
  getAll: [
    1,
    (receiver, args) => {
      const params = paramsOf(receiver, 'getAll')
      return newArrayOf(indexes(params, [texts(args, 1)[0]]).map((index) => params.pairs[index]![1]))
    },
  ],
  has: [
    1,
    (receiver, args) => {
      return indexes(paramsOf(receiver, 'has'), args).length > 0
    },
  ],
  keys: [0, listed('keys')],
  set: [2, set],
  sort: [0, sort],
  toString: row(0, (receiver) => paramsOf(receiver, 'toString').text()),
  values: [0, listed('values')],
}

/** Methods of URLs and of their search parameters. */
export const urlMethods: readonly (readonly [Receiver, ReadonlyMap<string, BuiltinFunction>])[] = [
  ['url', functions('url', urlRows)],
  ['urlsearchparams', functions('urlsearchparams', paramsRows)],
]

const PARTS: readonly (UrlPart | 'origin')[] = [
  ...(['href', 'origin', 'protocol', 'username', 'password', 'host'] as const),
  ...(['hostname', 'port', 'pathname', 'search', 'hash'] as const),
]

function searchParams(url: GuestUrl): GuestSearchParams {
  if (url.params === undefined) {
    url.params = new GuestSearchParams(url)
    url.params.read(url.part('search'))
  }
  return url.params
}

type Getter = (receiver: never) => Guest

/** Properties of URLs and of their search parameters. */
export const urlGetters: readonly (readonly [Receiver, ReadonlyMap<string, Getter>])[] = [
  [
    'url',
    new Map<string, Getter>([
      ...PARTS.map((name): [string, Getter] => [name, (url: GuestUrl) => url.part(name)]),
      ['searchParams', searchParams],
    ]),
  ],
  ['urlsearchparams', new Map<string, Getter>([['size', (params: GuestSearchParams) => params.count]])],
]
