import type { Json, JsonObject, Label } from '../../core/index.ts'
import type { ParsedIntents } from '../../gate/index.ts'
import type { Spend } from '../../journal/index.ts'
import type { ContextFacts } from '../context/context.ts'
import type { CallRecord } from './cell-result.ts'

/** What counts against the policy, over all cells of a session. */
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

/** Where a session stands after a cell. It is part of what the run of the cell gives. */
export type SessionState = {
  readonly counters: Counters
  /** The run whose journal has the variables: that of this cell, or of an earlier one where nothing has changed since. */
  readonly variables: string | null
}

/** What the run of a cell gives. */
export type CellOutput = {
  /** The run itself: what the next cell names as its `base`. */
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

/** What the host has set since the last cell. */
export type HostChanges = {
  readonly variables?: JsonObject
  readonly context?: Json
  /** What is known of a context that is read in parts, instead of its content. */
  readonly contextFacts?: ContextFacts
  readonly state?: Json
  readonly messages?: Json
  readonly labels?: readonly Label[]
}

/** What the run of a cell is given. */
export type CellInput = {
  readonly source: string
  /** `cell` when absent. The others run nothing: they make what `base` was the state of the session, `close` for good. */
  readonly op?: 'undo' | 'fork' | 'set' | 'close'
  /** The run of the cell before, of this session or of the one it was forked from. */
  readonly base?: string
  /** The run whose variables are taken instead of those of `base`; `null` for none. */
  readonly from?: string | null
  /** Counts the runs of a session. */
  readonly place?: number
  /** Of a fork: what the session that it was forked from had spent of its budget. */
  readonly spent?: Spend
  readonly policy?: JsonObject
  /** The tools that the cell may call; absent: all that its mind and the host have. */
  readonly tools?: readonly string[]
  /** The agents that the cell may ask; absent: all of the host. */
  readonly agents?: readonly string[]
  /** Registered graphs that the cell may run, whatever they reach. */
  readonly graphs?: readonly string[]
  /** Registered programs that the cell may run, as it calls tools. */
  readonly programs?: readonly string[]
  /** The run whose input has what `context` holds, instead of what was set: that of the agent that wrote the cell. */
  readonly contextFrom?: string
  /** The model that `model_query` asks where the cell names none, instead of that of the mind. */
  readonly model?: string
  /** What a model has declared in the reply that held the cell. */
  readonly intents?: ParsedIntents
  readonly set?: HostChanges
}
