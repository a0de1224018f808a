import type { ErrorInfo, Json, Label } from '../../core/index.ts'
import type { PendingItem } from '../../journal/index.ts'

/** What a cell asked of its host. */
export type CallKind = 'model' | 'tool' | 'graph' | 'program' | 'agent' | 'cell' | 'context' | 'emit'

/** One call of a cell. */
export type CallRecord = {
  /** Counts up in the session: the same in every execution. */
  readonly id: string
  readonly kind: CallKind
  readonly name: string
  readonly status: 'ok' | 'failed'
  readonly detail: Json
  /** By the time that the cell sees, in milliseconds. */
  readonly elapsedMs: number
}

/** What a cell waits for. */
export interface PendingCall extends PendingItem {
  /** What is asked, in words. */
  readonly text?: string | undefined
  /** The call that waits: the tool or whatever else it is, and its input as recorded. */
  readonly name?: string | undefined
  readonly input?: Json | undefined
}

/** Why a cell failed, and where. */
export interface CellError extends ErrorInfo {
  /** The name of what was thrown: `TypeError`. */
  readonly name?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
}

/** What a cell came to: also when it failed, as far as it got. */
export interface CellResult {
  /** `waiting`: it is suspended, and waits for what is in `pending`. Answer, then call `session.resume()`. */
  readonly status: 'completed' | 'failed' | 'cancelled' | 'waiting'
  /** The run of the cell. */
  readonly run: string
  /** The number of the cell in its session, from 1 up. */
  readonly cell: number
  /** What was printed, one line for each call. */
  readonly stdout: string
  /** The value of the last expression, or what was returned; absent where that is undefined. What is no data is given as text. */
  readonly value?: Json | undefined
  /** The value as `print` would show it, where JSON does not tell what it is: a map, a date, `NaN`, or data that holds such. */
  readonly shown?: string | undefined
  /** Variables that are new or have another value than before, sorted. */
  readonly variablesChanged: readonly string[]
  readonly calls: readonly CallRecord[]
  /** What the cell gave with `answer(…)`: a text; of other data its JSON. */
  readonly finalAnswer?: string | undefined
  readonly error?: CellError | undefined
  /** Approvals and questions that the cell waits for. */
  readonly pending: readonly PendingCall[]
  readonly elapsedMs: number
  readonly fuelUsed: number
  readonly warnings: readonly string[]
  /** What the output was made from, where that is not clean. */
  readonly labels?: readonly Label[] | undefined
}
