import { type Finder, type Finding, type TokenOf, replaceFindings } from './findings.ts'
import { COLON, DOT, SLASH, TOKEN, runStart } from './formats/characters.ts'

/** Redacts a stream of text. The joined output equals the redaction of the joined input. */
export interface RedactedStream {
  /** Takes the next piece and returns what can be shown so far: all of it, unless it may be part of a secret. */
  push(text: string): string
  /** Ends the text: returns what was held back. */
  end(): string
}

/** How much of the shown text is scanned again: names, and what precedes a value. */
const CONTEXT = 128
/** How much may be scanned with every piece. */
const PATIENCE = 160
/** The maximum length of held text, so that no text can stop a stream. */
const HELD_MAX = 20_000

const STRETCH: number = TOKEN | DOT | COLON | SLASH

/** A stream that holds back only what could still become a finding. */
export class FinderStream implements RedactedStream {
  readonly #finder: Finder
  readonly #tokenOf: TokenOf
  /** The end of the shown text, and everything that is held back. */
  #text = ''
  #shown = 0
  #state = 0
  #run = 0
  #isOpen = false
  /** The length of held text at which it is scanned again. */
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
    // Scanning at every piece would scan a long key a thousand times, so the interval grows with the held text.
    const held = this.#text.length - this.#shown
    if (held < this.#nextLook) return ''
    const { findings, settled, open, state } = this.#finder.look(this.#text, true)
    let to = settled
    // A finding is shown completely or not at all.
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

  /** The length of the sequence of letters and digits at the end of the text, as far as it matters. */
  #runAfter(piece: string): number {
    const start = runStart(piece, piece.length, STRETCH, 64)
    return start === 0 ? this.#run + piece.length : piece.length - start
  }
}
