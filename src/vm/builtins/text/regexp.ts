import { burn, charge, chargeList } from '../../meter/live.ts'
import type { BuiltinFunction } from '../../value/builtin-function.ts'
import { GuestRegExp } from '../../value/collections.ts'
import { toText } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import { type GuestObject, newObject } from '../../value/guest-object.ts'
import { newBare } from '../../value/prototypes/lookup.ts'
import { cut, noteMade, touch } from '../../value/text/text.ts'
import { thrown } from '../../value/thrown.ts'
import { type Rows, functions, global, row } from '../constructors.ts'
import { regexpOf, textArgument, toInteger } from '../argument-reads.ts'
import { type Spans, compiled, engineBytes, engineOf, findMatch } from './regexp-engine.ts'

/** Makes an expression, checked before it is used. */
export function makeRegExp(pattern: string, flags: string): GuestRegExp {
  const engine = compiled(pattern, flags)
  charge(96 + pattern.length)
  const regexp = new GuestRegExp(engine.source, engine.flags)
  regexp.engine = engine
  regexp.bytes += pattern.length + engineBytes(engine, pattern)
  return regexp
}

function construct(args: readonly Guest[]): Guest {
  const pattern = args[0]
  const flags = args[1]
  if (pattern instanceof GuestRegExp) {
    return makeRegExp(pattern.source, flags === undefined ? pattern.flags : textArgument(flags))
  }
  const source = pattern === undefined ? '' : textArgument(pattern)
  return makeRegExp(source, flags === undefined ? '' : textArgument(flags))
}

/** Characters that are literal in a pattern only after a backslash, and those that could belong to the preceding token. */
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/
const CONTROLS = new Map(Object.entries({ '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r' }))
const OTHER = /[,\-=<>#&!%:;@~'`"\s\ufeff\ud800-\udfff]/

function escapedChar(char: string, index: number): string {
  if (SYNTAX.test(char)) return `\\${char}`
  if (CONTROLS.has(char)) return `\\${CONTROLS.get(char)!}`
  const isFirst = index === 0 && /[0-9A-Za-z]/.test(char)
  if (!isFirst && (char.length > 1 || !OTHER.test(char))) return char
  const code = char.charCodeAt(0)
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}

/** `RegExp.escape(text)`: returns a pattern that matches the text literally. */
function escape(_: Guest, [value]: readonly Guest[]): Guest {
  if (typeof value !== 'string') throw thrown('TypeError', 'Regular expression pattern must be a string')
  touch(value)
  burn(value.length * 150)
  // A character takes at most six.
  charge(value.length * 6 + 24)
  return noteMade(Array.from(value, escapedChar).join(''))
}

/** `RegExp`. */
export const regexpGlobal: BuiltinFunction = global('RegExp', {
  arity: 2,
  call: (_, args) => (args[0] instanceof GuestRegExp && args[1] === undefined ? args[0] : construct(args)),
  construct,
  members: functions('RegExp', { escape: [1, escape] }),
})

/** Matches from `lastIndex` with the flags `g` or `y`, and advances it. */
export function advance(regexp: GuestRegExp, text: string): Spans | null {
  const isSticky = regexp.flags.includes('y')
  const isMoving = isSticky || regexp.flags.includes('g')
  const from = isMoving ? Math.max(toInteger(regexp.lastIndex), 0) : 0
  const spans = from > text.length ? null : findMatch(engineOf(regexp), text, from, isSticky)
  if (isMoving) regexp.lastIndex = spans === null ? 0 : (spans[1] as number)
  return spans
}

/** The text of a group, `undefined` if it did not participate. */
export function spanText(text: string, spans: Spans, group: number): string | undefined {
  const from = spans[group * 2]!
  const to = spans[group * 2 + 1]!
  if (from < 0 || to < 0) return undefined
  return cut(text, from, to)
}

/** The texts of all groups; the first is the whole match. */
export function groupTexts(text: string, spans: Spans): (string | undefined)[] {
  const texts: (string | undefined)[] = []
  for (let group = 0; group < spans.length / 2; group++) texts.push(spanText(text, spans, group))
  return texts
}

/** Named groups as an object, if there are any. */
export function groupsOf(regexp: GuestRegExp, text: string, spans: Spans): GuestObject | undefined {
  return namedGroups(regexp, (group) => spanText(text, spans, group))
}

function namedGroups(regexp: GuestRegExp, valueOf: (group: number) => Guest): GuestObject | undefined {
  const { names, hasNames } = engineOf(regexp)
  if (!hasNames) return undefined
  const groups = newBare()
  for (const [group, name] of names.entries()) {
    if (name === undefined) continue
    // Of groups with the same name, at most one participated.
    const found = valueOf(group)
    if (found !== undefined || !groups.has(name)) groups.set(name, found)
  }
  return groups
}

/** The result of `exec`: the texts and their index. */
export function matchResult(regexp: GuestRegExp, text: string, spans: Spans): GuestArray {
  const count = spans.length / 2
  chargeList(count)
  const list = new GuestArray(groupTexts(text, spans))
  const named = newObject()
  named.set('index', spans[0])
  named.set('input', text)
  named.set('groups', groupsOf(regexp, text, spans))
  if (regexp.flags.includes('d')) named.set('indices', indicesOf(regexp, spans))
  list.named = named
  return list
}

/** Start and end of the groups (flag `d`): pairs, and `undefined` for groups that did not participate. */
function indicesOf(regexp: GuestRegExp, spans: Spans): GuestArray {
  const count = spans.length / 2
  chargeList(count * 4)
  const pairs = Array.from({ length: count }, (_, group): Guest => {
    const [from, to] = [spans[group * 2]!, spans[group * 2 + 1]!]
    return from < 0 || to < 0 ? undefined : new GuestArray([from, to])
  })
  const list = new GuestArray(pairs)
  list.named = newObject()
  list.named.set(
    'groups',
    namedGroups(regexp, (group) => pairs[group]),
  )
  return list
}

/** Methods of regular expressions. */
export const regexpRows: Rows = {
  exec: [
    1,
    (receiver, args) => {
      const regexp = regexpOf(receiver, 'exec')
      const text = textArgument(args[0])
      const spans = advance(regexp, text)
      return spans === null ? null : matchResult(regexp, text, spans)
    },
  ],
  test: [1, (receiver, args) => advance(regexpOf(receiver, 'test'), textArgument(args[0])) !== null],
  toString: row(0, (receiver) => toText(regexpOf(receiver, 'toString'))),
}

const flagNames = [
  ['dotAll', 's'],
  ['global', 'g'],
  ['hasIndices', 'd'],
  ['ignoreCase', 'i'],
  ['multiline', 'm'],
  ['sticky', 'y'],
  ['unicode', 'u'],
  ['unicodeSets', 'v'],
] as const

/** Properties of regular expressions. */
export const regexpGetters: ReadonlyMap<string, (receiver: never) => Guest> = new Map<
  string,
  (receiver: never) => Guest
>([
  ['flags', (regexp: GuestRegExp) => regexp.flags],
  ['lastIndex', (regexp: GuestRegExp) => regexp.lastIndex],
  ['source', (regexp: GuestRegExp) => regexp.source],
  ...flagNames.map(([name, flag]): [string, (receiver: never) => Guest] => [
    name,
    (regexp: GuestRegExp) => regexp.flags.includes(flag),
  ]),
])
