import type { Json, Label } from '../core/index.ts'

/** The worst that a tool can do, in rising order. */
export type Risk = 'read' | 'write' | 'exec' | 'destructive'

export const RISKS: readonly Risk[] = ['read', 'write', 'exec', 'destructive']

/** One issue of an input, in words a model can act on. */
export type ValidationIssue = {
  /** The path of the value: `items[2].name`; empty for the input itself. */
  readonly path: string
  readonly message: string
}

export type ValidationResult =
  /** `value` is the input for the tool, possibly with defaults and without unknown members. */
  | { readonly valid: true; readonly value: Json }
  | { readonly valid: false; readonly issues: readonly ValidationIssue[] }

/** The identity on whose behalf a tool runs. */
type ToolIdentity = { readonly id: string; readonly roles?: readonly string[] }

/** The short-term memory of the run, as far as tools may use it. */
export interface ToolMemory {
  append(streamKey: string, entry: Json): Promise<void>
  read(streamKey: string, options?: { readonly limit?: number | undefined }): Promise<readonly Json[]>
}

/** A write of a tool to a store of its own during a call. */
export interface ToolWrite {
  readonly kind: 'memory' | 'database'
  /** An operation (`op`) and its arguments. It passes the gate, is journaled, and counts in `storeWrites`. */
  readonly input: { readonly op: string; readonly [argument: string]: Json }
  /** May be repeated after a crash without asking a person. */
  readonly idempotent?: boolean | undefined
  /** Performs the write, with the input after gate and redaction. */
  perform(input: { readonly op: string; readonly [argument: string]: Json }): Promise<Json | undefined | void>
}

/** Texts that a tool embeds during a call. */
export interface ToolEmbed {
  /** The embedding model: rules and prices refer to its `id`. */
  readonly model: ToolEmbeddingModel
  readonly values: readonly string[]
}

/** The part of an embedding model that tools use. */
interface ToolEmbeddingModel {
  readonly id: string
  readonly provider: string
  readonly modelId: string
  /** It runs on this machine: if no price is known, its tokens are free. */
  readonly local?: boolean | undefined
  embed(
    request: { readonly values: readonly string[] },
    call: { readonly signal: AbortSignal; readonly attempt: number; readonly idempotencyKey: string },
  ): Promise<{ readonly embeddings: readonly (readonly number[])[] }>
}

/** The context of a tool call. */
export interface ToolContext {
  readonly runId: string
  readonly sessionId: string
  readonly agentId: string
  /** The id of the outer run or stream that made the request. */
  readonly requestId: string
  readonly toolCallId?: string | undefined
  readonly identity: ToolIdentity
  /** Aborts when the call is cut: by a timeout, by a cancellation, by the end of the run. */
  readonly signal: AbortSignal
  /** The same for every attempt of this call, also after a crash. */
  readonly idempotencyKey: string
  /** Starts at 1. */
  readonly attempt: number
  /** When `signal` will abort, in milliseconds since 1970. */
  readonly deadline: number
  /** The trace of this call as W3C `traceparent`, if runs are traced: pass it on to remote calls. */
  readonly traceparent?: string | undefined
  now(): number
  random(): number
  /** Emits progress to listeners; not stored. */
  emit(name: string, data: Json): void
  /** The messages so far. */
  readonly conversation?: readonly unknown[] | undefined
  /**
   * The bytes of a large file in the conversation, by the `hash` of its `blob`; `undefined` if this run does not have it. Absent if the tool is not
   * called by a run.
   */
  readFile?(hash: string): Promise<Uint8Array | undefined>
  readonly agent?: unknown
  readonly memory?: ToolMemory | undefined
  /**
   * Writes to a store as an effect of its own, which passes the gate and is recorded. Returns the result of `perform`, and throws if the write is
   * refused. Absent if the tool is not called by a run.
   */
  write?(write: ToolWrite): Promise<Json>
  /**
   * Embeds texts as an effect of its own (kind `embed`), which passes the gate, counts in the budget and is recorded; throws if it is refused. Absent
   * if the tool is not called by a run.
   */
  embed?(request: ToolEmbed): Promise<readonly (readonly number[])[]>
  /** The labels of the input. */
  readonly labels?: readonly Label[] | undefined
  /** Adds labels to the result, besides those of the input and of the tool itself: for a store that has labels for each value. */
  addLabels?(labels: readonly Label[]): void
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** The value of a named secret, for use inside this call only. */
  secrets?(name: string): Promise<string>
}

