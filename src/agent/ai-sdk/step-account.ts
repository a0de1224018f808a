import type { EffectEndData } from '../../journal/index.ts'
import type { ModelReply, TokenUsage } from '../../model/index.ts'
import type { AiSdkFinishReason, AiSdkFinishStep, AiSdkStreamPart } from './part-shapes.ts'
import { aiSdkUsage, sumUsage } from './usage.ts'

interface Reply {
  readonly key: string
  readonly reply: ModelReply
  readonly at: number
  readonly durationMs: number
  readonly model: string
}

/** Tracks the steps of a run: when they start and end, their usage, and why they ended. */
export class StepAccount {
  readonly #runId: string
  readonly #usages: TokenUsage[] = []
  #startedAt: number | undefined
  #replies: Reply[] = []
  #toolMs: Record<string, number> = {}
  #reason: AiSdkFinishReason = 'other'
  #hasSteps = false

  constructor(runId: string) {
    this.#runId = runId
  }

  /** Whether a step has started. */
  get hasSteps(): boolean {
    return this.#hasSteps
  }

  /** The finish reason of the last answer. */
  get reason(): AiSdkFinishReason {
    return this.#reason
  }

  get total(): TokenUsage {
    return sumUsage(this.#usages)
  }

  start(at: number): AiSdkStreamPart[] {
    const before = this.end(at)
    this.#startedAt = at
    this.#hasSteps = true
    return [...before, { type: 'start-step', request: {}, warnings: [] }]
  }

  reply(key: string, reply: ModelReply, { durationMs, meta }: EffectEndData, at: number): void {
    this.#reason = reply.finishReason
    const { performed } = (meta ?? {}) as { performed?: { model?: string } }
    this.#replies.push({ key, reply, at, durationMs, model: performed?.model ?? '' })
    this.#usages.push(reply.usage)
  }

  tool(toolCallId: string, durationMs: number): void {
    this.#toolMs[toolCallId] = durationMs
  }

  /** Ends the current step, if there is one. A resumed run continues in the middle of a step whose end the client has already received. */
  end(at: number): AiSdkStreamPart[] {
    const startedAt = this.#startedAt
    if (startedAt === undefined) return []
    const usage = sumUsage(this.#replies.map(({ reply }) => reply.usage))
    const responseMs = this.#replies.reduce((sum, { durationMs }) => sum + durationMs, 0)
    const last = this.#replies.at(-1)
    const part: AiSdkFinishStep = {
      type: 'finish-step',
      response: this.#response(last, startedAt),
      usage: aiSdkUsage(usage),
      performance: {
        effectiveOutputTokensPerSecond: perSecond(usage.outputTokens, responseMs),
        effectiveTotalTokensPerSecond: perSecond(usage.totalTokens, responseMs),
        outputTokensPerSecond: undefined,
        inputTokensPerSecond: undefined,
        timeToFirstOutputMs: undefined,
        stepTimeMs: Math.max(0, at - startedAt),
        responseTimeMs: responseMs,
        toolExecutionMs: this.#toolMs,
      },
      finishReason: last === undefined ? 'other' : this.#reason,
      rawFinishReason: undefined,
      providerMetadata: last?.reply.providerMetadata,
    }
    this.#startedAt = undefined
    this.#replies = []
    this.#toolMs = {}
    return [part]
  }

  #response(last: Reply | undefined, startedAt: number): AiSdkFinishStep['response'] {
    const told = (last?.reply.providerMetadata?.['response'] ?? {}) as {
      id?: string
      modelId?: string
      timestamp?: string
    }
    return {
      id: told.id ?? `${this.#runId}/${last?.key ?? 'step'}`,
      modelId: told.modelId ?? last?.model ?? '',
      timestamp: new Date(told.timestamp ?? last?.at ?? startedAt),
    }
  }
}

function perSecond(tokens: number, ms: number): number {
  return ms === 0 ? 0 : (tokens * 1_000) / ms
}
