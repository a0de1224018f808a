import type { Clock, EventSink, Json } from '../core/index.ts'
import type { Identity, Journal } from '../journal/index.ts'
import type { KernelOptions, Mind } from '../run/index.ts'
import type { AgentConfig } from './config-types.ts'

export interface ServiceOptions extends Omit<KernelOptions, 'random' | 'events'> {
  /** Where runs are kept: anything with a journal. It is closed when the service stops; one given as `journal` is left to whoever opened it. */
  readonly store?: { readonly journal: Journal; close?(): Promise<void> } | undefined
  /** Two services with the same seed, and the same things asked of them, write the same journals byte for byte. */
  readonly deterministic?: { readonly seed: string | number; readonly clock?: Clock | undefined } | undefined
  readonly sinks?: readonly EventSink[] | undefined
  /** Other kinds of minds that runs may start. */
  readonly minds?: readonly Mind[] | undefined
  readonly agents?: readonly AgentConfig[] | undefined
  /** Tools that every mind can name. */
  readonly tools?: readonly unknown[] | undefined
}

export interface ApproveOptions {
  readonly scope?: 'once' | 'run' | 'rule' | undefined
  readonly edit?: Json | undefined
  readonly hash?: string | undefined
  readonly by?: Identity | undefined
}

/** Whether a service can do its work. */
export interface Health {
  readonly ok: boolean
  readonly agents: readonly string[]
  readonly store: 'ok' | 'failed' | 'closed'
  readonly problem?: string | undefined
}
