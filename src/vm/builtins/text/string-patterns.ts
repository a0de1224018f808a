import { invoke } from '../../machine/invoke.ts'
import { burn, charge } from '../../meter/live.ts'
import { GuestRegExp } from '../../value/collections.ts'
import { isCallable, toText } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { newArray } from '../../value/guest-array.ts'
import type { GuestObject } from '../../value/guest-object.ts'
import { iteratorOf } from '../../machine/iteration/collection-iterator.ts'
import { pushItem } from '../../value/property.ts'
import { concat, cut } from '../../value/text/text.ts'
import { thrown } from '../../value/thrown.ts'
import type { Rows } from '../constructors.ts'
import { textArgument, textOf, toInteger } from '../argument-reads.ts'
import { advance, groupTexts, groupsOf, makeRegExp, matchResult, spanText } from './regexp.ts'
import { type Spans, engineOf, findMatch } from './regexp-engine.ts'
import { splitText } from './string-methods.ts'
import { TextSearch, findText } from './text-search.ts'

/** Visits every match of an expression from a position; after an empty match, the search moves on by one character. */
function eachMatch(regexp: GuestRegExp, text: string, start: number, visit: (spans: Spans) => void): void {
  const engine = engineOf(regexp)
  const isUnicode = /[uv]/.test(regexp.flags)
  const isSticky = regexp.flags.includes('y')
  let from = start
  while (from <= text.length) {
    const spans = findMatch(engine, text, from, isSticky)
    if (spans === null) return
    charge(96 + spans.length * 16)
    visit(spans)
    const end = spans[1] as number
    from = end
    if (end === spans[0]) from = nextPlace(text, end, isUnicode)
  }
}

