import { isRecord } from '../../core/index.ts'

/** The event types that are relayed: pieces of streamed text, and the reset that voids the text so far. */
type CarriedType = 'text-delta' | 'reasoning-delta' | 'stream-reset'

/** A piece of streamed text on its way to another process. */
export interface TextMessage {
  readonly type: CarriedType
  readonly run: string
  readonly key?: string | undefined
  readonly at: number
  readonly session: string
  readonly agent: string
  /** Offset of the piece in its text, by which a gap is detected. */
  readonly offset: number
  /** The length of a complete text that is sent in several pieces. */
  readonly of?: number | undefined
  readonly data: { readonly text?: string | undefined; readonly reason?: string | undefined }
}

/** Parses a message of another process. Returns undefined for anything else. */
export function readMessage(text: string): TextMessage | undefined {
  try {
    const message = JSON.parse(text) as unknown
    return isRecord(message) && typeof message['run'] === 'string' && isRecord(message['data'])
      ? (message as unknown as TextMessage)
      : undefined
  } catch {
    return undefined
  }
}
