import { Anchors } from './anchors.ts'
import { type Finder, type Finding, type Look, joinFindings } from './findings.ts'
import { MARKS, mapFindings, plainView } from './encoded-views.ts'
import { DISCORD, headFrom } from './formats/infix-tokens.ts'
import { TOKEN, runStart } from './formats/characters.ts'
import { type SecretFormat, mayBegin } from './formats/format.ts'

/** Shorter texts contain nothing that could be recognized by its form. */
const TEXT_MIN = 8
/** The first two letters of a public prefix are not specific, because words begin with them. */
const PREFIX_MIN = 3
/** From this length on a sequence of letters and digits may be the beginning of a token. */
const HEAD_MIN = 8
/** So near to the start of a piece, what precedes an anchor may be in the piece before: an escape, the beginning of a word. */
const NEAR = 8
const MARK: SecretFormat = { name: 'mark', anchors: MARKS, held: false, guessable: false, look: () => undefined }
const QUIET: Look = { findings: [], settled: 0, open: false, state: 0 }

/** Finds secrets by their form. Every character is read once; comparisons are made only at anchors. */
export class SecretScanner implements Finder {
  readonly #anchors: Anchors<SecretFormat>

  constructor(formats: readonly SecretFormat[]) {
    const anchors = [...formats, MARK].flatMap((value) =>
      value.anchors.map((text) => ({ text, value, held: value.held })),
    )
    this.#anchors = new Anchors(anchors, true, PREFIX_MIN)
  }

  look(text: string, isStream: boolean): Look {
    if (text.length < TEXT_MIN && !isStream) return QUIET
    return this.#read(text, isStream, true)
  }

  #read(text: string, isStream: boolean, mayBeEncoded: boolean): Look {
    let findings: Finding[] | undefined
    let settled = text.length
    let open = false
    let isEncoded = false
    const memo = { kinds: 0, start: 0, end: 0 }
    const state = this.#anchors.scan(text, (format, at, end) => {
      if (format === MARK) {
        isEncoded = true
        return
      }
      const sight = format.look(text, at, end, memo)
      if (sight === undefined) return
      if (sight.open) {
        open = true
        settled = Math.min(settled, sight.start)
      }
      if (sight.found)
        (findings ??= []).push({ start: sight.start, end: sight.end, name: format.name, guessable: format.guessable })
    })
    if (isEncoded && mayBeEncoded) findings = this.#readView(text, findings)
    if (isStream) {
      const held = this.#anchors.openFrom(text, state, (at, begun) => mayBegin(text, at, begun))
      settled = Math.min(settled, held, headFrom(text))
    }
    return { findings: joinFindings(findings), settled, open, state }
  }

  #readView(text: string, findings: Finding[] | undefined): Finding[] | undefined {
    const view = plainView(text)
    if (view === undefined) return findings
    const seen = mapFindings(this.#read(view.text, false, false).findings, view)
    return seen.length === 0 ? findings : [...(findings ?? []), ...seen]
  }

  /** Most pieces of a stream contain no anchor, do not end in one and do not end in a long sequence: then nothing else has to be checked. */
  advance(state: number, text: string, run: number): number {
    if (run >= HEAD_MIN) return -1
    // The first pass has no callback and allocates nothing: this is the hot path of streams.
    const passed = this.#anchors.scan(text, undefined, state)
    const next = passed < 0 ? this.#advancePast(state, text) : passed
    return next < 0 || !this.#anchors.isInside(next) || !this.#endsInside(text, next) ? next : -1
  }

  /** Dots are anchors too, and some prefixes end words; but after a word there is nothing to wait for. */
  #advancePast(state: number, text: string): number {
    let isHit = false
    const next = this.#anchors.scan(
      text,
      (format, at, end) => {
        if (format === DISCORD) isHit ||= mayEndHead(text, at)
        else isHit ||= at < NEAR || format.isAtStart?.(text, at, text.slice(at, end)) !== false
      },
      state,
    )
    return isHit ? -1 : next
  }

  /** Whether the text ends with a prefix of a held anchor. */
  #endsInside(text: string, state: number): boolean {
    return this.#anchors.openFrom(text, state, (at, begun) => at < NEAR || mayBegin(text, at, begun)) < text.length
  }
}

/** Whether the letters before a dot may be more than a word. Those of a piece that is a single sequence so far are counted in its run. */
function mayEndHead(text: string, at: number): boolean {
  const start = runStart(text, at, TOKEN, HEAD_MIN)
  return at - start >= HEAD_MIN || (start === 0 && text.length > at + 1)
}
