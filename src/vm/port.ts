import type { Json, Outcome } from '../core/index.ts'
import type { Guest } from './value/guest.ts'
import type { GuestObject } from './value/guest-object.ts'

/** What a program asks of the world. Ids count up in the order of issue, so they are the same in every execution. */
export interface VmRequest {
  readonly id: number
  /** `tool`, `atom`, or the kind of effect the host gave the capability. */
  readonly kind: string
  readonly name: string
  /** Plain data, copied out and frozen. */
  readonly input: Json
  /** Where parts of the input came from: JSON pointer → labels; `pc` for what decided that it was asked. Empty while labels are off. */
  readonly labels: Readonly<Record<string, readonly string[]>>
}

/** Carries requests out: injected capabilities when the VM is used alone, effects through the gate under the kernel. */
export interface RequestPort {
  /** Gives the outcome, at once or later. It must not throw; a throw or a rejection is a failed outcome. */
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
}

/** Global names: a capability, or a namespace of them. */
export interface CapabilityTree {
  readonly [name: string]: Capability | CapabilityTree
}

/** An operation that steps may name. With `inline` it runs inside the VM on guest values; without, it leaves as a request. */
export interface AtomSpec {
  readonly op: string
  /** In fuel; a function sees the input as plain data and must give a finite number from 0 up. */
  readonly cost: number | ((input: Json) => number)
  /** Runs at once on guest values, charging for what it makes; `input` holds the step's fields, resolved. */
  readonly inline?: ((input: GuestObject) => Guest) | undefined
  /** Kind of the request; `atom` by default. */
  readonly kind?: string | undefined
  /** Rewrites the step into others before it is compiled (`memoize`, `cache`). */
  readonly lower?: ((step: Readonly<Record<string, unknown>>) => readonly Record<string, unknown>[]) | undefined
  /** Fields that hold steps or other things that are not values; they are not resolved. */
  readonly rawFields?: readonly string[] | undefined
}
