import type { Json, JsonObject, Label } from '../../core/index.ts'
import type { ParsedIntents } from '../../gate/index.ts'
import type { Spend } from '../../journal/index.ts'
import type { ContextFacts } from '../context/context.ts'
import type { CallRecord } from './cell-result.ts'

/** Counters of a session that count against the policy. */
export type Counters = {
  readonly cells: number
  readonly calls: number
  readonly model: number
  readonly agent: number
  readonly tool: number
  readonly graph: number
  readonly context: number
  readonly definition: number
}

export const NO_CALLS: Counters = {
  cells: 0,
  calls: 0,
  model: 0,
  agent: 0,
  tool: 0,
  graph: 0,
  context: 0,
  definition: 0,
}

/** State of a session after a cell. Part of the output of its run. */
export type SessionState = {
  readonly counters: Counters
  /** The run whose journal contains the variables: that of this cell, or of an earlier one if nothing has changed since. */
  readonly variables: string | null
}

/** Output of the run of a cell. */
export type CellOutput = {
  /** The run itself. The next cell uses it as its `base`. */
  readonly run: string
  readonly stdout: string
  readonly value?: Json
  readonly shown?: string
  readonly variablesChanged: readonly string[]
  readonly calls: readonly CallRecord[]
  readonly finalAnswer?: string
  readonly error?: JsonObject
  readonly fuelUsed: number
  readonly warnings: readonly string[]
  readonly session: SessionState
}

/** Changes by the host since the last cell. */
export type HostChanges = {
  readonly variables?: JsonObject
  readonly context?: Json
  /** Facts of a context that is read in parts, instead of its content. */
  readonly contextFacts?: ContextFacts
  readonly state?: Json
  readonly messages?: Json
  readonly labels?: readonly Label[]
}

/** Input of the run of a cell. */
export type CellInput = {
  readonly source: string
  /** `cell` when absent. The other operations run no code: they record the state of `base` as that of the session; `close` does so permanently. */
  readonly op?: 'undo' | 'fork' | 'set' | 'close'
  /** The run of the previous cell, in this session or the one it was forked from. */
  readonly base?: string
  /** The run whose variables are taken instead of those of `base`; `null` for none. */
  readonly from?: string | null
  /** The run whose `context`, `state` and `messages` are used instead of those of `from`: an undo reverts cells, not what the host has set. */
  readonly slotsFrom?: string
  /** Sequence number of the run in its session. */
  readonly place?: number
  /** For a fork: what the original session had spent of its budget. */
  readonly spent?: Spend
  readonly policy?: JsonObject
  /** The tools that the cell may call; absent: all that its mind and the host have. */
  readonly tools?: readonly string[]
  /** The agents that the cell may ask; absent: all of the host. */
  readonly agents?: readonly string[]
  /** Registered graphs that the cell may run, regardless of the tools and agents they use. */
  readonly graphs?: readonly string[]
  /** Registered programs that the cell may run, as it calls tools. */
  readonly programs?: readonly string[]
  /** The run whose input contains `context`, instead of a value that was set: the run of the agent that wrote the cell. */
  readonly contextFrom?: string
  /** The default model of `model_query`, instead of that of the mind. */
  readonly model?: string
  /** Intents declared in the model reply that contained the cell. */
  readonly intents?: ParsedIntents
  readonly set?: HostChanges
}
