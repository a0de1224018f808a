import { isRecord } from '../../core/index.ts'
import { THINKING } from '../../agent/index.ts'
import { withoutIntents } from '../../gate/index.ts'
import type { Entry } from '../../journal/index.ts'
import { textOf } from '../../model/index.ts'
import type { ModelReply, Part } from '../../model/index.ts'
import type { WireEvent } from './run-feed.ts'

/** Converts the reply of a finished model call to the text events that a client would have received, each text complete. */
export function replyTexts(entry: Entry, event: WireEvent, hidesIntents: boolean): WireEvent[] {
  const message = entry.type === 'effect-end' ? replyIn(entry.data) : undefined
  if (message === undefined) return []
  const shown = (said: string): string => (hidesIntents && said.includes('<intent>') ? withoutIntents(said) : said)
  // A reply that is a cell was streamed as reasoning.
  const texts = THINKING.test(entry.key ?? '')
    ? ([['reasoning-delta', shown(message.content.map(wordsOf).join(''))]] as const)
    : ([
        ['reasoning-delta', message.content.map(reasoningOf).join('')],
        ['text-delta', shown(textOf(message))],
      ] as const)
  const { seq: _seq, ...about } = event
  return texts.flatMap(([type, text]) => (text === '' ? [] : [{ ...about, type, data: { text, offset: 0 } }]))
}

/** Returns the message of a successful model call; outcomes of other effects have another shape. */
function replyIn(data: Entry<'effect-end'>['data']): ModelReply['message'] | undefined {
  const value = data?.outcome.status === 'ok' ? data.outcome.value : undefined
  if (!isRecord(value) || typeof value['finishReason'] !== 'string' || !isRecord(value['message'])) return undefined
  return Array.isArray(value['message']['content']) ? (value as unknown as ModelReply).message : undefined
}

function wordsOf(part: Part): string {
  return part.type === 'reasoning' || part.type === 'text' ? part.text : ''
}

function reasoningOf(part: Part): string {
  return part.type === 'reasoning' ? part.text : ''
}
