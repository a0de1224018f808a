import { CharSet } from './char-set.ts'
import {
  EDGE,
  EDGES,
  FORGET,
  JOIN,
  JUMP,
  LAZY_RUN,
  LOOK,
  MATCH,
  MOVED,
  type Program,
  RUN,
  SAVE,
  SET,
  SET_BEFORE,
  SPLIT,
  TEXT,
  UNIT,
  UNIT_BEFORE,
  WIDTHS,
} from './program.ts'
import { startOf } from './start.ts'
import {
  type Parsed,
  type Pattern,
  PatternProblem,
  type Look,
  type Repeat,
  canBeEmpty,
  hasOptionalGroup,
} from './syntax.ts'

/** Maximum instruction positions of a program. Repeated parts count once per repetition, including empty ones. */
const PLACES_MAX = 50_000
/** Represents no upper bound. */
const ENDLESS = 0x3fff_ffff

/** Compiles a pattern to instructions. */
export class Compiler {
  readonly #code: number[] = []
  readonly #sets: CharSet[] = []
  readonly #setOf = new Map<string, number>()
  readonly #texts: string[] = []
  readonly #parsed: Parsed
  readonly #flags: string
  readonly #isUnicode: boolean
  /** Offset of `^` and `$` among the edges: 2 with the flag `m`, for the edges of lines instead of the text. */
  readonly #edges: number
  #rows = 0
  #words = -1
  #isLooking = false
  #isAsking = false
  /** Whether the compiler is inside a look-behind, which is matched backward. */
  #isBackward = false
  #isBehind = false
  readonly #looks: [slot: number, pc: number][] = []
  #places = 0
  /** Open repetitions around the current position that fail if they consume nothing, and their maximum so far. */
  #open = 0
  #openMax = 0

  constructor(parsed: Parsed, flags: string) {
    this.#parsed = parsed
    this.#flags = flags.replaceAll(/[^isuv]/g, '')
    this.#isUnicode = /[uv]/.test(flags)
    this.#edges = flags.includes('m') ? 2 : 0
  }

  compile(): Program {
    this.#write(this.#parsed.pattern)
    this.#emit(MATCH)
    this.#tellRuns()
    const groups = this.#parsed.names.length
    const program = {
      code: Int32Array.from(this.#code),
      sets: this.#sets,
      texts: this.#texts,
      isUnicode: this.#isUnicode,
      words: this.#words,
      groups,
      slots: groups * 2 + this.#openMax,
      rows: this.#rows,
      isAsking: this.#isAsking,
      isBehind: this.#isBehind,
      looks: this.#looks,
    }
    return { ...program, start: startOf(program) }
  }

  #emit(...numbers: number[]): number {
    this.#count(numbers.length)
    this.#code.push(...numbers)
    return this.#code.length - numbers.length
  }

  #count(places: number): void {
    this.#places += places
    if (this.#places <= PLACES_MAX) return
    throw new PatternProblem('The regular expression is too large: repeat fewer parts, or fewer times.', true)
  }

