import { isRecord } from '../../core/index.ts'

/** The events that are carried: what a model says, and that what it has said so far is void. */
type CarriedType = 'text-delta' | 'reasoning-delta' | 'stream-reset'

/** A piece of a text on its way to another process. */
export interface TextMessage {
  readonly type: CarriedType
  readonly run: string
  readonly key?: string | undefined
  readonly at: number
  readonly session: string
  readonly agent: string
  /** Where the piece begins in its text: a gap is noticed by it. */
  readonly offset: number
  readonly data: { readonly text?: string | undefined }
}

/** A message that another process of this version has sent; anything else is none. */
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
