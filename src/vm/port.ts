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

/** Performs requests: by injected capabilities in a standalone VM, as effects through the gate under the kernel. */
export interface RequestPort {
  /** Returns the outcome or a promise of it. A throw or rejection counts as a failed outcome. */
  perform(request: VmRequest, signal: AbortSignal): Outcome | Promise<Outcome>
}

/** The same in callback style: calls `end` once, and never before `send` has returned. */
export interface SendingPort {
  send(request: VmRequest, signal: AbortSignal, end: (outcome: Outcome) => void): void
}

/** A host function that scripts can call under a global name, such as `tools.search`. */
export interface Capability {
  readonly kind: string
  readonly name: string
  /** Whether the request contains all arguments as a list instead of only the first one; regular expressions are passed as `{ source, flags }`. */
  readonly takesAll?: true | undefined
}

/** Global names: a capability, a constant, or a namespace of them. */
export interface CapabilityTree {
  readonly [name: string]: Capability | CapabilityTree | CapabilityHandle | string | number
}

/**
 * A namespace that represents data which is not loaded. Access to an unknown member throws an error that lists the known ones. When it leaves a program, it
 * is replaced by `standsFor`.
 */
export class CapabilityHandle {
  readonly members: CapabilityTree
  readonly standsFor: Json

  constructor(members: CapabilityTree, standsFor: Json) {
    this.members = members
    this.standsFor = standsFor
  }
}

/** An operation of steps. With `inline` it runs inside the VM on guest values; otherwise it is performed as a request. */
export interface AtomSpec {
  readonly op: string
  /** Cost in fuel. A function receives the input as plain data and must return a finite number from 0 up. */
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