  #write(pattern: Pattern): void {
    this.#count(1)
    switch (pattern.kind) {
      case 'sequence':
        return this.#sequence(pattern.parts)
      case 'choice':
        return this.#choice(pattern.options)
      case 'char':
        return this.#sequence([pattern])
      case 'class':
        this.#one(this.#set(pattern.source))
        return
      case 'edge': {
        const edge = EDGES.indexOf(pattern.at)
        if (edge > 3) this.#words = this.#set('\\w')
        this.#emit(EDGE, edge < 2 ? edge + this.#edges : edge)
        return
      }
      case 'group':
        this.#emit(SAVE, pattern.group * 2 + (this.#isBackward ? 1 : 0))
        this.#write(pattern.body)
        this.#emit(SAVE, pattern.group * 2 + (this.#isBackward ? 0 : 1))
        return
      case 'look':
        return this.#look(pattern)
      case 'repeat':
        return this.#repeat(pattern)
    }
  }

  #set(source: string): number {
    let set = this.#setOf.get(source)
    if (set === undefined) {
      set = this.#sets.push(new CharSet(source, this.#flags)) - 1
      this.#setOf.set(source, set)
    }
    return set
  }

  /** Returns the set of a single character, escaped so that it is literal in every pattern. */
  #setOfChar(code: number): number {
    const digits = code.toString(16)
    return this.#set(this.#isUnicode ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`)
  }

  /** Emits an instruction that matches one character of a set. */
  #one(set: number): void {
    this.#emit(this.#isBackward ? SET_BEFORE : SET, set)
  }

  /** Compiles a sequence for backward matching: last part first. */
  #backwardSequence(parts: readonly Pattern[]): void {
    for (const part of parts.toReversed()) {
      const plain = part.kind === 'char' ? this.#plain(part.code) : ''
      if (plain.length === 1) this.#emit(UNIT_BEFORE, plain.charCodeAt(0))
      else if (part.kind === 'char') this.#one(this.#setOfChar(part.code))
      else this.#write(part)
    }
  }

  /** Compiles a sequence. Adjacent plain characters become one text comparison. */
  #sequence(parts: readonly Pattern[]): void {
    if (this.#isBackward) return this.#backwardSequence(parts)
    let text = ''
    for (const part of parts) {
      const plain = part.kind === 'char' ? this.#plain(part.code) : ''
      text += plain
      if (plain !== '') continue
      this.#plainText(text)
      text = ''
      if (part.kind === 'char') this.#emit(SET, this.#setOfChar(part.code))
      else this.#write(part)
    }
    this.#plainText(text)
  }

  #plainText(text: string): void {
    this.#count(text.length)
    if (text.length > 1) this.#emit(TEXT, this.#texts.push(text) - 1)
    else if (text !== '') this.#emit(UNIT, text.charCodeAt(0))
  }

  /** Returns the text that a character matches; empty if several texts match or if a surrogate must not match half of a pair. */
  #plain(code: number): string {
    const text = String.fromCodePoint(code)
    const hasCases = this.#flags.includes('i') && (text.toLowerCase() !== text || text.toUpperCase() !== text)
    const isHalf = this.#isUnicode && code >= 0xd800 && code <= 0xdfff
    return hasCases || isHalf ? '' : text
  }

  #look({ body, isNegative, isBehind, group }: Look): void {
    const slot = isNegative || group === 0 ? -1 : group * 2
    const at = this.#emit(LOOK, 0, isNegative ? 1 : 0, slot)
    if (slot >= 0) this.#looks.push([slot, at + WIDTHS[LOOK]!])
    const wasLooking = this.#isLooking
    const wasBackward = this.#isBackward
    this.#isLooking = true
    this.#isAsking = true
    this.#isBackward = isBehind
    this.#isBehind ||= isBehind
    this.#write(body)
    this.#isLooking = wasLooking
    this.#isBackward = wasBackward
    this.#emit(MATCH)
    this.#code[at + 1] = this.#code.length
  }

  #join(): number {
    this.#rows += this.#open + 1
    return this.#emit(JOIN, this.#rows - this.#open - 1, this.#open)
  }

  #choice(options: readonly Pattern[]): void {
    const ends: number[] = []
    for (const [index, option] of options.entries()) {
      const split = index < options.length - 1 ? this.#split(false) : undefined
      this.#write(option)
      if (split === undefined) continue
      ends.push(this.#emit(JUMP, 0) + 1)
      this.#code[split] = this.#code.length
    }
    for (const end of ends) this.#code[end] = this.#code.length
    this.#join()
  }

  /** Emits a split: continues with the next instruction or, as the alternative, at a target. Returns the position of the target, to be filled in later. */
  #split(isLazy: boolean): number {
    const at = this.#emit(SPLIT, 0, 0)
    this.#code[at + (isLazy ? 2 : 1)] = at + 3
    return at + (isLazy ? 1 : 2)
  }

  #repeat(repeat: Repeat): void {
    const { body, least, most } = repeat
    if (most === 0) return
    // A run covers many positions at once, but a look-around caches a result for each position.
    if (!this.#isBackward && (most !== Infinity || !this.#isLooking)) {
      if (body.kind === 'class') return this.#run(repeat, this.#set(body.source))
      if (body.kind === 'char') return this.#run(repeat, this.#setOfChar(body.code))
    }
    // The last required repetition can share its code with the first optional one if the body never matches empty.
    const isShared = most === Infinity && least > 0 && !canBeEmpty(body)
    for (let turn = isShared ? 1 : 0; turn < least; turn += 1) this.#turn(repeat, false)
    if (isShared) return this.#again(repeat)
    if (most === Infinity) return this.#loop(repeat)
    const exits: number[] = []
    for (let turn = least; turn < most; turn += 1) {
      exits.push(this.#split(repeat.isLazy))
      this.#turn(repeat, true)
    }
    for (const exit of exits) this.#code[exit] = this.#code.length
    if (exits.length > 0) this.#join()
  }

  /** Compiles one repetition. An optional repetition fails if it consumes nothing. */
  #turn(repeat: Repeat, isExtra: boolean): void {
    const { body, groupFrom, groupTo } = repeat
    const isChecked = isExtra && canBeEmpty(body)
    const slot = this.#parsed.names.length * 2 + this.#open
    if (isChecked) {
      this.#emit(SAVE, slot)
      this.#open += 1
      this.#openMax = Math.max(this.#openMax, this.#open)
    }
    if (hasOptionalGroup(body)) this.#emit(FORGET, groupFrom * 2, groupTo * 2)
    this.#write(body)
    if (!isChecked) return
    this.#emit(MOVED, slot)
    this.#open -= 1
  }

  #loop(repeat: Repeat): void {
    const head = this.#join()
    const exit = this.#split(repeat.isLazy)
    this.#turn(repeat, true)
    this.#emit(JUMP, head)
    this.#code[exit] = this.#code.length
  }

  #again(repeat: Repeat): void {
    const head = this.#join()
    this.#turn(repeat, false)
    const back = this.#split(!repeat.isLazy)
    this.#code[back] = head
  }

  /** Compiles a repeated character as one run instruction. */
  #run({ least, most, isLazy }: Repeat, set: number): void {
    const isEndless = most === Infinity
    this.#emit(isLazy ? LAZY_RUN : RUN, set, least, isEndless ? ENDLESS : most, isEndless ? this.#rows : -1)
    this.#code.push(this.#open, -1, -1, 0)
    // The characters that a run counts have no instructions, but take as much time.
    this.#count(isEndless ? least : most)
    if (isEndless) this.#rows += this.#open + 1
    else if (least < most) this.#join()
  }

  /** Adds to each run what must follow it, so that it skips positions where that is missing. */
  #tellRuns(): void {
    const code = this.#code
    for (let at = 0; at < code.length; at += WIDTHS[code[at]!]!) {
      if (code[at] !== RUN && code[at] !== LAZY_RUN) continue
      let next = at + WIDTHS[RUN]!
      while (code[next] === SAVE || code[next] === JOIN || code[next] === FORGET || code[next] === JUMP) {
        next = code[next] === JUMP ? code[next + 1]! : next + WIDTHS[code[next]!]!
      }
      const operand = code[next + 1]!
      if (code[next] === SET) code[at + 7] = operand
      if (code[next] !== UNIT && code[next] !== TEXT) continue
      const unit = code[next] === UNIT ? operand : this.#texts[operand]!.charCodeAt(0)
      code[at + 6] = unit
      const point = code[next] === UNIT ? operand : this.#texts[operand]!.codePointAt(0)!
      code[at + 8] = this.#sets[code[at + 1]!]!.has(point) ? 0 : 1
    }
  }
}
