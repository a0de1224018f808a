import type { ErrorInfo, Json } from '../../core/index.ts'

/** Something that happened during a call: an item of its stream, or an event that a tool emitted. */
export type RecordedEvent = { readonly item: Json } | { readonly emit: string; readonly data: Json }

/** How a call ended. `cut`: the consumer cancelled first; playback waits for that at the same place. */
export type RecordedEnd =
  | { readonly status: 'done'; readonly value?: Json }
  | { readonly status: 'failed'; readonly error: ErrorInfo }
  | { readonly status: 'cut' }

export type RecordedKind = 'model' | 'tool' | 'stream' | 'value'

/** The identity of a call. */
export interface Question {
  readonly kind: RecordedKind
  /** The model's id or the tool's name. */
  readonly name: string
  /** The request, redacted and without parts that differ between runs. */
  readonly request: Json
  /** SHA-256 of all of it. */
  readonly key: string
}

/** One call and its result. The order is recorded, times are not. */
export interface Recording extends Question {
  /** The number of the call among those of one key, from 1. */
  readonly occurrence: number
  /** Whether the answer was a stream. */
  readonly streamed: boolean
  readonly events: readonly RecordedEvent[]
  readonly end: RecordedEnd
}

/** The title of a recording in reports. */
export function titleOf({
  kind,
  name,
  key,
  occurrence,
}: Omit<Recording, 'request' | 'streamed' | 'events' | 'end'>): string {
  return `${kind} ${name} ${key.slice(0, 12)} #${occurrence}`
}
