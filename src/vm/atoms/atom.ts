import type { Json, JsonObject } from '../../core/index.ts'
import type { Risk } from '../../tool/index.ts'
import type { Capabilities } from './host/capabilities.ts'
import type { Procedures } from './host/procedures.ts'

/** Whether an atom only computes, or performs I/O. Under the kernel the latter is an effect: authorized, journaled, not repeated. */
export type AtomEffects = 'pure' | 'io'

/** The context of an atom call. */
export interface AtomContext {
  readonly op: string
  /** Capabilities that the host grants. */
  readonly capabilities: Capabilities
  /** Facts about the request (the user, their permissions): for atoms only, never visible to the program. Frozen. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the host knows what it put in; the seed's samples read it without checks
  readonly context: Readonly<Record<string, any>>
  /** Fires when the call timed out, the run ended or the call was aborted. Later results are ignored. */
  readonly signal: AbortSignal
  /** The same for every attempt of this call, also in another process after a crash. Absent outside the kernel. */
  readonly idempotencyKey?: string | undefined
  now(): number
  random(): number
  /** Adds a line to `warnings` of the result. */
  warn(message: string): void
  /** Fuel left. */
  fuelLeft(): number
  /** Stored programs of the owner of this run. */
  readonly procedures: Procedures
  /** Runs another program inside this run: its own variables, the same fuel, limits and capabilities. */
  runInside(program: Json, args: Json, options?: { readonly fuel?: number | undefined }): Promise<Json>
}

export type AtomCost<I = never> = number | ((input: I, ctx: CostContext) => number)

/** What a cost function receives besides the input. */
interface CostContext {
  // oxlint-disable-next-line typescript/no-explicit-any -- as in AtomContext
  readonly context: Readonly<Record<string, any>>
}

/** An operation of programs: its input, result, cost and implementation. */
export interface Atom<Op extends string = string, I = never, O = unknown> {
  readonly op: Op
  readonly docs: string
  /** JSON Schema of the input and of the result. */
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
  readonly cost: AtomCost<I>
  /** Timeout of a call; 0 for no separate timeout. */
  readonly timeoutMs: number
  readonly effects: AtomEffects
  readonly risk?: Risk | undefined
  /** Idempotent: may be repeated after a crash. */
  readonly idempotent?: boolean | undefined
  /** Exists only for the type checker. */
  readonly output?: O
  checkInput(value: unknown): string | undefined | Promise<string | undefined>
  checkOutput(value: unknown): string | undefined | Promise<string | undefined>
  exec(input: I, ctx: AtomContext): O | Promise<O>
  /** Creates the step that calls it. */
  create(input: object): { readonly op: Op; readonly [field: string]: unknown }
}

/** An atom of any input type. */
// oxlint-disable-next-line typescript/no-explicit-any -- atoms of every input live in one registry
export type AnyAtom = Atom<string, any, any>
