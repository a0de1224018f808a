import { Compiler } from '../../src/regexp/compiler.ts'
import { PatternParser } from '../../src/regexp/pattern-parser.ts'
import { Search } from '../../src/regexp/search.ts'
import { RandomSource } from './random-source.ts'

const plain = 'a a b c A k s 1 - , é \\. \\n \\u0041 \\x62 \\u017f'.split(' ')
const classes =
  '. . \\d \\w \\s \\S \\W \\D [abc] [^a] [a-c] [^\\d] [\\w-] [^] [] [\\s\\S] [é-ü] [b-y] [^k] [^\\W] [A-Z] [\\u0100-\\uffff] [ſK] [_-a]'.split(
    ' ',
  )
const byUnit = '😀 [😀] \\ud83d \\ude00 [\\ud83d] [^\\ude00] [\\W_] \\cJ [\\b] \\- { } ] \\e'.split(' ')
const byPoint =
  '😀 😀 [😀a] \\u{1f600} \\ud83d\\ude00 \\ud83d [\\ud83d] [^😀] \\p{L} \\P{Lu} [\\p{Lu}1] \\p{Script=Greek} [^\\p{L}]'.split(
    ' ',
  )
/** Classes of the flag `v`; some of the others mean something else there, or nothing. */
const bySet =
  '[\\p{L}--[a-c]] [\\w&&[^\\d]] [[ab]c] [^[a-c]x] [\\p{Lu}\\d] \\p{Lu} \\P{Lu} [^\\P{Lu}] [\\w--k] [[b-y]&&[aeiou]]'.split(
    ' ',
  )
const edges = ['^', '$', '\\b']
const quantifiers = '* + ? *? +? ?? {2} {1,2} {0,2} {1,} {0} {2,3}? {2,} {0,1} {1} {3}?'.split(' ')
const letters = 'a|a|a|b|b|c|A|B|1|2| |-|.|é|É|\n|\r|\u2028|😀|\u00a0|x|,|k|K|s|ſ|\u212a|\ud83d|\ude00|λ|Σ|ς|_'.split(
  '|',
)

/** Random patterns, and texts that they may be found in. */
class PatternGenerator {
  readonly #random: RandomSource
  readonly #single: readonly string[]
  readonly #edges: readonly string[]
  readonly #looks: readonly string[]
  readonly #letters: readonly string[]
  #names: string[] = []
  #groups = 0

  constructor(random: RandomSource, flags: string) {
    this.#random = random
    const isUnicode = /[uv]/.test(flags)
    const hasSets = flags.includes('v')
    const own = hasSets ? bySet : isUnicode ? byPoint : byUnit
    this.#single = [...plain, ...plain, ...(hasSets ? classes.filter((one) => !/-\]|_-a/.test(one)) : classes), ...own]
    // With the flag `u`, V8 finds `\B` and look-aheads inside of pairs, where the language has no place.
    const hasPairs = !isUnicode || random.chance(0.5)
    this.#edges = isUnicode && hasPairs ? edges : [...edges, '\\B']
    this.#looks = isUnicode && hasPairs ? [] : ['(?=', '(?!', '(?<=', '(?<!', '(?<=']
    this.#letters = hasPairs ? letters : letters.filter((letter) => !/[\ud800-\udfff]/.test(letter))
  }

