import { type Anchor, Anchors } from './anchors.ts'
import { type Finder, type Finding, type Look, type TokenOf, joinFindings, replaceFindings } from './findings.ts'
import type { Redactor } from './redactor.ts'
import { FinderStream, type RedactedStream } from './redaction-stream.ts'
import { KNOWN_MARKS, cutEscape, mapFindings, plainView } from './encoded-views.ts'
import { encodingsOf } from './formats/encodings.ts'

export interface KnownValues extends Redactor {
  stream(): RedactedStream
  /** Replaces this value wherever it appears from now on. */
  add(name: string, value: string): void
  /** Replaces only its encodings: in base64, base64url and hex. */
  addEncoded(name: string, value: string): void
}

/** Shorter values would match everywhere. */
const VALUE_MIN = 4
/** This many characters of an encoding are searched for; the rest is compared at a match. */
const ANCHOR_MAX = 24

interface Form {
  readonly name: string
  readonly text: string
  /** The neighbouring base64 characters contain bits of the value too. */
  readonly isBase64: boolean
}

const MARK: Form = { name: '', text: '', isBase64: false }

class KnownFinder implements Finder {
  readonly #forms = new Map<string, Form>()
  #anchors: Anchors<Form> | undefined

  add(name: string, value: string, isOnlyEncoded: boolean): void {
    const bytes = new TextEncoder().encode(value).length
    for (const { text, isBase64 } of encodingsOf(value))
      if (!isOnlyEncoded || isPlainCode(text, isBase64, bytes)) this.#forms.set(text, { name, text, isBase64 })
    this.#anchors = undefined
  }

  get size(): number {
    return this.#forms.size
  }

  look(text: string, isStream: boolean): Look {
    if (this.#forms.size === 0) return { findings: [], settled: text.length, open: false, state: 0 }
    return this.#read(text, isStream, true)
  }

  advance(state: number, text: string): number {
    if (this.#forms.size === 0) return 0
    const anchors = this.#ready()
    let isHit = false
    const next = anchors.scan(
      text,
      () => {
        isHit = true
      },
      state,
    )
    return isHit || cutEscape(text) < text.length || anchors.openFrom(text, next, () => true) < text.length ? -1 : next
  }

  #ready(): Anchors<Form> {
    if (this.#anchors === undefined) {
      const forms = [...this.#forms.values()].map((value): Anchor<Form> => ({
        text: value.text.slice(0, ANCHOR_MAX),
        value,
        held: true,
      }))
      const marks = KNOWN_MARKS.map((text): Anchor<Form> => ({ text, value: MARK, held: false }))
      this.#anchors = new Anchors([...forms, ...marks], false)
    }
    return this.#anchors
  }

  #read(text: string, isStream: boolean, mayBeEncoded: boolean): Look {
    const anchors = this.#ready()
    let findings: Finding[] | undefined
    let settled = text.length
    let isEncoded = false
    const state = anchors.scan(text, (form, at) => {
      if (form === MARK) isEncoded = true
      else if (text.startsWith(form.text, at)) (findings ??= []).push(findingOf(text, form, at))
      else if (form.text.startsWith(text.slice(at))) settled = Math.min(settled, at)
    })
    if (isStream)
      settled = Math.min(
        settled,
        anchors.openFrom(text, state, () => true),
      )
    if (mayBeEncoded) {
      // An escape that is cut off hides whether the match continues.
      const whole = isStream ? cutEscape(text) : text.length
      if (!isEncoded && whole === text.length)
        return { findings: joinFindings(findings), settled, open: settled < whole, state }
      const view = plainView(text.slice(0, whole), true)
      const seen = this.#read(view?.text ?? text.slice(0, whole), isStream, false)
      if (view !== undefined) findings = [...(findings ?? []), ...mapFindings(seen.findings, view)]
      settled = Math.min(settled, view === undefined ? seen.settled : view.places[seen.settled]!)
      if (whole < text.length) settled = Math.min(settled, whole)
    }
    return { findings: joinFindings(findings), settled, open: settled < text.length, state }
  }
}

/** Whether an encoding is base64 or hex of the bytes of a value, without gaps and not of its UTF-16. */
function isPlainCode(text: string, isBase64: boolean, bytes: number): boolean {
  return isBase64 ? text.length <= Math.ceil((bytes * 4) / 3) : text.length === 2 * bytes && /^[0-9a-f]+$/i.test(text)
}

function findingOf(text: string, form: Form, at: number): Finding {
  let [start, end] = [at, at + form.text.length]
  if (form.isBase64) {
    if (start > 0 && /[\w+/-]/.test(text.charAt(start - 1))) start--
    if (end < text.length && /[\w+/-]/.test(text.charAt(end))) end++
  }
  return { start, end, name: form.name, guessable: true }
}

/**
 * Redacts exact values as they become known: the secrets that performers resolved. They are found verbatim, in base64 (at any alignment), in hex, and
 * escaped for URLs, JSON or HTML, even across wrapped lines or with invisible characters in between. Very short values are ignored, since they would
 * match everywhere.
 */
export function knownValues(): KnownValues {
  const finder = new KnownFinder()
  return {
    add(name, value) {
      if (value.length >= VALUE_MIN) finder.add(name, value, false)
    },
    addEncoded: (name, value) => finder.add(name, value, true),
    ...knownRedactor(finder, ({ name }) => `[secret:${name}]`),
  }
}

function knownRedactor(finder: KnownFinder, tokenOf: TokenOf): Redactor & Pick<KnownValues, 'stream'> {
  return {
    text(text) {
      if (finder.size === 0 || text.length < VALUE_MIN) return text
      const { findings } = finder.look(text, false)
      return findings.length === 0 ? text : replaceFindings({ text }, findings, tokenOf)
    },
    stream: () => new FinderStream(finder, tokenOf),
    // The values are the same in all scopes; only a redactor with a vault assigns its own tokens.
    scoped: (_scope, keeper) =>
      knownRedactor(finder, ({ name }, value) => keeper?.token(`secret:${name}`, value) ?? `[secret:${name}]`),
  }
}