/** Returns the position after a character: with the flag `u`, a surrogate pair is one character. */
function nextPlace(text: string, at: number, isUnicode: boolean): number {
  return at + (isUnicode && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
}

function regexpArgument(value: Guest, flags: string): GuestRegExp {
  if (value instanceof GuestRegExp) return value
  return makeRegExp(value === undefined ? '' : textArgument(value), flags)
}

function match(receiver: Guest, args: readonly Guest[]): Guest {
  const text = textOf(receiver, 'match')
  const regexp = regexpArgument(args[0], '')
  if (!regexp.flags.includes('g')) {
    const spans = advance(regexp, text)
    return spans === null ? null : matchResult(regexp, text, spans)
  }
  regexp.lastIndex = 0
  const found = newArray([])
  eachMatch(regexp, text, 0, (spans) => pushItem(found, spanText(text, spans, 0)))
  return found.items.length === 0 ? null : found
}

function matchAll(receiver: Guest, args: readonly Guest[]): Guest {
  const text = textOf(receiver, 'matchAll')
  const regexp = regexpArgument(args[0], 'g')
  if (!regexp.flags.includes('g')) {
    throw thrown('TypeError', 'String.prototype.matchAll called with a non-global RegExp argument')
  }
  const found = newArray([])
  const from = Math.max(toInteger(regexp.lastIndex), 0)
  eachMatch(regexp, text, from, (spans) => pushItem(found, matchResult(regexp, text, spans)))
  return iteratorOf(found, 'values', 'RegExp String Iterator')
}

function search(receiver: Guest, args: readonly Guest[]): number {
  const text = textOf(receiver, 'search')
  const regexp = regexpArgument(args[0], '')
  const spans = findMatch(engineOf(regexp), text, 0, regexp.flags.includes('y'))
  return spans === null ? -1 : spans[0]!
}

/** One replacement: the match and its groups. */
interface Place {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly groups: readonly (string | undefined)[]
  readonly named: GuestObject | undefined
}

function replacementFor(place: Place, replacement: Guest, template: string | undefined): string {
  const matched = place.groups[0] as string
  if (template !== undefined) return expand(template, place, matched)
  const args: Guest[] = [...place.groups, place.from, place.text]
  if (place.named !== undefined) args.push(place.named)
  return toText(invoke(replacement, args))
}

/** `$$`, `$&`, `` $` ``, `$'`, `$1` and `$<name>` in a replacement. */
function expand(template: string, place: Place, matched: string): string {
  burn(template.length * 2)
  let result = ''
  let from = 0
  for (let at = template.indexOf('$'); at >= 0; at = template.indexOf('$', from)) {
    burn(200)
    result = concat(result, cut(template, from, at))
    const [text, width] = expandOne(template, at, place, matched)
    result = concat(result, text)
    from = at + width
  }
  return concat(result, cut(template, from, template.length))
}

function expandOne(
  template: string,
  at: number,
  place: Place,
  matched: string,
): readonly [text: string, width: number] {
  const next = template[at + 1]
  if (next === '$') return ['$', 2]
  if (next === '&') return [matched, 2]
  if (next === '`') return [cut(place.text, 0, place.from), 2]
  if (next === "'") return [cut(place.text, place.to, place.text.length), 2]
  if (next === '<' && place.named !== undefined) {
    const close = template.indexOf('>', at)
    burn((close < 0 ? template.length : close) - at)
    if (close < 0) return ['$', 1]
    const value = place.named.get(template.slice(at + 2, close))
    return [value === undefined ? '' : toText(value), close + 1 - at]
  }
  for (const width of [2, 1]) {
    const digits = template.slice(at + 1, at + 1 + width)
    const number = Number(digits)
    if (digits.length === width && /^\d+$/.test(digits) && number >= 1 && number < place.groups.length) {
      return [place.groups[number] ?? '', 1 + width]
    }
  }
  return ['$', 1]
}

function replaced(text: string, places: Iterable<Place>, replacement: Guest): string {
  const template = isCallable(replacement) ? undefined : textArgument(replacement)
  if (template !== undefined) burn(template.length >> 3)
  const fixed = template?.includes('$') === false ? template : undefined
  let result = ''
  let from = 0
  for (const place of places) {
    result = concat(result, cut(text, from, place.from))
    burn(100)
    result = concat(result, fixed ?? replacementFor(place, replacement, template))
    from = place.to
  }
  return from === 0 && result === '' ? text : concat(result, cut(text, from, text.length))
}

function textPlace(text: string, sought: string, at: number): Place {
  return { text, from: at, to: at + sought.length, groups: [sought], named: undefined }
}

function firstPlace(text: string, sought: string): readonly Place[] {
  const at = findText(text, sought, 0)
  return at < 0 ? [] : [textPlace(text, sought, at)]
}

function* textPlaces(text: string, sought: string): Generator<Place> {
  const places = new TextSearch(text, sought)
  const step = Math.max(sought.length, 1)
  for (let at = places.next(0); at >= 0; at = places.next(at + step)) {
    yield textPlace(text, sought, at)
    if (at + step > text.length) return
  }
}

/** All matches are found before the first callback, as in JavaScript. */
function regexpPlaces(text: string, regexp: GuestRegExp): Place[] {
  const found: Spans[] = []
  if (regexp.flags.includes('g')) {
    regexp.lastIndex = 0
    eachMatch(regexp, text, 0, (spans) => found.push(spans))
  } else {
    const spans = advance(regexp, text)
    if (spans !== null) found.push(spans)
  }
  return found.map((spans) => ({
    text,
    from: spans[0] as number,
    to: spans[1] as number,
    groups: groupTexts(text, spans),
    named: groupsOf(regexp, text, spans),
  }))
}

function replace(receiver: Guest, args: readonly Guest[], isAll: boolean): string {
  const text = textOf(receiver, isAll ? 'replaceAll' : 'replace')
  const pattern = args[0]
  const replacement = args[1]
  if (pattern instanceof GuestRegExp) {
    if (isAll && !pattern.flags.includes('g')) {
      throw thrown('TypeError', 'replaceAll must be called with a global RegExp')
    }
    return replaced(text, regexpPlaces(text, pattern), replacement)
  }
  const sought = textArgument(pattern)
  return replaced(text, isAll ? textPlaces(text, sought) : firstPlace(text, sought), replacement)
}

function split(receiver: Guest, args: readonly Guest[]): Guest {
  const text = textOf(receiver, 'split')
  const separator = args[0]
  const limit = args[1] === undefined ? 4_294_967_295 : toInteger(args[1]) >>> 0
  if (separator instanceof GuestRegExp) return splitByRegExp(text, separator, limit)
  if (separator === undefined) return newArray(limit === 0 ? [] : [text])
  return splitText(text, textArgument(separator), limit)
}

function splitByRegExp(text: string, regexp: GuestRegExp, limit: number): Guest {
  const parts = newArray([])
  if (limit === 0) return parts
  const engine = engineOf(regexp)
  if (text === '') return findMatch(engine, text, 0) === null ? newArray(['']) : parts
  const isUnicode = /[uv]/.test(regexp.flags)
  let from = 0
  let at = 0
  while (at < text.length) {
    const spans = findMatch(engine, text, at)
    if (spans === null || (spans[0] as number) >= text.length) break
    const [start, end] = spans as [number, number]
    if (end === from || (end === start && start === from)) {
      at = nextPlace(text, Math.max(start, at), isUnicode)
      continue
    }
    pushItem(parts, cut(text, from, start))
    if (parts.items.length === limit) return parts
    for (let group = 1; group < spans.length / 2; group += 1) {
      pushItem(parts, spanText(text, spans, group))
      if (parts.items.length === limit) return parts
    }
    from = end
    at = end === start ? nextPlace(text, end, isUnicode) : end
  }
  pushItem(parts, cut(text, from, text.length))
  return parts
}

/** Methods of strings that take an expression or a text. */
export const stringPatternRows: Rows = {
  match: [1, match],
  matchAll: [1, matchAll],
  replace: [2, (receiver, args) => replace(receiver, args, false)],
  replaceAll: [2, (receiver, args) => replace(receiver, args, true)],
  search: [1, search],
  split: [2, split],
}
