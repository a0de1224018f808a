import { type Finder, type Finding, type TokenOf, replaceFindings } from './findings.ts'
import { COLON, DOT, SLASH, TOKEN, runStart } from './formats/characters.ts'

/** Redacts text that comes in pieces. What is given back, joined, is what the whole text would have become. */
export interface RedactedStream {
  /** Takes the next piece and gives what can be shown by now: all of it, unless it may be part of a secret. */
  push(text: string): string
  /** The text is over: gives what was held back. */
  end(): string
}

/** As much of what has been shown is looked at again: names, and what stands before a value. */
const CONTEXT = 128
/** So much may be looked at with every piece. */
const PATIENCE = 160
/** Nothing is held back longer than this, so that no text can stop a stream. */
const HELD_MAX = 20_000

const STRETCH: number = TOKEN | DOT | COLON | SLASH

/** A stream that holds back only what could still become something that its finder finds. */
export class FinderStream implements RedactedStream {
  readonly #finder: Finder
  readonly #tokenOf: TokenOf
  /** The end of what was shown, and all that was not. */
  #text = ''
  #shown = 0
  #state = 0
  #run = 0
  #isOpen = false
  /** How much must be held before it is looked at again. */
  #nextLook = 0

  constructor(finder: Finder, tokenOf: TokenOf) {
    this.#finder = finder
    this.#tokenOf = tokenOf
  }

  push(piece: string): string {
    if (piece === '') return ''
    this.#run = this.#runAfter(piece)
    if (!this.#isOpen && this.#shown === this.#text.length) {
      const state = this.#finder.advance(this.#state, piece, this.#run)
      if (state >= 0) {
        this.#state = state
        this.#text += piece
        this.#shown = this.#text.length
        if (this.#shown > 8 * CONTEXT) this.#forget()
        return piece
      }
    }
    this.#text += piece
    // Read again at every piece, a long key would be read a thousand times: the longer the wait, the rarer the look.
    const held = this.#text.length - this.#shown
    if (held < this.#nextLook) return ''
    const { findings, settled, open, state } = this.#finder.look(this.#text, true)
    let to = settled
    // A finding is shown whole or not at all.
    for (const { start, end } of findings) if (start < to && to < end) to = start
    if (this.#text.length - to > HELD_MAX) to = this.#text.length
    this.#state = state
    this.#isOpen = open
    const shown = this.#show(findings, Math.max(to, this.#shown))
    const left = this.#text.length - this.#shown
    this.#nextLook = left < PATIENCE ? 0 : left * 1.25
    return shown
  }

  end(): string {
    const { findings } = this.#finder.look(this.#text, false)
    const rest = this.#show(findings, this.#text.length)
    this.#text = ''
    this.#shown = this.#state = this.#run = this.#nextLook = 0
    this.#isOpen = false
    return rest
  }

  #show(findings: readonly Finding[], to: number): string {
    const shown = replaceFindings({ text: this.#text, from: this.#shown, to }, findings, this.#tokenOf)
    this.#shown = to
    this.#forget()
    return shown
  }

  #forget(): void {
    const cut = this.#shown - CONTEXT
    if (cut <= 0) return
    this.#text = this.#text.slice(cut)
    this.#shown = CONTEXT
  }

  /** How long the stretch of letters and digits is that the text ends in, as far as it matters. */
  #runAfter(piece: string): number {
    const start = runStart(piece, piece.length, STRETCH, 64)
    return start === 0 ? this.#run + piece.length : piece.length - start
  }
}
