import type { BudgetLimits, Clock, RunLimits, FieldNames } from '../../../core/index.ts'
import type { Mandate } from '../../../gate/index.ts'
import type { Identity, Journal } from '../../../journal/index.ts'
import type { AiSdkLanguageModel, Cassette, PriceTable } from '../../../model/index.ts'
import type { ApprovalHandler } from '../../../run/index.ts'

/** What `mandateMiddleware` puts around the calls of an AI SDK model. */
export interface MiddlewareOptions {
  /** Which models may be called, and what rules hold for it. */
  readonly mandate?: Mandate | undefined
  /** What all calls together may spend. */
  readonly budget?: BudgetLimits | undefined
  /** The built-in table when absent. With a limit on money, a model without a price is refused. */
  readonly prices?: PriceTable | undefined
  /** Where calls are written down; in memory when absent. */
  readonly journal?: Journal | undefined
  /** Records answers, or plays them back; the gate and the budget see them all the same. */
  readonly cassette?: Cassette | undefined
  readonly identity?: Identity | undefined
  /** Answers when a rule says `ask`. Without it such a call is refused: an external loop cannot be suspended. */
  readonly onApproval?: ApprovalHandler | undefined
  /** Sent along where tokens or money are limited and the call does not say how much may be written; as `maxTokens` of an agent when absent. */
  readonly maxOutputTokens?: number | undefined
  readonly runId?: string | undefined
  readonly sessionId?: string | undefined
  readonly clock?: Clock | undefined
  readonly limits?: Partial<RunLimits> | undefined
}

export const MIDDLEWARE_OPTIONS: FieldNames<MiddlewareOptions> = {
  mandate: true,
  budget: true,
  prices: true,
  journal: true,
  cassette: true,
  identity: true,
  onApproval: true,
  maxOutputTokens: true,
  runId: true,
  sessionId: true,
  clock: true,
  limits: true,
}

/** What a model of the AI SDK is asked, loosely: patches of the specification add to it. */
export interface CallParams {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[]
  readonly maxOutputTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly seed?: number | undefined
  readonly tools?: readonly object[] | undefined
  readonly abortSignal?: AbortSignal | undefined
}

export type ModelNames = Pick<AiSdkLanguageModel, 'specificationVersion' | 'provider' | 'modelId'>

/** What `wrapLanguageModel` takes. Answers pass through unchanged, so their types are whatever the wrapped model's are. */
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
  /** The run in whose journal the calls are; there is none before the first. */
  readonly runId: string | undefined
  /** Ends the run. */
  close(): Promise<void>
}
