import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { PendingCall } from '../../agent/index.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import type { ProviderResponseChunk } from '../provider/provider-types.ts'
import type { TurnContext } from '../turn/turn-hooks.ts'

/** The events of Atlas and their payloads, by event name. */
export interface AtlasEvents {
  /** The user's message was stored. Promises of listeners are awaited before an agent is chosen. */
  readonly 'message:sent': ChatMessage
  /** The whole answer was stored. */
  readonly 'message:received': ChatMessage
  /** `resumed` is set when the turn continues after it waited for a person. */
  readonly 'stream:start': { readonly streamId: string; readonly resumed?: true }
  readonly 'stream:chunk': { readonly chunk: ProviderResponseChunk; readonly streamId: string }
  /** `suspended` is set when the turn waits for a person: it has not ended, and `continue` resumes it. */
  readonly 'stream:end': {
    readonly streamId: string
    readonly cancelled?: true
    readonly suspended?: true
    readonly failed?: true
    readonly pending?: readonly PendingCall[]
  }
  readonly 'tool:called': {
    readonly tool: string
    readonly args: Json
    readonly toolCallId: string
    readonly streamId: string
  }
  readonly 'tool:result': {
    readonly tool: string
    readonly toolCallId: string
    readonly status: 'ok' | 'error'
    readonly result: Json
    readonly streamId: string
  }
  /** A `ProviderError` if the provider failed. */
  readonly error: MandateError
}

export type AtlasEventName = keyof AtlasEvents

/** A listener to an event. `context` identifies the turn; it is absent for events that plugins emit. */
export type AtlasListener<P> = (payload: P, context: TurnContext | undefined) => unknown

/** Listeners by event name. A listener that throws or rejects affects neither the turn nor the other listeners. */
export class AtlasListeners {
  readonly #byName = new Map<string, readonly AtlasListener<never>[]>()

  add(name: string, listener: AtlasListener<never>): () => void {
    if (typeof listener !== 'function')
      throw new MandateError('INPUT_INVALID', `A listener to "${name}" must be a function.`)
    // Wrapped, so that the same function can be added twice and removed once.
    const own: AtlasListener<never> = (payload, context) => listener(payload, context)
    this.#byName.set(name, [...(this.#byName.get(name) ?? []), own])
    return () => {
      this.#byName.set(
        name,
        (this.#byName.get(name) ?? []).filter((other) => other !== own),
      )
    }
  }

  emit(name: string, payload: unknown, context?: TurnContext): void {
    for (const told of this.#tell(name, payload, context)) told.catch(() => {})
  }

  /** Emits an event and resolves when all listeners have settled. */
  async emitAndWait(name: string, payload: unknown, context?: TurnContext): Promise<void> {
    await Promise.allSettled(this.#tell(name, payload, context))
  }

  #tell(name: string, payload: unknown, context: TurnContext | undefined): Promise<unknown>[] {
    return (this.#byName.get(name) ?? []).flatMap((listener) => {
      try {
        const told = listener(payload as never, context)
        return told instanceof Promise ? [told] : []
      } catch {
        return []
      }
    })
  }
}
