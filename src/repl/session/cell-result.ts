import type { ErrorInfo, Json, Label } from '../../core/index.ts'
import type { PendingItem } from '../../journal/index.ts'

/** Kind of a call that a cell makes to its host. */
export type CallKind = 'model' | 'tool' | 'graph' | 'program' | 'agent' | 'cell' | 'context' | 'emit'

/** One call of a cell. */
export type CallRecord = {
  /** Sequence id in the session. Deterministic, so it is the same in every execution. */
  readonly id: string
  readonly kind: CallKind
  readonly name: string
  readonly status: 'ok' | 'failed'
  readonly detail: Json
  /** Elapsed time in milliseconds, by the clock of the cell. */
  readonly elapsedMs: number
}

/** An approval or question that a cell waits for. */
export interface PendingCall extends PendingItem {
  /** The question as text. */
  readonly text?: string | undefined
  /** The name of the waiting call (for example the tool), and its input as recorded. */
  readonly name?: string | undefined
  readonly input?: Json | undefined
}

/** The error of a failed cell, with its position. */
export interface CellError extends ErrorInfo {
  /** The name of the thrown error, for example `TypeError`. */
  readonly name?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
}

/** The result of a cell. For a failed cell, it contains what the cell produced before the failure. */
export interface CellResult {
  /** With `waiting`, the cell is suspended until the items in `pending` are answered. Answer them, then call `session.resume()`. */
  readonly status: 'completed' | 'failed' | 'cancelled' | 'waiting'
  /** The run of the cell. */
  readonly run: string
  /** The number of the cell in its session, from 1 up. */
  readonly cell: number
  /** Printed output, one line for each call. */
  readonly stdout: string
  /** The value of the last expression, or the returned value; absent if undefined. A value that is not data is given as text. */
  readonly value?: Json | undefined
  /** The value as `print` shows it, when JSON cannot represent it: a map, a date, `NaN`, or data that contains such values. */
  readonly shown?: string | undefined
  /** New and changed variables, sorted by name. */
  readonly variablesChanged: readonly string[]
  readonly calls: readonly CallRecord[]
  /** The argument of `answer(…)`: a text, or other data as JSON. */
  readonly finalAnswer?: string | undefined
  readonly error?: CellError | undefined
  /** Approvals and questions that the cell waits for. */
  readonly pending: readonly PendingCall[]
  readonly elapsedMs: number
  readonly fuelUsed: number
  readonly warnings: readonly string[]
  /** Labels of the output, if it has any. */
  readonly labels?: readonly Label[] | undefined
}
