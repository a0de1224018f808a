import { isRecord } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { withoutIntents } from '../../gate/index.ts'
import type { EffectEndData, MandateEvent, RunStartData } from '../../journal/index.ts'
import type { ModelReply } from '../../model/index.ts'

/** The keys of model calls whose replies are cells. Their text is streamed as reasoning: the answer is a text of its own. */
export const THINKING: RegExp = /^turn:\d+\/code(:\d+)?$/

type Kind = 'text-delta' | 'reasoning-delta'

/** A text of a model call, as listeners receive it in pieces while it is written. */
interface SpokenText {
  readonly type: Kind
  readonly text: string
}

/** An event that listeners lack before a call ends: the rest of a text, or that the text so far is void. */
type Unheard = Pick<MandateEvent<Kind>, 'type' | 'data'> | Pick<MandateEvent<'stream-reset'>, 'type' | 'data'>

/** Whether listeners of a run get text without the intents that the model declares. */
export function hidesIntents(pins: Json | undefined): boolean {
  return isRecord(pins) && pins['intent'] === 'hidden'
}

/** The texts of a recorded model call in their order; none of another effect, and of a call that failed. */
export function spokenTexts(key: string, { outcome }: EffectEndData, isHiding: boolean): readonly SpokenText[] {
  const reply = outcome.status === 'ok' ? replyIn(outcome.value) : undefined
  return (reply?.message.content ?? []).flatMap((part): SpokenText[] => {
    if (part.type !== 'text' && part.type !== 'reasoning') return []
    const isHidden = isHiding && part.type === 'text' && part.text.includes('<intent>')
    const text = isHidden ? withoutIntents(part.text) : part.text
    const type = part.type === 'reasoning' || THINKING.test(key) ? 'reasoning-delta' : 'text-delta'
    return text === '' ? [] : [{ type, text }]
  })
}

function replyIn(value: Json): ModelReply | undefined {
  if (!isRecord(value) || typeof value['finishReason'] !== 'string' || !isRecord(value['message'])) return undefined
  return Array.isArray(value['message']['content']) ? (value as unknown as ModelReply) : undefined
}

/**
 * The texts that listeners have received of the model calls of a run. Streamed pieces may be lost on their way from another process, and a process that
 * dies leaves the beginning of a text that the next one writes differently. The message of the entry that ends the call decides: what listeners lack of
 * it is sent before the entry.
 */
export class HeardTexts {
  /** The text received of each call in progress, by kind. */
  readonly #byKey = new Map<string, Map<Kind, string>>()

  add({ type, key, data }: MandateEvent): void {
    if (key === undefined) return
    if (type === 'effect-end' || type === 'stream-reset') this.#byKey.delete(key)
    else if ((type === 'text-delta' || type === 'reasoning-delta') && typeof data?.text === 'string') {
      let texts = this.#byKey.get(key)
      if (texts === undefined) this.#byKey.set(key, (texts = new Map()))
      texts.set(type, (texts.get(type) ?? '') + data.text)
    }
  }

  /** The number of characters received of a text. */
  length(key: string, type: Kind): number {
    return this.#byKey.get(key)?.get(type)?.length ?? 0
  }

  /** What listeners lack of a call before the entry that ends it. */
  rest(key: string, data: EffectEndData, pins: RunStartData['pins']): readonly Unheard[] {
    const isHiding = hidesIntents(pins)
    const spoken = spokenTexts(key, data, isHiding)
    const heard = this.#byKey.get(key) ?? new Map<Kind, string>()
    const whole = (type: Kind): string => spoken.map((one) => (one.type === type ? one.text : '')).join('')
    const isVoid = spoken.length > 0 && [...heard].some(([type, text]) => !isPartOf(whole(type), text))
    const left = new Map(isVoid ? [] : [...heard].map(([type, text]) => [type, text.length]))
    const pieces = spoken.flatMap(({ type, text }) => {
      const known = left.get(type) ?? 0
      left.set(type, Math.max(0, known - text.length))
      const more = text.slice(known)
      // As in the process that drives the run, the event states that text was left out, for comparison with the reply.
      return more === '' ? [] : [{ type, data: isHiding ? { text: more, hidden: 'intents' } : { text: more } }]
    })
    const reset = { type: 'stream-reset', data: { attempt: 1, reason: 'Pieces of the text were lost.' } } as const
    return isVoid ? [reset, ...pieces] : pieces
  }
}

/** Whether a received text belongs to a message: as its beginning, or as all of it where texts were written in parallel. */
function isPartOf(whole: string, heard: string): boolean {
  const sorted = (text: string): string => text.split('').toSorted().join('')
  return whole.startsWith(heard) || (whole.length === heard.length && sorted(whole) === sorted(heard))
}
