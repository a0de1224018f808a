import { canonical, parseJson, sha256 } from '../../core/index.ts'
import type { Compiled } from '../compile/compile.ts'
import { COST_TABLE } from '../meter/cost.ts'
import type { VmRequest } from '../port.ts'
import type { GuestPromise } from '../value/guest-promise.ts'
import { Machine } from './machine.ts'
import type { MachineOptions } from './machine.ts'
import { PendingRequest } from './pending.ts'
import { HeapWriter } from './snapshot-heap.ts'
import type { Paper } from './snapshot-heap.ts'
import { HeapReader } from './snapshot-reader.ts'

/** Changes whenever what is written, or what closures keep in frames, changes: older snapshots are then not read. */
const BUILD = 'vm-3'

interface Snapshot {
  readonly build: string
  readonly program: string
  readonly costs: string
  readonly units: number
  readonly memory: readonly [left: number, reclaimAt: number, peak: number]
  readonly counts: readonly [jobs: number, nextId: number]
  readonly main: Paper
  readonly args: Paper
  readonly pending: readonly (readonly [request: VmRequest, promise: Paper])[]
  readonly scratch: readonly (readonly [string, Paper])[]
  readonly calls: readonly (readonly [number, number])[]
  readonly warnings: readonly string[]
  /** Labels met so far, and the registers that outlive a turn. */
  readonly flow: readonly [names: readonly string[], floor: number, isLabelled: boolean]
  readonly shapes: readonly (readonly string[])[]
  readonly heap: readonly (readonly unknown[])[]
}

const hashes = new WeakMap<Compiled, string>()

/** Names a program together with what it was compiled against: a snapshot fits no other. */
function programHash(compiled: Compiled): string {
  let hash = hashes.get(compiled)
  if (hash === undefined) {
    const parts = [
      canonical(compiled.program),
      [...compiled.capabilities.keys()].join(),
      String(compiled.isTraced),
      String(compiled.labels !== undefined),
    ]
    hashes.set(compiled, (hash = sha256(parts.join('\n'))))
  }
  return hash
}

/** A waiting program as text: frames and values, not an image of memory. Nothing when it is not waiting. */
export function takeSnapshot(machine: Machine): string | undefined {
  if (!machine.isWaiting) return undefined
  const { state, compiled } = machine
  const heap = new HeapWriter()
  const main = heap.put(state.main)
  const args = heap.put(machine.args)
  const pending = machine.waiting!.pending.all().map(({ request, promise }) => [request, heap.put(promise)] as const)
  const scratch = [...machine.scratch].map(([key, value]) => [key, heap.put(value)] as const)
  heap.finish()
  const snapshot: Snapshot = {
    build: BUILD,
    program: programHash(compiled),
    costs: COST_TABLE,
    units: state.unitsLeft,
    memory: [state.memory, state.reclaimAt, state.memoryPeak],
    counts: [state.jobCount, state.nextId],
    main,
    args,
    pending,
    scratch,
    calls: [...machine.callUnits],
    warnings: machine.warnings,
    flow: [machine.flow?.names ?? [], state.floor, state.isLabelled],
    shapes: heap.shapes,
    heap: heap.cells as (readonly unknown[])[],
  }
  return JSON.stringify(snapshot)
}

/**
 * A machine that goes on where a snapshot was taken, or nothing when the snapshot is of another program, build or cost table.
 * Its pending requests are asked again when it starts: whoever answers must know which were answered before.
 */
export function restoreMachine(compiled: Compiled, text: string, options: MachineOptions = {}): Machine | undefined {
  const read = parseJson(text, 'The snapshot') as unknown as Snapshot
  if (read.build !== BUILD || read.program !== programHash(compiled) || read.costs !== COST_TABLE) return undefined
  const machine = new Machine(compiled, options)
  const { state } = machine
  const heap = machine.within(() => new HeapReader(compiled, read.shapes, read.heap))
  state.main = heap.value(read.main) as GuestPromise
  machine.args = heap.value(read.args)
  for (const [request, promise] of read.pending) {
    const kept: VmRequest = Object.freeze(request)
    machine.waiting!.ask(new PendingRequest(kept, heap.value(promise) as GuestPromise))
  }
  for (const [key, value] of read.scratch) machine.scratch.set(key, heap.value(value))
  for (const [key, units] of read.calls) machine.callUnits.set(key, units)
  machine.warnings.push(...read.warnings)
  const [names, floor, isLabelled] = read.flow
  machine.flow?.names.push(...names)
  state.floor = floor
  state.isLabelled = isLabelled
  state.restoreUnits(read.units)
  ;[state.memory, state.reclaimAt, state.memoryPeak] = read.memory
  ;[state.jobCount, state.nextId] = read.counts
  return machine
}
