import type { Entry } from '../../journal/index.ts'
import { spokenTexts } from '../../run/index.ts'
import type { WireEvent } from './run-feed.ts'

/** Converts the reply of a finished model call to the text events that a client would have received, each text complete. */
export function replyTexts(entry: Entry, event: WireEvent, isHiding: boolean): WireEvent[] {
  if (entry.type !== 'effect-end' || entry.data === null) return []
  const spoken = spokenTexts(entry.key ?? '', entry.data, isHiding)
  const { seq: _seq, ...about } = event
  return (['reasoning-delta', 'text-delta'] as const).flatMap((type) => {
    const text = spoken.map((one) => (one.type === type ? one.text : '')).join('')
    return text === '' ? [] : [{ ...about, type, data: { text, offset: 0 } }]
  })
}
