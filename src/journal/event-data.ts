import type { EventBus, Json, TypedEvent } from '../core/index.ts'
import type { EntryDataByType } from './entry-data.ts'
import type { SignedHead } from './signatures/head-signature.ts'

interface Failure {
  readonly code: string
  readonly message: string
}

/** A piece of what a model says. `hidden` names what was left out of the stream and will not come. */
interface TextDelta {
  readonly text: string
  readonly hidden?: string | undefined
}

/** What the data of an event is, by its type: every entry, and what is told only to those who listen. Tools may emit events of other types; their data is JSON. */
export interface EventDataByType extends EntryDataByType {
  readonly 'text-delta': TextDelta
  readonly 'reasoning-delta': TextDelta
  /** What a model call has said so far is void: it is made again. */
  readonly 'stream-reset': { readonly attempt: number; readonly reason: string }
  readonly 'step-start': { readonly turn: number }
  readonly 'step-end': { readonly turn: number; readonly actions: number }
  readonly 'tool-progress': Json
  readonly 'tool-meta': Json
  /** Emitted by a tool, for the log of whoever called it. */
  readonly log: Json
  readonly 'http-retry': { readonly attempt: number; readonly waitMs: number; readonly reason: string }
  readonly 'spawn-status': {
    readonly agentType: string
    readonly key: string
    /** `started`, `completed`, or how else the outcome came out. */
    readonly status: string
    readonly code?: string | undefined
  }
  readonly 'model-fallback': { readonly from: string; readonly message: string }
  readonly 'intent-problem': { readonly toolName?: string | undefined; readonly problem: string }
  readonly 'program-warning': { readonly message: string }
  readonly 'handler-error': { readonly where: string; readonly message: string }
  readonly 'reconcile-error': { readonly message: string }
  readonly 'head-signed': SignedHead
  readonly 'head-unsigned': Failure
  readonly 'engine-fault': Failure
  readonly 'run-unreadable': { readonly problem: string }
  readonly 'prompt-changed': { readonly by: string; readonly id: string; readonly version: Json }
  readonly 'policy-changed': { readonly by: string; readonly before: string; readonly after: string }
}

/** What listeners see: a union by `type`. */
export type MandateEvent<T extends keyof EventDataByType = keyof EventDataByType> = TypedEvent<EventDataByType, T>

/** The data of an event that is emitted: as its type says, or JSON where the type is not known here. */
export type EmittedData<T extends string> = T extends keyof EventDataByType ? EventDataByType[T] : Json

/** The bus of a host, on which events of known types are typed by their names. */
export type RunEventBus = EventBus<EventDataByType>
