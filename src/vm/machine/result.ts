import type { Json, JsonObject } from '../../core/index.ts'
import { errorInfo } from '../../core/index.ts'
import { toText } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestError, GuestObject } from '../value/guest-object.ts'
import { Refusal, Stop } from '../meter/stop.ts'
import { Thrown } from '../value/thrown.ts'

/** Why a program did not end with a value. */
export interface VmError {
  readonly code: string
  readonly message: string
  /** The name of the error a program threw: `TypeError`. */
  readonly name?: string | undefined
  /** The step that failed, and its place in the program. */
  readonly op?: string | undefined
  readonly path?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly info?: unknown
}

export interface VmStats {
  /** Requests that left the VM. */
  readonly requests: number
  readonly jobs: number
  /** How often the host got its turn while the program was computing. */
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
  /** When it began. */
  readonly timestamp: number
  /** What an atom got; what is large is only described here and below. */
  readonly input?: Json | undefined
  /** What it gave. */
  readonly result?: Json | undefined
  /** The variable that it set. */
  readonly stateDiff?: JsonObject | undefined
  readonly isFailed?: boolean | undefined
}

/** What an execution gave. */
export interface VmResult {
  readonly result: Json | undefined
  readonly error?: VmError | undefined
  /** Where parts of the result came from, by JSON pointer; only for a program that was compiled to follow labels. */
  readonly labels?: Readonly<Record<string, readonly string[]>> | undefined
  readonly fuelUsed: number
  readonly memoryPeak: number
  readonly stats: VmStats
  readonly trace?: readonly TraceEntry[] | undefined
  readonly warnings: readonly string[]
}

/** Anything that ended an execution, as data. */
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

/** No code of the guest runs here: an object with its own `toString` is simply an object. */
function describe(value: Guest): string {
  if (value instanceof GuestObject) {
    const message = value.get('message')
    return typeof message === 'string' ? message : 'The program threw an object.'
  }
  if (typeof value === 'object' && value !== null) return 'The program threw a value that is no error.'
  return toText(value)
}
