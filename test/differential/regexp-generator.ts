import { RandomSource } from './random-source.ts'

const atoms =
  'a b c A 1 . \\d \\w \\s \\S \\W \\D [abc] [^a] [a-c] [^\\d] [\\w-] \\b ^ $ \\. - é \\u0041 \\x62 [^] [\\s\\S] 😀 \\n [é-ü] [b-y] ,'.split(
    ' ',
  )
const assertions = new Set(['^', '$', '\\b'])
const quantifiers = ['*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,2}', '{1,}']
const letters = [
  'a',
  'b',
  'c',
  'A',
  'B',
  '1',
  '2',
  ' ',
  '-',
  '.',
  'é',
  'É',
  '\n',
  '😀',
  '\u00a0',
  'x',
  ',',
  'k',
  '\u212a',
  '\ud800',
]
const flags = ['', 'g', 'i', 'gi', 'u', 'gu', 'm', 's', 'gm', 'y', 'iu', 'gy']

/** Random patterns and texts. */
class PatternGenerator {
  private readonly random: RandomSource
  private groups = 0

  constructor(random: RandomSource) {
    this.random = random
  }

  choice(depth: number): string {
    const first = this.sequence(depth)
    return this.random.chance(0.25) ? `${first}|${this.random.chance(0.1) ? '' : this.sequence(depth)}` : first
  }

  text(): string {
    return Array.from({ length: this.random.below(12) }, () => this.random.pick(letters)).join('')
  }

  private sequence(depth: number): string {
    return Array.from({ length: 1 + this.random.below(3) }, () => this.term(depth)).join('')
  }

  private term(depth: number): string {
    const atom = this.atom(depth)
    return assertions.has(atom) || !this.random.chance(0.35) ? atom : atom + this.random.pick(quantifiers)
  }

  private atom(depth: number): string {
    if (depth <= 0 || !this.random.chance(0.25)) return this.random.pick(atoms)
    this.groups += 1
    return `${this.random.pick(['(', '(?:', `(?<n${this.groups}>`])}${this.choice(depth - 1)})`
  }
}

/** What the body gives instead of a value when the expression is refused: no difference. */
export const refusedMark = 'refused expression'

/** A body that uses one expression in every way on some texts. */
export function generateRegExpBody(seed: number): string {
  const random = new RandomSource(seed)
  const generator = new PatternGenerator(random)
  const pattern = JSON.stringify(generator.choice(3))
  const flag = JSON.stringify(random.pick(flags))
  const texts = JSON.stringify([generator.text(), generator.text(), generator.text()])
  return `
const make = () => new RegExp(${pattern}, ${flag})
try {
  return ${texts}.map((t) => {
    const r = make()
    return [t.match(make()), t.replace(make(), '[$&|$1|$\`]'), t.split(make()), t.search(make()), r.test(t), r.lastIndex, r.exec(t)]
  })
} catch (e) {
  if (/is not available in|The flag m counts only|too large for the engine/.test(e.message)) return '${refusedMark}'
  throw e
}`
}