export interface ToolRetry {
  /** Attempts in total, including the first. */
  readonly attempts: number
  /** The wait before the second attempt; it doubles from there on. */
  readonly backoffMs: number
  /** Whether an error is worth another attempt; by default every error that is not fatal. */
  retriable?(error: unknown): boolean
}

/** The result of reconciling a call that was cut off by a crash. */
type Reconciled =
  | { readonly status: 'done'; readonly value: unknown }
  | { readonly status: 'not-done' }
  | { readonly status: 'unknown' }

/** An effect of another kind that replaces a call of a tool. */
export interface StandIn {
  readonly kind: 'question' | 'sleep'
  readonly input: Json
  /** Converts the answer to the result of the call; throws if it does not fit. By default the answer is the result. */
  readonly answered?: ((answer: Json) => unknown) | undefined
}

/** The canonical form of a tool; `defineTool` converts every accepted shape to it. Frozen. */
export interface Tool<Name extends string = string, Input = unknown, Output = unknown> {
  readonly name: Name
  /** Only a type: no tool has this member. */
  readonly '~types'?: { readonly input: Input; readonly output: Output } | undefined
  readonly description?: string | undefined
  /** JSON Schema of the input, for models. */
  readonly inputSchema: Json
  /** JSON Schema of the result; it is enforced. */
  readonly outputSchema?: Json | undefined
  /** Validates an input before the gate decides. */
  validate(input: Json): ValidationResult | Promise<ValidationResult>
  /** No schema was given: any object is accepted. */
  readonly unvalidated?: boolean | undefined
  readonly risk?: Risk | undefined
  /** It comes from a foreign source: its declared risk can raise the assumed one, not lower it. */
  readonly isForeign?: boolean | undefined
  /** `false`: needs an explicit grant (network, shell, writes to databases). */
  readonly safeByDefault?: boolean | undefined
  /** Repeating a call with the same idempotency key has no further effect. */
  readonly idempotent?: boolean | undefined
  readonly timeoutMs?: number | undefined
  readonly retry?: ToolRetry | undefined
  /** Whether this error ends the run instead of being returned to the model. */
  fatal?(error: unknown): boolean
  readonly maxResultBytes?: number | undefined
  /** Added to every result of the tool. */
  readonly labels?: readonly Label[] | undefined
  /** Personal data that the tool needs in plain text, if a vault has it: `pii:email`, `pii:*`. Only a mandate can reveal secrets. */
  readonly reveals?: readonly Label[] | undefined
  /**
   * It takes the tokens of redacted values as they are, as a notebook does. A call of any other tool is refused if it would get a token in place of the
   * value.
   */
  readonly takesTokens?: boolean | undefined
  reconcile?(input: Json, ctx: ToolContext): Promise<Reconciled>
  readonly needsApproval?: boolean | ((input: Json) => boolean) | undefined
  /** The question or wait that replaces the call, computed from a valid input and the time of the mind. `undefined`: it is an ordinary call after all. */
  standsFor?(input: Json, now: number): StandIn | undefined
  /** What a model reads instead of the result; listeners, reports and clients get the result. */
  show?(call: { readonly toolCallId: string; readonly input: Json; readonly output: unknown }): unknown
  /**
   * Performs the call. Returns a value, a promise of one, or an async iterable whose items are progress and whose last item (or returned value) is
   * the result.
   */
  run(input: Json, ctx: ToolContext): unknown
}
