import type { FieldNames } from '../../core/index.ts'
import { estimateTokens } from '../../model/index.ts'
import type { Message } from '../../model/index.ts'
import { Transcript } from './transcript.ts'

export interface HistoryWindow {
  /** The maximum number of messages; system messages at the beginning do not count. */
  readonly maxMessages?: number | undefined
  /** The maximum number of tokens of messages, as estimated by this package. */
  readonly maxTokens?: number | undefined
  /** Summarizes what no longer fits instead of leaving it out. */
  readonly compact?: boolean | undefined
}

export const HISTORY_WINDOW: FieldNames<HistoryWindow> = { maxMessages: 'number', maxTokens: 'number', compact: 'flag' }

/**
 * The messages that a model is shown: what the transcript keeps (the question that is being answered, a summary), then the latest messages that fit. It begins with a message
 * of the user, as providers require, and never splits a call from its results. The limits are exceeded only for what is kept and the last exchange.
 */
export function windowOf(transcript: Transcript, window: HistoryWindow): readonly Message[] {
  const { messages, kept } = transcript
  const lead = leadOf(transcript)
  const start = startOf(transcript, window, lead)
  const before = kept.flatMap(({ message, at, isSummary }) => (at < start && !isSummary ? [message] : []))
  return lead === 0 && before.length === 0
    ? messages.slice(start)
    : [...messages.slice(0, lead), ...before, ...messages.slice(start)]
}

/** The number of messages at the beginning that are always shown: system messages, or the summary, which comes before what it does not hold. */
function leadOf({ messages, kept }: Transcript): number {
  let lead = kept[0]?.isSummary === true ? 1 : 0
  while (messages[lead]?.role === 'system') lead += 1
  return lead
}

/** The start of the latest messages, before which only what is kept is shown. */
function startOf(transcript: Transcript, { maxMessages, maxTokens }: HistoryWindow, lead: number): number {
  const { messages, kept } = transcript
  if (maxMessages === undefined && maxTokens === undefined) return lead
  // What is kept is counted first, on whichever side of the start it is.
  const known = new Set(kept.map(({ at }) => at))
  let count = kept.length
  let tokens = maxTokens === undefined ? 0 : tokensOf(transcript)
  let start = messages.length
  for (; start > lead; start -= 1) {
    if (known.has(start - 1)) continue
    count += 1
    if (maxMessages !== undefined && count > maxMessages) break
    if (maxTokens !== undefined) tokens += transcript.tokensAt(start - 1)
    if (maxTokens !== undefined && tokens > maxTokens) break
  }
  return wholeFrom(messages, start, (from) => kept.some(({ at }) => at < from))
}

/** The estimated tokens of what is kept. */
function tokensOf(transcript: Transcript): number {
  let tokens = 0
  for (const { message, at } of transcript.kept) tokens += at < 0 ? estimateTokens([message]) : transcript.tokensAt(at)
  return tokens
}

/** The start of the latest messages with at most this many tokens; what is before it is summarized. */
export function compactionStart(transcript: Transcript, maxTokens: number): number {
  let start = transcript.length
  let tokens = 0
  while (start > 0 && (tokens += transcript.tokensAt(start - 1)) <= maxTokens) start -= 1
  return wholeFrom(transcript.messages, start, () => true)
}

/** What a summary is made from: everything before an index, and the questions that an earlier summary stands before. */
export function summarizedPart(transcript: Transcript, end: number): readonly Message[] {
  const lead = leadOf(transcript)
  const asked = transcript.kept.flatMap(({ message, at }) => (at < 0 ? [message] : []))
  return [...transcript.messages.slice(0, lead), ...asked, ...transcript.messages.slice(lead, end)]
}

/**
 * Moves a cut forward until it splits nothing and, unless a kept message comes before it, is followed by a message of the user. A cut that would leave nothing keeps the last
 * complete exchange instead.
 */
function wholeFrom(messages: readonly Message[], start: number, isLed: (start: number) => boolean): number {
  let from = start
  while (from < messages.length && !isBeginning(messages[from]!, isLed(from))) from += 1
  if (from < messages.length || messages.length === 0) return from
  from = messages.length - 1
  while (from > 0 && messages[from]!.role === 'tool') from -= 1
  return from
}

function isBeginning({ role }: Message, isLed: boolean): boolean {
  return role === 'user' || (isLed && role !== 'tool')
}

/** The messages inside a window, for an answer to the last message of the user. */
export function withinWindow(messages: readonly Message[], window: HistoryWindow): readonly Message[] {
  const transcript = new Transcript()
  for (const message of messages) transcript.push(message)
  transcript.keepQuestion()
  return windowOf(transcript, window)
}
