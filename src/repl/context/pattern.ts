import { MandateError } from '../../core/index.ts'
import { Compiler, PatternParser, PatternProblem, Search } from '../../regexp/index.ts'
import type { Allowance, Program, Spans } from '../../regexp/index.ts'
import { MATCH_CHARS_MAX, PATTERN_CHARS_MAX, SEARCH_BYTES_MAX, SEARCH_STEPS_MAX, badCall } from './limits.ts'

/** A search pattern: plain text or a regular expression. */
export type PatternInput = string | { readonly source: string; readonly flags?: string | undefined }

/** Finds matches in a text that is passed in parts. */
export interface Matcher {
  /** Names of the groups of the pattern by their number; the first place is the whole match. */
  readonly names: readonly (string | undefined)[]
  /** Whether a match can only start at the beginning of the text. */
  readonly isAnchored: boolean
  /** Characters before the search position that a match can depend on: one for `^` and `\\b`, many for a look-behind. */
  readonly left: number
  /** Whether the last search read the characters before the text. */
  readonly isAtStart: boolean
  /** Returns how many units after an empty match the next search starts. */
  step(text: string, at: number): number
  /** Finds the first match from a position. Returns a number if more text is needed to decide whether a match starts there. */
  find(text: string, from: number, isLast: boolean): Spans | number | null
}

/** Compiles a pattern. Regular expressions use the linear-time engine of this package. */
export function matcherOf(pattern: PatternInput): Matcher {
  if (typeof pattern === 'string') return plainText(pattern)
  const { source, flags = '' } = pattern
  if (source.length > PATTERN_CHARS_MAX) throw badCall(`A pattern has at most ${PATTERN_CHARS_MAX} characters.`)
  if (!/^[dgimsuv]*$/.test(flags))
    throw badCall(`The flags "${flags.slice(0, 10)}" are not supported here. Use d, g, i, m, s, u and v.`)
  return expression(source, flags.replaceAll(/[dg]/g, ''))
}

function plainText(wanted: string): Matcher {
  if (wanted === '') throw badCall('Give a text of at least one character, or a regular expression.')
  if (wanted.length > PATTERN_CHARS_MAX)
    throw badCall(`A text to look for has at most ${PATTERN_CHARS_MAX} characters.`)
  return {
    names: [undefined],
    isAnchored: false,
    left: 0,
    isAtStart: false,
    step: () => 1,
    find(text, from, isLast) {
      const at = text.indexOf(wanted, from)
      if (at >= 0) return [at, at + wanted.length]
      if (isLast) return null
      const open = Math.max(from, text.length - wanted.length + 1)
      return open < text.length ? open : null
    },
  }
}

function expression(source: string, flags: string): Matcher {
  const { names, search, program } = compiled(source, flags)
  const allowance = new SearchAllowance()
  return {
    names,
    isAnchored: program.start.isAnchored,
    left: program.isBehind ? MATCH_CHARS_MAX : 2,
    get isAtStart() {
      return search.isAtStart && program.isBehind
    },
    step: (text, at) => (program.isUnicode && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1),
    find: (text, from, isLast) => {
      allowance.begin()
      return isLast ? search.first(text, from, false, allowance) : search.firstInPart(text, from, allowance)
    },
  }
}

function compiled(
  source: string,
  flags: string,
): { readonly names: readonly (string | undefined)[]; readonly search: Search; readonly program: Program } {
  try {
    const parsed = new PatternParser(source, flags).parse()
    const program = new Compiler(parsed, flags).compile()
    return { names: parsed.names, search: new Search(program), program }
  } catch (error) {
    if (error instanceof PatternProblem) throw badCall(`The pattern cannot be used: ${error.message}`)
    throw error
  }
}

/** Limits of one call: the steps of all its searches and the memory of each. */
class SearchAllowance implements Allowance {
  #steps = 0
  #bytes = 0

  begin(): void {
    this.#bytes = 0
  }

  spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > SEARCH_STEPS_MAX)
      throw tooMuch('takes too many steps on a text of this size. Search a part of it (`from`, `to`), or simplify it')
  }

  hold(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > SEARCH_BYTES_MAX) throw tooMuch('needs too much memory. Simplify it')
  }
}

function tooMuch(why: string): MandateError {
  return new MandateError('LIMIT_EXCEEDED', `The pattern ${why}.`)
}
