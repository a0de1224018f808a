import type { BudgetLimits, Clock, RunLimits, FieldNames } from '../../../core/index.ts'
import type { Mandate } from '../../../gate/index.ts'
import type { Identity, Journal } from '../../../journal/index.ts'
import type { AiSdkLanguageModel, Cassette, PriceTable } from '../../../model/index.ts'
import type { ApprovalHandler } from '../../../run/index.ts'

/** Options of `mandateMiddleware`. */
export interface MiddlewareOptions {
  /** Which models may be called, and under which rules. */
  readonly mandate?: Mandate | undefined
  /** The limits of all calls together. */
  readonly budget?: BudgetLimits | undefined
  /** The built-in table by default. Under a limit on money, a model without a price is refused. */
  readonly prices?: PriceTable | undefined
  /** Where calls are journaled; in memory by default. */
  readonly journal?: Journal | undefined
  /** Records answers, or plays them back; gate and budget apply either way. */
  readonly cassette?: Cassette | undefined
  readonly identity?: Identity | undefined
  /** Answers approvals when the verdict of a rule is `ask`. Without it such a call is refused: an external loop cannot be suspended. */
  readonly onApproval?: ApprovalHandler | undefined
  /** The output limit of calls without one, where tokens or money are limited; by default that of an agent's `maxTokens`. */
  readonly maxOutputTokens?: number | undefined
  readonly runId?: string | undefined
  readonly sessionId?: string | undefined
  readonly clock?: Clock | undefined
  readonly limits?: Partial<RunLimits> | undefined
}

export const MIDDLEWARE_OPTIONS: FieldNames<MiddlewareOptions> = {
  mandate: 'object',
  budget: 'object',
  prices: 'object',
  journal: 'object',
  cassette: 'object',
  identity: 'object',
  onApproval: 'function',
  maxOutputTokens: 'number',
  runId: 'text',
  sessionId: 'text',
  clock: 'object',
  limits: 'object',
}

/** The parameters of an AI SDK model call, typed loosely because patch releases of the specification add members. */
export interface CallParams {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[]
  readonly maxOutputTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly seed?: number | undefined
  readonly tools?: readonly object[] | undefined
  readonly abortSignal?: AbortSignal | undefined
}

export type ModelNames = Pick<AiSdkLanguageModel, 'specificationVersion' | 'provider' | 'modelId'>

/** The middleware for `wrapLanguageModel`. Answers pass through unchanged, so their types are those of the wrapped model. */
export interface MandateMiddleware {
  readonly specificationVersion: 'v4'
  transformParams<P extends CallParams>(options: { readonly params: P; readonly model?: ModelNames }): Promise<P>
  wrapGenerate<W extends object>(options: {
    readonly doGenerate: () => PromiseLike<W>
    readonly params: CallParams
    readonly model: ModelNames
  }): Promise<W>
  wrapStream<S extends { stream: ReadableStream<{ type: string }> }>(options: {
    readonly doStream: () => PromiseLike<S>
    readonly params: CallParams
    readonly model: ModelNames
  }): Promise<S>
  /** The run that journals the calls; `undefined` before the first call. */
  readonly runId: string | undefined
  /** Ends the run. */
  close(): Promise<void>
}
