import { utf8Bytes } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { UNITS_PER_FUEL, live } from '../meter/live.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { GuestObject } from '../value/guest-object.ts'
import type { TraceEntry } from './result.ts'

/** Size limit of one value in the trace: a growing list would be copied in every iteration. */
const VALUE_BYTES = 2_048
const DEPTH_MAX = 16

/** A step that has begun. */
export interface BegunStep {
  readonly fuelBefore: number
  readonly timestamp: number
  input?: Json
}

interface Source {
  readonly op?: string | undefined
  readonly path?: string | undefined
  readonly at?: readonly [line: number, column: number] | undefined
}

interface Ended {
  /** Units prepaid for later steps of the block. */
  readonly paidAhead: number
  readonly isFailed?: boolean
  /** The variable that was set, and its value or the result of the step. */
  readonly name?: string | undefined
  readonly value?: Guest
  readonly gives?: boolean
}

/** A bounded log of the steps that ran. */
export class TraceLog {
  readonly entries: TraceEntry[] = []
  dropped = 0
  /** Units that enclosing blocks have prepaid for later steps. */
  ahead = 0
  current: BegunStep | undefined
  readonly #max: number
  #bytes: number

  constructor(max: number, bytes: number) {
    this.#max = max
    this.#bytes = bytes
  }

  begin(paidAhead: number): BegunStep {
    return { fuelBefore: this.#fuel(paidAhead), timestamp: live.machine.now() }
  }

  noteInput(value: Guest): void {
    if (this.current !== undefined && this.entries.length < this.#max) this.current.input = this.#shown(value)
  }

  add({ op, path, at }: Source, step: BegunStep, ended: Ended): void {
    if (this.entries.length >= this.#max) {
      this.dropped += 1
      return
    }
    const { name, gives, isFailed } = ended
    const value = name === undefined && gives !== true ? null : this.#shown(ended.value)
    this.entries.push({
      op: op!,
      ...(path !== undefined && { path }),
      ...(at !== undefined && { line: at[0] }),
      fuelBefore: step.fuelBefore,
      fuelAfter: this.#fuel(ended.paidAhead),
      timestamp: step.timestamp,
      ...(step.input !== undefined && { input: step.input }),
      ...(gives === true && { result: value }),
      ...(name !== undefined && { stateDiff: { [name]: value } }),
      ...(isFailed === true && { isFailed }),
    })
  }

  #fuel(paidAhead: number): number {
    return (live.machine.unitsUsedNow() - paidAhead) / UNITS_PER_FUEL
  }

  /** A copy of a value, or a description of a large one. Copying costs the program no fuel, so it is bounded. */
  #shown(value: Guest): Json {
    const room = { bytes: Math.min(VALUE_BYTES, this.#bytes) }
    const before = room.bytes
    const copy = copied(value, room, 0)
    if (copy === CUT) return cut(value)
    this.#bytes -= before - room.bytes
    return copy
  }
}

const CUT = Symbol('cut')

function copied(value: Guest, room: { bytes: number }, depth: number): Json | typeof CUT {
  room.bytes -= typeof value === 'string' ? utf8Bytes(value) + 2 : 8
  if (room.bytes < 0 || depth > DEPTH_MAX) return CUT
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean' ? value : null
  if (value === null) return null
  const isList = value instanceof GuestArray
  if (!isList && !(value instanceof GuestObject)) return CUT
  // Stops before listing the keys of an object that does not fit.
  if ((isList ? value.items.length : value.size) * 8 > room.bytes) return CUT
  const entries: [string, Json][] = []
  for (const key of isList ? value.items.keys() : value.keys()) {
    const item = copied(isList ? value.items[key as number] : value.get(key as string), room, depth + 1)
    if (item === CUT || (room.bytes -= isList ? 0 : String(key).length) < 0) return CUT
    entries.push([String(key), item])
  }
  return isList ? entries.map(([, item]) => item) : Object.fromEntries(entries)
}

/** The placeholder of a value that is too large. */
function cut(value: Guest): Json {
  if (typeof value === 'string') return { $cut: `text of ${value.length}` }
  return { $cut: value instanceof GuestArray ? `list of ${value.items.length}` : 'object' }
}
