import { RE2JS, RE2JSException } from 're2js'
import { burn, charge, live } from '../meter/live.ts'
import { limitStop } from '../meter/stop.ts'
import type { GuestRegExp } from '../value/collections.ts'
import { touch } from '../value/text.ts'
import { thrown } from '../value/thrown.ts'
import { PatternProblem, Translator } from './regexp-translate.ts'

const PATTERN_MAX = 10_000
const KEPT = 200

/** A compiled expression. It has no state that a program could see, so one serves every run. */
export interface Engine {
  readonly names: readonly (string | undefined)[]
  readonly size: number
  /** What reading one character may cost. */
  readonly weight: number
  readonly isByUnit: boolean
  readonly isMultiline: boolean
  readonly engine: RE2JS
}

const kept = new Map<string, Engine | PatternProblem>()

function compile(source: string, flags: string): Engine | PatternProblem {
  try {
    const { text, names } = new Translator(source, flags).translate()
    const engine = RE2JS.compile(text)
    return {
      names,
      engine,
      size: engine.programSize(),
      // Each step may copy the places of every group.
      weight: Math.ceil(engine.programSize() / 16) * (1 + ((names.length - 1) >> 2)),
      isByUnit: !flags.includes('u'),
      isMultiline: flags.includes('m'),
    }
  } catch (error) {
    if (error instanceof PatternProblem) return error
    if (error instanceof RE2JSException || error instanceof RangeError) {
      return new PatternProblem(
        `The expression /${source.slice(0, 80)}/ is too large for the engine or not known to it.`,
        true,
      )
    }
    throw error
  }
}

/** Paid by the length of the pattern whether or not it was compiled before, so that fuel does not depend on history. */
function compiled(source: string, flags: string, isPaid: boolean = false): Engine {
  if (source.length > PATTERN_MAX)
    throw thrown('SyntaxError', `A regular expression has at most ${PATTERN_MAX} characters`)
  if (!isPaid) {
    burn(1_000 + source.length * 100)
    charge(200 + source.length * 40)
  }
  const key = `${flags}/${source}`
  let found = kept.get(key)
  if (found === undefined) {
    found = compile(source, flags)
    if (kept.size >= KEPT) kept.delete(kept.keys().next().value as string)
    kept.set(key, found)
  }
  if (found instanceof PatternProblem) throw thrown('SyntaxError', found.message)
  return found
}

/** The engine of an expression, made when first needed: after a restart it is made again. */
export function engineOf(regexp: GuestRegExp): Engine {
  if (regexp.engine === undefined) regexp.engine = compiled(regexp.source, regexp.flags, regexp.isPaid)
  return regexp.engine as Engine
}

/** Checks flags and pattern as `new RegExp` does. */
export function checkPattern(source: string, flags: string): Engine {
  if (!/^[gimsuy]*$/.test(flags) || new Set(flags).size < flags.length) {
    const known = 'Flags are g, i, m, s, u and y, each once'
    throw thrown('SyntaxError', `Invalid flags supplied to RegExp constructor '${flags.slice(0, 20)}'. ${known}.`)
  }
  return compiled(source, flags)
}

const pairs = /[\ud800-\udfff]/

/** Where a match and its groups begin and end, in pairs; -1 for a group that took no part. */
export type Spans = readonly number[]

/** The first match at or after an offset. */
export function findMatch(engine: Engine, text: string, from: number): Spans | null {
  const steps = (text.length - from) * engine.weight
  const { regexSteps } = live.machine.limits
  if (steps > regexSteps) throw limitStop('regexSteps', regexSteps, 'A regular expression would take too many steps')
  touch(text)
  burn(200 + engine.size)
  if (engine.isMultiline && /[\r\u2028\u2029]/.test(text)) {
    throw thrown(
      'SyntaxError',
      "The flag m counts only \\n as a line end here: use text.replaceAll('\\r\\n', '\\n') first",
    )
  }
  const spans = engine.isByUnit && pairs.test(text) ? findByUnit(engine, text, from) : find(engine, text, from)
  // The engine reads each character once; what it read is known only now.
  const read = (spans === null ? text.length : (spans[1] as number)) - from
  burn(read * engine.weight)
  return spans
}

function find({ engine }: Engine, text: string, from: number): Spans | null {
  const matcher = engine.matcher(text)
  if (!matcher.find(from)) return null
  const spans: number[] = []
  for (let group = 0; group <= matcher.groupCount(); group += 1) spans.push(matcher.start(group), matcher.end(group))
  return spans
}

/** Without the flag `u`, JavaScript sees halves of pairs as characters; the engine never does, so each half becomes one. */
function findByUnit(engine: Engine, text: string, from: number): Spans | null {
  charge(text.length * 8)
  burn(text.length)
  const places: number[] = []
  let mapped = ''
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const isHalf = code >= 0xd800 && code <= 0xdfff
    places.push(at)
    if (isHalf) places.push(at)
    mapped += isHalf ? String.fromCodePoint(0xf_0000 + code) : (text[at] as string)
  }
  places.push(text.length)
  const spans = find(engine, mapped, places.indexOf(from))
  return spans === null ? null : spans.map((place) => (place < 0 ? -1 : (places[place] as number)))
}

/** Whether a pattern is found in a text. */
export function testPattern(pattern: string, flags: string, text: string): boolean {
  return findMatch(checkPattern(pattern, flags), text, 0) !== null
}
