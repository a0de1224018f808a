import { MandateError } from '../../core/index.ts'
import type { AgentResult } from '../output/result-types.ts'
import type { AiSdkGenerated, AiSdkResponseMessage, AiSdkStep } from './agent-shapes.ts'
import type {
  AiSdkContent,
  AiSdkFinishStep,
  AiSdkReasoningContent,
  AiSdkStreamPart,
  AiSdkTextContent,
} from './part-shapes.ts'
import { responseMessages } from './response-messages.ts'
import { aiSdkUsage } from './usage.ts'
import { NO_USAGE } from '../../model/index.ts'

type Block = AiSdkTextContent | AiSdkReasoningContent

/** Folds the parts of a call into its result, step by step. */
export class ResultFold {
  readonly #runId: string
  readonly #steps: AiSdkStep[] = []
  readonly #onStepEnd: ((step: AiSdkStep) => unknown) | undefined
  readonly #blocks = new Map<string, Block>()
  /** Parts before the first step: results of calls that a client has answered. */
  readonly #before: AiSdkContent[] = []
  #content: AiSdkContent[] | undefined
  #total = aiSdkUsage(NO_USAGE)
  #failure: { readonly error: unknown } | undefined

  constructor(runId: string, onStepEnd: ((step: AiSdkStep) => unknown) | undefined) {
    this.#runId = runId
    this.#onStepEnd = onStepEnd
  }

  /** The error in the stream, if there was one. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure
  }

  add(part: AiSdkStreamPart): void {
    const content = this.#content ?? this.#before
    switch (part.type) {
      case 'start-step':
        this.#content = []
        return
      case 'text-start':
      case 'reasoning-start': {
        const block: Block = { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' }
        this.#blocks.set(part.id, block)
        content.push(block)
        return
      }
      case 'text-delta':
      case 'reasoning-delta':
        this.#blocks.get(part.id)!.text += part.text
        return
      case 'text-end':
      case 'reasoning-end':
        if (part.providerMetadata !== undefined) this.#blocks.get(part.id)!.providerMetadata = part.providerMetadata
        return
      case 'finish-step':
        this.#finishStep(part)
        return
      case 'finish':
        this.#total = part.totalUsage
        return
      case 'error':
        // Callers that await the whole result get the work done so far, with the finish reason that the AI SDK uses for it.
        if (!isOutOfTurns(part.error)) this.#failure = { error: part.error }
        return
      case 'start':
      case 'abort':
      case 'tool-output-denied':
        return
      default:
        content.push(part)
    }
  }

  #finishStep(part: AiSdkFinishStep): void {
    const content = this.#content ?? []
    this.#content = undefined
    const step = stepOf(content, part, { callId: this.#runId, stepNumber: this.#steps.length })
    this.#steps.push(step)
    if (this.#onStepEnd === undefined) return
    try {
      const told = this.#onStepEnd(step)
      if (told instanceof Promise) told.catch(() => {})
    } catch {
      // An error of a listener does not fail the run.
    }
  }

  /** The result of the call. */
  end(result: AgentResult): AiSdkGenerated {
    const steps = this.#steps
    const none = stepOf([], NO_STEP, { callId: this.#runId, stepNumber: 0 })
    const finalStep = steps.at(-1) ?? none
    const content = [...this.#before, ...steps.flatMap((step) => step.content)]
    const { callId: _callId, stepNumber: _number, model: _model, performance: _performance, ...last } = finalStep
    const { toolsContext: _tools, runtimeContext: _runtime, ...rest } = last
    const messages = [...responseMessages(this.#before), ...steps.flatMap((step) => responseMessages(step.content))]
    return {
      ...rest,
      content,
      ...callsIn(content),
      files: steps.flatMap((step) => step.files),
      usage: this.#total,
      totalUsage: this.#total,
      response: { ...finalStep.response, messages },
      responseMessages: messages,
      steps,
      finalStep,
      runId: this.#runId,
      result,
      output: result.result as never,
    }
  }
}

const NO_STEP: AiSdkFinishStep = {
  type: 'finish-step',
  response: { id: '', timestamp: new Date(0), modelId: '' },
  usage: aiSdkUsage(NO_USAGE),
  performance: {
    effectiveOutputTokensPerSecond: 0,
    outputTokensPerSecond: undefined,
    inputTokensPerSecond: undefined,
    effectiveTotalTokensPerSecond: 0,
    stepTimeMs: 0,
    responseTimeMs: 0,
    toolExecutionMs: {},
    timeToFirstOutputMs: undefined,
  },
  finishReason: 'other',
  rawFinishReason: undefined,
  providerMetadata: undefined,
}

function stepOf(
  content: AiSdkContent[],
  part: AiSdkFinishStep,
  at: Pick<AiSdkStep, 'callId' | 'stepNumber'>,
): AiSdkStep {
  const { response, usage, performance, finishReason, rawFinishReason, providerMetadata } = part
  const reasoning = content.filter((one): one is AiSdkReasoningContent => one.type === 'reasoning')
  const messages: AiSdkResponseMessage[] = responseMessages(content)
  const slash = response.modelId.indexOf('/')
  return {
    ...at,
    model: { provider: response.modelId.slice(0, Math.max(0, slash)), modelId: response.modelId.slice(slash + 1) },
    toolsContext: {},
    runtimeContext: {},
    content,
    text: content.map((one) => (one.type === 'text' ? one.text : '')).join(''),
    reasoning,
    reasoningText: reasoning.length === 0 ? undefined : reasoning.map(({ text }) => text).join(''),
    files: content.flatMap((one) => (one.type === 'file' ? [one.file] : [])),
    sources: [],
    ...callsIn(content),
    finishReason,
    rawFinishReason,
    usage,
    performance,
    warnings: [],
    request: {},
    response: { ...response, messages },
    providerMetadata,
  }
}

type Calls = Pick<
  AiSdkStep,
  'toolCalls' | 'staticToolCalls' | 'dynamicToolCalls' | 'toolResults' | 'staticToolResults' | 'dynamicToolResults'
>

function callsIn(content: readonly AiSdkContent[]): Calls {
  const toolCalls = content.filter((one) => one.type === 'tool-call')
  const toolResults = content.filter((one) => one.type === 'tool-result')
  return {
    toolCalls,
    staticToolCalls: toolCalls.filter((one) => one.dynamic !== true),
    dynamicToolCalls: toolCalls.filter((one) => one.dynamic === true),
    toolResults,
    staticToolResults: toolResults.filter((one) => one.dynamic !== true),
    dynamicToolResults: toolResults.filter((one) => one.dynamic === true),
  }
}

function isOutOfTurns(error: unknown): boolean {
  return MandateError.isInstance(error) && error.code === 'STEPS_EXHAUSTED'
}
