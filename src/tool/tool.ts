import type { Json, Label } from '../core/index.ts'

/** What a tool can do to the world at worst, in rising order. */
export type Risk = 'read' | 'write' | 'exec' | 'destructive'

export const RISKS: readonly Risk[] = ['read', 'write', 'exec', 'destructive']

/** One thing wrong with an input, in words a model can act on. */
export type ValidationIssue = {
  /** Where, from the input down: `items[2].name`; empty for the input itself. */
  readonly path: string
  readonly message: string
}

export type ValidationResult =
  /** `value` is what the tool shall be given: the input, perhaps with defaults filled in and unknown members dropped. */
  | { readonly valid: true; readonly value: Json }
  | { readonly valid: false; readonly issues: readonly ValidationIssue[] }

/** On whose behalf a tool runs. */
type ToolIdentity = { readonly id: string; readonly roles?: readonly string[] }

/** The short-term memory of the run, as far as tools may use it. */
export interface ToolMemory {
  append(streamKey: string, entry: Json): Promise<void>
  read(streamKey: string, options?: { readonly limit?: number | undefined }): Promise<readonly Json[]>
}

/** Something that a tool writes to a store of its own in the course of a call. */
export interface ToolWrite {
  readonly kind: 'memory' | 'database'
  /** An operation (`op`) and its arguments. It is decided about, journaled, and counted in `storeWrites`. */
  readonly input: { readonly op: string; readonly [argument: string]: Json }
  /** May be made again after a crash without asking anyone. */
  readonly idempotent?: boolean | undefined
  /** Makes the write, with the input as the gate and the redaction of the run have left it. */
  perform(input: { readonly op: string; readonly [argument: string]: Json }): Promise<Json | undefined | void>
}

/** Texts that a tool turns into vectors in the course of a call. */
export interface ToolEmbed {
  /** The embedding model: rules and prices know it by its `id`. */
  readonly model: ToolEmbeddingModel
  readonly values: readonly string[]
}

/** An embedding model, as far as tools need to know. */
interface ToolEmbeddingModel {
  readonly id: string
  readonly provider: string
  readonly modelId: string
  /** It runs on this machine: where no price is known, its tokens cost nothing. */
  readonly local?: boolean | undefined
  embed(
    request: { readonly values: readonly string[] },
    call: { readonly signal: AbortSignal; readonly attempt: number; readonly idempotencyKey: string },
  ): Promise<{ readonly embeddings: readonly (readonly number[])[] }>
}

/** What a tool gets besides its input. */
export interface ToolContext {
  readonly runId: string
  readonly sessionId: string
  readonly agentId: string
  /** The id of the outer run or stream that asked. */
  readonly requestId: string
  readonly toolCallId?: string | undefined
  readonly identity: ToolIdentity
  /** Fires when the call is cut: by a timeout, by cancel, by the end of the run. */
  readonly signal: AbortSignal
  /** The same for every attempt of this call, also after a crash. */
  readonly idempotencyKey: string
  /** From 1 up. */
  readonly attempt: number
  /** When `signal` will fire, in milliseconds since 1970. */
  readonly deadline: number
  /** The trace of this call as W3C `traceparent`, where runs are traced: pass it on to whatever the call reaches. */
  readonly traceparent?: string | undefined
  now(): number
  random(): number
  /** Tells listeners about progress; nothing of it is stored. */
  emit(name: string, data: Json): void
  /** The messages so far. */
  readonly conversation?: readonly unknown[] | undefined
  /** The bytes of a large file of the conversation, by the `hash` of its `blob`; undefined where this run has none. Absent where the tool is called by something other than a run. */
  readFile?(hash: string): Promise<Uint8Array | undefined>
  readonly agent?: unknown
  readonly memory?: ToolMemory | undefined
  /**
   * Writes to a store as an effect of its own, which passes the gate and is recorded; it gives what `perform` gave, and throws where the write is refused.
   * Absent where the tool is called by something other than a run.
   */
  write?(write: ToolWrite): Promise<Json>
  /**
   * Turns texts into vectors as an effect of its own (kind `embed`), which passes the gate, is paid from the budget and is recorded; it throws where it is
   * refused. Absent where the tool is called by something other than a run.
   */
  embed?(request: ToolEmbed): Promise<readonly (readonly number[])[]>
  /** What the input was made from. */
  readonly labels?: readonly Label[] | undefined
  /** Says what the result is made from, beside the input and what the tool itself is known for: a store knows it of each value. */
  addLabels?(labels: readonly Label[]): void
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** The value of a named secret, for use inside this call only. */
  secrets?(name: string): Promise<string>
}

