import type { ErrorInfo, Json } from '../../core/index.ts'

/** Something that happened while a call was under way: an item of its stream, or what a tool told its listeners. */
export type RecordedEvent = { readonly item: Json } | { readonly emit: string; readonly data: Json }

/** How a call ended. `cut`: the consumer cancelled first; playback waits for that at the same place. */
export type RecordedEnd =
  | { readonly status: 'done'; readonly value?: Json }
  | { readonly status: 'failed'; readonly error: ErrorInfo }
  | { readonly status: 'cut' }

export type RecordedKind = 'model' | 'tool' | 'stream' | 'value'

/** What a call is known by. */
export interface Question {
  readonly kind: RecordedKind
  /** The model's id, the tool's name. */
  readonly name: string
  /** What was asked, redacted and without what changes from run to run. */
  readonly request: Json
  /** SHA-256 over all of it. */
  readonly key: string
}

/** One call and what came of it. Order is kept, time is not. */
export interface Recording extends Question {
  /** From 1 up, among calls of one key. */
  readonly occurrence: number
  /** Whether the answer was a stream. */
  readonly streamed: boolean
  readonly events: readonly RecordedEvent[]
  readonly end: RecordedEnd
}

/** How a recording is called in reports. */
export function titleOf({
  kind,
  name,
  key,
  occurrence,
}: Omit<Recording, 'request' | 'streamed' | 'events' | 'end'>): string {
  return `${kind} ${name} ${key.slice(0, 12)} #${occurrence}`
}