  /** Three quarters of the texts have few letters, so that more is found. */
  text(): string {
    const few = this.#random.chance(0.75) ? 8 : this.#letters.length
    return Array.from({ length: this.#random.below(10) }, () => this.#letters[this.#random.below(few)]).join('')
  }

  choice(depth: number): string {
    const count = this.#random.chance(0.3) ? 2 + this.#random.below(2) : 1
    const before = this.#names
    const all = new Set(before)
    const options = Array.from({ length: count }, () => {
      this.#names = [...before]
      const option = this.#random.chance(0.06) ? '' : this.#sequence(depth)
      for (const name of this.#names) all.add(name)
      return option
    })
    this.#names = [...all]
    return options.join('|')
  }

  #sequence(depth: number): string {
    return Array.from({ length: 1 + this.#random.below(3) }, () => this.#term(depth)).join('')
  }

  #term(depth: number): string {
    if (this.#random.chance(0.08)) return this.#random.pick(this.#edges)
    if (depth > 0 && this.#looks.length > 0 && this.#random.chance(0.09)) {
      return `${this.#random.pick(this.#looks)}${this.choice(depth - 1)})`
    }
    const isGroup = depth > 0 && this.#random.chance(0.35)
    const atom = isGroup ? this.#group(depth) : this.#random.pick(this.#single)
    return this.#random.chance(isGroup ? 0.6 : 0.35) ? atom + this.#random.pick(quantifiers) : atom
  }

  #group(depth: number): string {
    this.#groups += 1
    const open = this.#random.pick(['(', '(?:', '(', '(?:', this.#named()])
    return `${open}${this.choice(depth - 1)})`
  }

  #named(): string {
    const name = this.#random.pick(['n', 'm', `g${this.#groups}`])
    if (this.#names.includes(name)) return '('
    this.#names.push(name)
    return `(?<${name}>`
  }
}

const flagSets = ['', 'i', 'u', 'iu', 'm', 's', 'ms', 'mu', 'imsu', 'im', 'v', 'iv']

/** One pattern with flags, and texts to look at. */
export interface PatternCase {
  readonly source: string
  readonly flags: string
  readonly texts: readonly string[]
}

export function generatePattern(seed: number): PatternCase {
  const random = new RandomSource(seed)
  const flags = random.pick(flagSets)
  const generator = new PatternGenerator(random, flags)
  const source = generator.choice(3)
  const texts = Array.from({ length: 4 }, () => generator.text())
  return { source, flags, texts: texts.filter((text) => !isSlow(source, flags, text)) }
}

/** Steps without a look at the allowance, and so without noting visits, after which the real engine may take hours. */
const PATIENCE = 4_000

function isSlow(source: string, flags: string, text: string): boolean {
  let steps = 0
  const spend = (more: number): void => {
    steps += more
    if (steps >= PATIENCE) throw new RangeError('slow')
  }
  try {
    const program = new Compiler(new PatternParser(source, flags).parse(), flags).compile()
    new Search(program, PATIENCE).first(text, 0, false, { spend, hold: () => {} })
    return false
  } catch (error) {
    if (error instanceof RangeError) return true
    throw error
  }
}

const pieces = [
  ...'( ) (?: (?= (?! (?<= (?<! (?<n> (?<m> [ ] [^ - ^ $ | * + ? { } {1} {1,2} {2,1} {,1} {1, , \\ \\b \\B \\d \\W \\c \\cA'.split(
    ' ',
  ),
  ...'\\k \\x \\x4 \\x41 \\u \\u{ \\u{41} \\u0041 \\ud83d \\ude00 \\p \\p{L} \\P{Lu} \\p{Nope} \\- \\/ \\0'.split(' '),
  ...'\\e \\^ \\] a b 1 A _ = < > ! : \\t \\_ é'.split(' '),
]

/** Pieces of patterns in any order: most of them are none. */
export function generatePieces(seed: number): PatternCase {
  const random = new RandomSource(seed)
  const source = Array.from({ length: 1 + random.below(7) }, () => random.pick(pieces)).join('')
  return {
    source,
    flags: random.pick(flagSets),
    texts: ['', 'aA1', 'b\\c', '{1}', '-]^', 'k', 'x4', 'pL', '\t_ a', 'c1 cA \\c', '\u0001'],
  }
}

/** A body that uses one expression in every way on some texts. */
export function generateRegExpBody(seed: number): string {
  const { source, flags, texts } = generatePattern(seed)
  const flag = flags + ['', 'g', 'y', 'gy'][seed % 4]
  return `
const make = () => new RegExp(${JSON.stringify(source)}, '${flag}')
return ${JSON.stringify(texts)}.map((t) => {
  const r = make()
  return [
    t.match(make()), t.replace(make(), '[$&|$1|$\`|$<n>]'), t.replace(make(), (...found) => found.map((one) => typeof one === 'object' ? Object.keys(one) : one).join('/')), t.split(make()),
    t.split(make(), 3), t.search(make()), r.test(t), r.lastIndex, r.exec(t), r.lastIndex, r.exec(t)?.groups,
    r.global ? [...t.matchAll(r)].map((found) => [found.index, [...found]]) : 0,
  ]
})`
}