export interface ToolRetry {
  /** Attempts in all, the first included. */
  readonly attempts: number
  /** Wait before the second attempt; it doubles from there on. */
  readonly backoffMs: number
  /** Which errors are worth another attempt; all that are not fatal when absent. */
  retriable?(error: unknown): boolean
}

/** After a crash between start and end: what the outside world says about that call. */
type Reconciled =
  | { readonly status: 'done'; readonly value: unknown }
  | { readonly status: 'not-done' }
  | { readonly status: 'unknown' }

/** An effect of another kind that a call of a tool is carried out as. */
export interface StandIn {
  readonly kind: 'question' | 'sleep'
  readonly input: Json
  /** What the answer to the question becomes as the result of the call; throws where it does not fit. Without it, the answer is the result. */
  readonly answered?: ((answer: Json) => unknown) | undefined
}

/** The one shape of a tool inside; `defineTool` makes it of every shape that is accepted. Frozen. */
export interface Tool<Name extends string = string, Input = unknown, Output = unknown> {
  readonly name: Name
  /** Only a type: no tool has this member. */
  readonly '~types'?: { readonly input: Input; readonly output: Output } | undefined
  readonly description?: string | undefined
  /** JSON Schema of the input, as models are told. */
  readonly inputSchema: Json
  /** JSON Schema of what `run` gives; it is enforced. */
  readonly outputSchema?: Json | undefined
  /** Checks an input before anything is decided about it. */
  validate(input: Json): ValidationResult | Promise<ValidationResult>
  /** No schema was given: any object is accepted. */
  readonly unvalidated?: boolean | undefined
  readonly risk?: Risk | undefined
  /** What it says of its risk is the word of a stranger: it can raise it, not lower it. */
  readonly isForeign?: boolean | undefined
  /** `false`: needs an explicit grant (network, shell, writes to databases). */
  readonly safeByDefault?: boolean | undefined
  /** Doing it twice with the same idempotency key is the same as doing it once. */
  readonly idempotent?: boolean | undefined
  readonly timeoutMs?: number | undefined
  readonly retry?: ToolRetry | undefined
  /** Whether this error ends the run instead of going back to the model. */
  fatal?(error: unknown): boolean
  readonly maxResultBytes?: number | undefined
  /** Put on whatever the tool gives. */
  readonly labels?: readonly Label[] | undefined
  /** Personal data that the tool needs as it is, where a vault has it: `pii:email`, `pii:*`. Secrets only a mandate can give. */
  readonly reveals?: readonly Label[] | undefined
  reconcile?(input: Json, ctx: ToolContext): Promise<Reconciled>
  readonly needsApproval?: boolean | ((input: Json) => boolean) | undefined
  /**
   * The call is a question to a person, or a wait, instead of something that `run` does: what it is, from a valid input and the time of the
   * mind. Nothing: it is a call of the tool after all.
   */
  standsFor?(input: Json, now: number): StandIn | undefined
  /** What a model reads instead of the result; listeners, reports and clients get the result. */
  show?(call: { readonly toolCallId: string; readonly input: Json; readonly output: unknown }): unknown
  /** Does it. Gives a value, a promise of one, or an async iterable whose items are progress and whose last item (or returned value) is the result. */
  run(input: Json, ctx: ToolContext): unknown
}
