import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { PendingCall } from '../../agent/index.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import type { ProviderResponseChunk } from '../provider/provider-types.ts'
import type { TurnContext } from '../turn/turn-hooks.ts'

/** What listeners of Atlas are told, by the name of the event. */
export interface AtlasEvents {
  /** The user's message is stored. Promises of listeners are waited for before an agent is chosen. */
  readonly 'message:sent': ChatMessage
  /** The whole answer is stored. */
  readonly 'message:received': ChatMessage
  /** `resumed` where a turn goes on that had waited for a person. */
  readonly 'stream:start': { readonly streamId: string; readonly resumed?: true }
  readonly 'stream:chunk': { readonly chunk: ProviderResponseChunk; readonly streamId: string }
  /** `suspended` where the turn waits for a person: it has not ended, and goes on with `continue`. */
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
  /** A `ProviderError` where the provider failed. */
  readonly error: MandateError
}

export type AtlasEventName = keyof AtlasEvents

/** Which turn an event belongs to; absent for events of plugins. */
export type AtlasListener<P> = (payload: P, context: TurnContext | undefined) => unknown

/** Listeners by name. One that throws or rejects disturbs neither the turn nor the others. */
export class AtlasListeners {
  readonly #byName = new Map<string, readonly AtlasListener<never>[]>()

  add(name: string, listener: AtlasListener<never>): () => void {
    if (typeof listener !== 'function')
      throw new MandateError('INPUT_INVALID', `A listener to "${name}" must be a function.`)
    // Wrapped, so that the same function may listen twice and stop once.
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

  /** The same; resolves when everyone is done with it. */
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
