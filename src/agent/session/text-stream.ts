import type { MandateEvent } from '../../journal/index.ts'
import type { EffectEndData } from '../../journal/index.ts'
import { textOf } from '../../model/index.ts'
import type { ModelReply } from '../../model/index.ts'
import { SPEAKING } from '../transcript/model-call-keys.ts'

/** The change of a run's text by an event: more text, or what remains after a withdrawal. */
type TextChange = { readonly more: string } | { readonly standing: string; readonly before: string }

/**
 * Folds the events of one run into its text as it is written. Turns are separated by a line break, as in the result. The text of a model call that
 * fails in the middle is withdrawn: it is not in the result either.
 */
export class TextFold {
  #settled = ''
  #key: string | undefined
  #current = ''
  #isHidden = false

  /** The text so far, without what was withdrawn. */
  get text(): string {
    return joinTexts(this.#settled, this.#current)
  }

  /** The change by this event; `undefined` for most. */
  add({ type, key, data }: MandateEvent): TextChange | undefined {
    if (type === 'text-delta') {
      const { text, hidden } = data
      this.#isHidden = hidden !== undefined
      return this.#delta(key, text)
    }
    if (key === undefined || key !== this.#key) return undefined
    if (type === 'stream-reset') return this.#replace('')
    if (type !== 'effect-end') return undefined
    const final = finalText(data)
    // Text that was removed from the stream is left out here too; the stream has all of the rest.
    return final !== '' && this.#isHidden ? undefined : this.#replace(final)
  }

  #delta(key: string | undefined, text: string): TextChange | undefined {
    if (text === '') return undefined
    // Without a key the text is complete: no model streamed it.
    if (key === undefined || key !== this.#key) {
      if (key !== undefined && !SPEAKING.test(key)) return undefined
      this.#settle(key)
    }
    const isFirst = this.#current === '' && this.#settled !== ''
    this.#current += text
    return { more: isFirst ? `\n${text}` : text }
  }

  #settle(key: string | undefined): void {
    this.#settled = this.text
    this.#current = ''
    this.#key = key
  }

  #replace(text: string): TextChange | undefined {
    if (text === this.#current) return undefined
    const before = this.text
    this.#current = text
    return { standing: this.text, before }
  }
}

/** The final text of a call. Streamed pieces may differ from it if redaction spans two of them, or blocks were streamed in parallel. */
function finalText({ outcome }: EffectEndData): string {
  return outcome.status === 'ok' ? textOf((outcome.value as unknown as ModelReply).message) : ''
}

/** Joins texts of turns, or of members of a team, with a line break. */
export function joinTexts(before: string, after: string): string {
  return before === '' || after === '' ? before + after : `${before}\n${after}`
}

/**
 * The text of events in pieces that are never withdrawn. Text that the retry of a call repeats is not emitted again; if it differs, the broken
 * sentence stays and the answer starts on a new line.
 */
export class TextPieces {
  readonly #fold = new TextFold()
  /** The emitted text before a withdrawal; `undefined` while all of it is valid. */
  #broken: string | undefined

  /** The text so far, without what was withdrawn. */
  get text(): string {
    return this.#fold.text
  }

  /** The next piece; `undefined` for most events. */
  add(event: MandateEvent): string | undefined {
    const change = this.#fold.add(event)
    if (change === undefined) return undefined
    if ('standing' in change) this.#broken ??= change.before
    else if (this.#broken === undefined) return change.more
    const shown = this.#broken
    const { text } = this.#fold
    // The retry repeats what was emitted already, or has emitted nothing yet.
    if (shown.startsWith(text)) return undefined
    this.#broken = undefined
    return text.startsWith(shown) ? text.slice(shown.length) : restart(shown, text)
  }
}

/** The events of a run as they arrive. */
interface Feed {
  /** The next event; `undefined` if there is none yet. */
  read(): MandateEvent | undefined
  isOver(): boolean
  /** Calls back whenever there are more events, and at the end. */
  onChange(changed: () => void): void
}

type Waiting = (taken: IteratorResult<string>) => void

/**
 * The text of events as a stream of pieces that are never withdrawn. Text that the retry of a call repeats is not emitted again; if it differs, the
 * broken sentence stays and the answer starts on a new line. Not a generator, to avoid a promise for each event.
 */
export class TextStream implements AsyncIterator<string> {
  readonly #feed: Feed
  readonly #pieces = new TextPieces()
  /** The first waiting reader; there is rarely more than one, and the others wait in a list. */
  #waiting: Waiting | undefined
  readonly #alsoWaiting: Waiting[] = []

  constructor(feed: Feed) {
    this.#feed = feed
    feed.onChange(() => this.#give())
  }

  next(): Promise<IteratorResult<string>> {
    const taken = this.#waiting === undefined ? this.#take() : undefined
    if (taken !== undefined) return Promise.resolve(taken)
    return new Promise((resolve) => {
      if (this.#waiting === undefined) this.#waiting = resolve
      else this.#alsoWaiting.push(resolve)
    })
  }

  /** Serves waiting readers, first in first out. */
  #give(): void {
    while (this.#waiting !== undefined) {
      const taken = this.#take()
      if (taken === undefined) return
      const give = this.#waiting
      this.#waiting = this.#alsoWaiting.shift()
      give(taken)
    }
  }

  #take(): IteratorResult<string> | undefined {
    for (let event = this.#feed.read(); event !== undefined; event = this.#feed.read()) {
      const value = this.#pieces.add(event)
      if (value !== undefined) return { value, done: false }
    }
    return this.#feed.isOver() ? { value: undefined, done: true } : undefined
  }
}

/** The text from a retry: the common prefix stays, and the rest is emitted again on a new line. */
function restart(shown: string, text: string): string {
  const lastLine = text.lastIndexOf('\n', commonLength(shown, text) - 1) + 1
  return `\n${text.slice(lastLine)}`
}

function commonLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
