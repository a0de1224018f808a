import type { Json, JsonObject } from '../../core/index.ts'
import { errorInfo } from '../../core/index.ts'
import { toText } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestError, GuestObject } from '../value/guest-object.ts'
import { Refusal, Stop } from '../meter/stop.ts'
import { inspect } from '../value/text/inspect.ts'
import { Thrown } from '../value/thrown.ts'

/** Why a program did not end with a value. */
export interface VmError {
  readonly code: string
  readonly message: string
  /** The name of the error a program threw: `TypeError`. */
  readonly name?: string | undefined
  /** The failed step, and its location in the program. */
  readonly op?: string | undefined
  readonly path?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly info?: unknown
}

interface VmStats {
  /** Requests that left the VM. */
  readonly requests: number
  readonly jobs: number
  /** How often the program yielded to the event loop while computing. */
  readonly yields: number
  readonly traceDropped: number
}

/** One step that ran. */
export interface TraceEntry {
  readonly op: string
  readonly path?: string | undefined
  readonly line?: number | undefined
  /** Fuel used before and after; steps inside it included. */
  readonly fuelBefore: number
  readonly fuelAfter: number
  /** The start time. */
  readonly timestamp: number
  /** The input of an atom. Here and below, a large value is only described. */
  readonly input?: Json | undefined
  /** Its result. */
  readonly result?: Json | undefined
  /** The variable that it set. */
  readonly stateDiff?: JsonObject | undefined
  readonly isFailed?: boolean | undefined
}

/** The result of an execution. */
export interface VmResult {
  readonly result: Json | undefined
  readonly error?: VmError | undefined
  /** Labels of the parts of the result by JSON pointer; only for a program compiled to track labels. */
  readonly labels?: Readonly<Record<string, readonly string[]>> | undefined
  /** For a cell: the result as printed by `console.log`, if JSON cannot represent it. */
  readonly shown?: string | undefined
  readonly fuelUsed: number
  readonly memoryPeak: number
  readonly stats: VmStats
  readonly trace?: readonly TraceEntry[] | undefined
  readonly warnings: readonly string[]
}

/** Converts anything that ended an execution to data. */
export function toVmError(error: unknown): VmError {
  if (error instanceof Refusal && error.at !== undefined)
    return { ...error.reason, line: error.at[0], column: error.at[1] }
  if (error instanceof Stop) return error.reason
  if (error instanceof Thrown) return fromGuest(error.value)
  return errorInfo(error)
}

function fromGuest(value: Guest): VmError {
  if (!(value instanceof GuestError)) return { code: 'MIND_FAILED', message: describe(value) }
  return {
    code: value.code ?? 'MIND_FAILED',
    message: value.message,
    name: value.name,
    ...(value.op !== undefined && { op: value.op }),
    ...(value.path !== undefined && { path: value.path }),
    ...(value.at !== undefined && { line: value.at[0], column: value.at[1] }),
  }
}

/** Runs no guest code: an object's own `toString` and its getters are not called. */
function describe(value: Guest): string {
  if (value instanceof GuestObject && value.accessor('message') === undefined) {
    const message = value.get('message')
    if (typeof message === 'string') return message
  }
  if (typeof value !== 'object' || value === null) return toText(value)
  return `The program threw ${shownOf(value)}, which is no error.`
}

const SHOWN_MAX = 500

function shownOf(value: Guest): string {
  try {
    const text = inspect(value)
    return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`
  } catch (error) {
    // The program has no fuel or memory left for the text.
    if (error instanceof Stop) return 'a value'
    throw error
  }
}
