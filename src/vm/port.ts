import type { Json, Outcome } from '../core/index.ts'
import type { Guest } from './value/guest.ts'
import type { GuestObject } from './value/guest-object.ts'

/** The kind of requests that wait for some time: those of `sleep`, `waitUntil` and timers. */
export const TIMER_KIND = 'timer'

/** A request of a program to the host. Ids count up in order of issue, so they are the same in every execution. */
export interface VmRequest {
  readonly id: number
  /** `tool`, `atom`, or the kind of effect the host gave the capability. */
  readonly kind: string
  readonly name: string
  /** Plain data, copied out and frozen. */
  readonly input: Json
  /** Labels of the parts of the input, by JSON pointer; `pc` for those of the control flow. Empty while labels are off. */
  readonly labels: Readonly<Record<string, readonly string[]>>
}

/** Carries requests out: injected capabilities when the VM is used alone, effects through the gate under the kernel. */
export interface RequestPort {
  /** Returns the outcome or a promise of it. A throw or rejection counts as a failed outcome. */
  perform(request: VmRequest, signal: AbortSignal): Outcome | Promise<Outcome>
}

/** The same in callback style: calls `end` once, and never before `send` has returned. */
export interface SendingPort {
  send(request: VmRequest, signal: AbortSignal, end: (outcome: Outcome) => void): void
}

/** A function of the world that scripts see under a global name, as `tools.search`. */
export interface Capability {
  readonly kind: string
  readonly name: string
  /** The request has all arguments, as a list, instead of the first one; a regular expression among them is `{ source, flags }`. */
  readonly takesAll?: true | undefined
}

/** Global names: a capability, a constant, or a namespace of them. */
export interface CapabilityTree {
  readonly [name: string]: Capability | CapabilityTree | CapabilityHandle | string | number
}

/** A namespace that stands for data which is not loaded. What its members do not have is refused with their names, and where it leaves a program, `standsFor` does. */
export class CapabilityHandle {
  readonly members: CapabilityTree
  readonly standsFor: Json

  constructor(members: CapabilityTree, standsFor: Json) {
    this.members = members
    this.standsFor = standsFor
  }
}

/** An operation that steps may name. With `inline` it runs inside the VM on guest values; without, it leaves as a request. */
export interface AtomSpec {
  readonly op: string
  /** In fuel; a function sees the input as plain data and must give a finite number from 0 up. */
  readonly cost: number | ((input: Json) => number)
  /** Runs synchronously on guest values and charges for what it makes; `input` holds the evaluated fields of the step. */
  readonly inline?: ((input: GuestObject) => Guest) | undefined
  /** Kind of the request; `atom` by default. */
  readonly kind?: string | undefined
  /** Rewrites the step into others before it is compiled (`memoize`, `cache`). */
  readonly lower?: ((step: Readonly<Record<string, unknown>>) => readonly Record<string, unknown>[]) | undefined
  /** Fields that hold steps or other things that are not values; they are not resolved. */
  readonly rawFields?: readonly string[] | undefined
}
