import type { EventBus, Json, TypedEvent } from '../core/index.ts'
import type { EntryDataByType } from './entry-data.ts'
import type { SignedHead } from './signatures/head-signature.ts'

interface Failure {
  readonly code: string
  readonly message: string
}

/** A piece of a model's text. `hidden` names a part that was removed from the stream. */
interface TextDelta {
  readonly text: string
  readonly hidden?: string | undefined
}

/** A call made by a cell: its kind and name, and its outcome. */
export interface CellCallRecord {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly status: 'ok' | 'failed'
  readonly detail: Json
  readonly elapsedMs: number
}

/** The data of each type of event: all entries, and events that are only emitted. Tools may emit events of other types; their data is JSON. */
export interface EventDataByType extends EntryDataByType {
  /** A piece of a model's text. */
  readonly 'text-delta': TextDelta
  /** A piece of a model's reasoning. */
  readonly 'reasoning-delta': TextDelta
  /** The streamed text of a model call is void: the call is repeated. */
  readonly 'stream-reset': { readonly attempt: number; readonly reason: string }
  /** A turn of an agent starts. */
  readonly 'step-start': { readonly turn: number }
  /** A turn of an agent is over, with its number of calls. */
  readonly 'step-end': { readonly turn: number; readonly actions: number }
  /** A line printed by a cell. Emitted in the run of the cell, and in the run of the agent in code mode that wrote it, with the cell's run in `cell`. */
  readonly 'cell-output': { readonly text: string; readonly cell?: string | undefined }
  /** A call of a cell starts or is over; emitted in the same runs as `cell-output`. */
  readonly 'cell-call': {
    readonly session: string
    readonly phase: 'started' | 'completed'
    readonly record: CellCallRecord
    readonly cell?: string | undefined
  }
  /** The progress reported by a tool. */
  readonly 'tool-progress': Json
  /** Facts that a tool reports about its call. */
  readonly 'tool-meta': Json
  /** A log message of a tool. */
  readonly log: Json
  /** A connector repeats a request. */
  readonly 'http-retry': { readonly attempt: number; readonly waitMs: number; readonly reason: string }
  /** A sub-agent started or ended. */
  readonly 'spawn-status': {
    readonly agentType: string
    readonly key: string
    /** `started`, `completed`, or the status of another outcome. */
    readonly status: string
    readonly code?: string | undefined
  }
  /** A model failed, and the next one is used. */
  readonly 'model-fallback': { readonly from: string; readonly message: string }
  /** The declared intent of a model does not match its call. */
  readonly 'intent-problem': { readonly toolName?: string | undefined; readonly problem: string }
  /** A program did something that is rarely intended. */
  readonly 'program-warning': { readonly message: string }
  /** A listener or a hook of the host threw. */
  readonly 'handler-error': { readonly where: string; readonly message: string; readonly code?: string | undefined }
  /** `reconcile` of a tool failed; a person is asked instead. */
  readonly 'reconcile-error': { readonly message: string }
  /** The head of a run was signed. */
  readonly 'head-signed': SignedHead
  /** The head of a run could not be signed. */
  readonly 'head-unsigned': Failure
  /** An engine could not drive a run. */
  readonly 'engine-fault': Failure
  /** A run in the store cannot be read. */
  readonly 'run-unreadable': { readonly problem: string }
  /** A prompt got a new version. */
  readonly 'prompt-changed': { readonly by: string; readonly id: string; readonly version: Json }
  /** The policy of the service was replaced. */
  readonly 'policy-changed': { readonly by: string; readonly before: string; readonly after: string }
}

/** What listeners get: a union by `type`. */
export type MandateEvent<T extends keyof EventDataByType = keyof EventDataByType> = TypedEvent<EventDataByType, T>

/** The data of an emitted event: typed for known types, JSON for others. */
export type EmittedData<T extends string> = T extends keyof EventDataByType ? EventDataByType[T] : Json

/** The event bus of a host, typed by the names of known events. */
export type RunEventBus = EventBus<EventDataByType>
