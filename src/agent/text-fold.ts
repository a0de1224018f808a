import type { Json, MandateEvent } from '../core/index.ts'
import type { EffectEndData } from '../journal/index.ts'
import { textOf } from '../model/index.ts'
import type { ModelReply } from '../model/index.ts'
import { SPEAKING } from './speaking.ts'

/** What an event does to the text of a run: more of it, or what is left of it after something was taken back. */
export type TextChange = { readonly more: string } | { readonly standing: string }

/**
 * Folds the events of one run into its text as it is written. Turns are told apart by a line break, as in the result.
 * A model call that fails after it has begun to speak is taken back: what it said is not in the result either.
 */
export class TextFold {
  #settled = ''
  #key: string | undefined
  #current = ''
  #isHidden = false

  /** What has been said so far and still stands. */
  get text(): string {
    return join(this.#settled, this.#current)
  }

  /** What this event changes; nothing for most. */
  add({ type, key, data }: MandateEvent): TextChange | undefined {
    if (type === 'text-delta') {
      const { text, hidden } = data as { readonly text: string; readonly hidden?: string }
      this.#isHidden = hidden !== undefined
      return this.#delta(key, text)
    }
    if (key === undefined || key !== this.#key) return undefined
    if (type === 'stream-reset') return this.#replace('')
    if (type !== 'effect-end') return undefined
    const final = finalText(data)
    // What was left out of the stream is left out here too; the stream has all of the rest.
    return final !== '' && this.#isHidden ? undefined : this.#replace(final)
  }

  #delta(key: string | undefined, text: string): TextChange | undefined {
    if (text === '' || (key !== undefined && !SPEAKING.test(key))) return undefined
    // Without a key the text is whole: no model streamed it.
    if (key === undefined || key !== this.#key) this.#settle(key)
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
    this.#current = text
    return { standing: this.text }
  }
}

/** What a call came to. Streamed pieces may differ from it where redaction spans two of them, or where blocks were streamed side by side. */
function finalText(data: Json): string {
  const { outcome } = data as unknown as EffectEndData
  return outcome.status === 'ok' ? textOf((outcome.value as unknown as ModelReply).message) : ''
}

function join(before: string, after: string): string {
  return before === '' || after === '' ? before + after : `${before}\n${after}`
}

/**
 * The text of events as a stream of pieces that are never taken back. What a retried call says again in the same words is not repeated;
 * where it says something else, the broken sentence stays and the answer begins on a new line.
 */
export async function* streamText(events: AsyncIterable<MandateEvent>): AsyncGenerator<string> {
  const fold = new TextFold()
  let shown = ''
  let isBroken = false
  for await (const event of events) {
    const change = fold.add(event)
    if (change === undefined) continue
    if ('standing' in change) isBroken = true
    if (!isBroken) {
      shown += (change as { more: string }).more
      yield (change as { more: string }).more
      continue
    }
    const { text } = fold
    // Still saying again what was shown already, or nothing yet.
    if (shown.startsWith(text)) continue
    const piece = text.startsWith(shown) ? text.slice(shown.length) : restart(shown, text)
    shown = text
    isBroken = false
    yield piece
  }
}

/** What both have in common stands; the rest is said again on a new line. */
function restart(shown: string, text: string): string {
  const lastLine = text.lastIndexOf('\n', commonLength(shown, text) - 1) + 1
  return `\n${text.slice(lastLine)}`
}

function commonLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
