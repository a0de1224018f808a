import { Compiler, PatternParser, PatternProblem, Search } from '../../../regexp/index.ts'
import type { Allowance, Program, Spans } from '../../../regexp/index.ts'
import { burn, charge, live } from '../../meter/live.ts'
import { limitStop, refused } from '../../meter/stop.ts'
import type { GuestRegExp } from '../../value/collections.ts'
import { touch } from '../../value/text/text.ts'
import { thrown } from '../../value/thrown.ts'

export type { Spans }

/** Units of one step of a search. */
const STEP = 40
const PATTERN_MAX = 10_000
const KEPT = 200
/** Larger programs are not cached, because together they would use too much memory. */
const KEPT_SIZE = 4_000
const KEPT_SETS = 50

/** A compiled expression. It has no state visible to programs, so runs share it. */
interface Engine {
  readonly names: readonly (string | undefined)[]
  readonly hasNames: boolean
  /** The pattern and the flags as programs see them. */
  readonly source: string
  readonly flags: string
  readonly program: Program
  readonly search: Search
}

/** By flags and pattern. */
const kept = new Map<string, Map<string, Engine>>()
let keptCount = 0

/** `/` and line ends are escaped, so that the text of an expression can be read back. */
function escapedSource(source: string): string {
  if (source === '') return '(?:)'
  return source.replaceAll(/\\[\s\S]|\[(?:[^\]\\]|\\[\s\S])*\]|\/|\n|\r/g, (part) => {
    if (part === '/') return '\\/'
    if (part === '\n') return '\\n'
    return part === '\r' ? '\\r' : part
  })
}

function compile(source: string, flags: string): Engine {
  try {
    const parsed = new PatternParser(source, flags).parse()
    const program = new Compiler(parsed, flags).compile()
    return {
      names: parsed.names,
      hasNames: parsed.names.some((name) => name !== undefined),
      source: escapedSource(source),
      flags: flags.split('').toSorted().join(''),
      program,
      search: new Search(program),
    }
  } catch (error) {
    if (error instanceof PatternProblem)
      throw error.isRefused ? refused(error.message) : thrown('SyntaxError', error.message)
    throw error
  }
}

function keep(source: string, flags: string, engine: Engine): void {
  const { code, sets } = engine.program
  if (code.length > KEPT_SIZE || sets.length > KEPT_SETS) return
  if (keptCount >= KEPT) {
    kept.clear()
    keptCount = 0
  }
  const ofFlags = kept.get(flags)
  if (ofFlags === undefined) kept.set(flags, new Map([[source, engine]]))
  else ofFlags.set(source, engine)
  keptCount += 1
}

/**
 * Validates flags and pattern as `new RegExp` does. Charged by the length of the pattern whether or not it is cached, so that fuel does not depend on
 * history.
 */
export function compiled(source: string, flags: string): Engine {
  if (source.length > PATTERN_MAX) throw refused(`A regular expression has at most ${PATTERN_MAX} characters`)
  let engine = kept.get(flags)?.get(source)
  if (engine === undefined) checkFlags(flags)
  burn(1_000 + source.length * 100)
  if (engine === undefined) {
    engine = compile(source, flags)
    keep(source, flags, engine)
  }
  burn(engine.program.code.length)
  charge(engineBytes(engine, source))
  return engine
}

/** Bytes of a compiled expression. */
export function engineBytes({ program: { code, sets } }: Engine, source: string): number {
  return 200 + source.length * 40 + code.length * 4 + sets.length * 400
}

/** Returns the engine of an expression, compiled on first use and again after a restart. */
export function engineOf(regexp: GuestRegExp): Engine {
  if (regexp.engine === undefined) {
    const engine = compiled(regexp.source, regexp.flags)
    regexp.engine = engine
    regexp.bytes += engineBytes(engine, regexp.source)
  }
  return regexp.engine as Engine
}

function checkFlags(flags: string): void {
  if (/^(?!.*u.*v|.*v.*u)[dgimsuvy]{0,8}$/.test(flags) && new Set(flags).size === flags.length) return
  const known = 'Flags are d, g, i, m, s, u or v, and y, each once'
  throw thrown('SyntaxError', `Invalid flags supplied to RegExp constructor '${flags.slice(0, 20)}'. ${known}.`)
}

/** Limits of a search: steps cost fuel, and memory is credited at its end. */
class Metered implements Allowance {
  #steps = 0
  #bytes = 0

  spend(steps: number): void {
    const { regexSteps } = live.machine.limits
    this.#steps += steps
    if (this.#steps > regexSteps) throw limitStop('regexSteps', regexSteps, 'A regular expression takes too many steps')
    burn(steps * STEP)
  }

  hold(bytes: number): void {
    charge(bytes)
    this.#bytes += bytes
  }

  giveBack(): void {
    live.memory += this.#bytes
  }
}

/** The first match at an offset or, unless `isSticky`, after it. */
export function findMatch(engine: Engine, text: string, from: number, isSticky: boolean = false): Spans | null {
  touch(text)
  burn(1_000 + engine.program.slots)
  const allowance = new Metered()
  const spans = engine.search.first(text, from, isSticky, allowance)
  allowance.giveBack()
  return spans
}

/** Whether a pattern is found in a text. */
export function testPattern(pattern: string, flags: string, text: string): boolean {
  return findMatch(compiled(pattern, flags), text, 0) !== null
}
