import type { FieldNames } from '../../core/index.ts'
import type { Message } from '../../model/index.ts'
import { Transcript } from './transcript.ts'

export interface HistoryWindow {
  /** The maximum number of messages; system messages do not count. */
  readonly maxMessages?: number | undefined
  /** The maximum number of tokens of messages, as estimated by this package. */
  readonly maxTokens?: number | undefined
  /** Summarizes what no longer fits instead of leaving it out. */
  readonly compact?: boolean | undefined
}

export const HISTORY_WINDOW: FieldNames<HistoryWindow> = { maxMessages: 'number', maxTokens: 'number', compact: 'flag' }

/** The start of the window: the earliest message from which everything fits, never between a call and its result. */
export function windowStart(transcript: Transcript, { maxMessages, maxTokens }: HistoryWindow): number {
  const { messages } = transcript
  if (maxMessages === undefined && maxTokens === undefined) return 0
  let start = messages.length
  let tokens = 0
  while (start > 0) {
    if (maxMessages !== undefined && messages.length - start >= maxMessages) break
    if (maxTokens !== undefined) tokens += transcript.tokensAt(start - 1)
    if (maxTokens !== undefined && tokens > maxTokens) break
    start -= 1
  }
  return wholeFrom(messages, start)
}

/** Moves a cut forward until it splits nothing; an empty window keeps the last complete exchange instead. */
function wholeFrom(messages: readonly Message[], start: number): number {
  let from = start
  while (from < messages.length && messages[from]!.role === 'tool') from += 1
  if (from < messages.length || messages.length === 0) return from
  from = messages.length - 1
  while (from > 0 && messages[from]!.role === 'tool') from -= 1
  return from
}

/** The messages inside a window. */
export function withinWindow(messages: readonly Message[], window: HistoryWindow): readonly Message[] {
  const transcript = new Transcript()
  for (const message of messages) transcript.push(message)
  return messages.slice(windowStart(transcript, window))
}
