import type { Attributes } from './api.ts'
import type { EffectEndData, EffectStartData } from '../journal/index.ts'
import { GEN_AI, MANDATE } from './attribute-names.ts'
import { defined } from './defined.ts'

/** Returns the GenAI operation name of an effect kind, or the kind itself when the conventions define none. */
function operationOf(kind: EffectStartData['kind']): string {
  switch (kind) {
    case 'model':
      return 'chat'
    case 'tool':
      return 'execute_tool'
    case 'embed':
      return 'embeddings'
    case 'agent':
      return 'invoke_agent'
    case 'program':
    case 'cell':
    case 'graph':
      return 'invoke_workflow'
    default:
      return kind
  }
}

/** Returns the span name of an effect, such as `chat openai/gpt-5` or `execute_tool search`. */
export function nameOfEffect({ kind, name }: Pick<EffectStartData, 'kind' | 'name'>): string {
  return `${operationOf(kind)} ${name}`
}

export function startAttributes(data: EffectStartData, key: string, content: boolean): Attributes {
  const { kind, name, decision, input } = data
  const isModel = kind === 'model' || kind === 'embed'
  return defined({
    [GEN_AI.operation]: operationOf(kind),
    [GEN_AI.requestModel]: isModel ? name : undefined,
    [GEN_AI.toolName]: kind === 'tool' ? name : undefined,
    [GEN_AI.toolArguments]: content && kind === 'tool' ? JSON.stringify(input) : undefined,
    [MANDATE.effectKind]: kind,
    [MANDATE.effectKey]: key,
    [MANDATE.verdict]: decision.verdict,
    [MANDATE.rule]: decision.rule,
    [MANDATE.risk]: decision.risk,
  })
}

interface Performed {
  readonly provider?: string
  readonly model?: string
  readonly responseId?: string
  readonly finishReason?: string
}

export function endAttributes({ outcome, spent, meta }: EffectEndData, content: boolean): Attributes {
  const { provider, model, responseId, finishReason } = performedBy(meta)
  const isModel = (spent.modelCalls ?? 0) > 0
  const value = content && outcome.status === 'ok' ? JSON.stringify(outcome.value) : undefined
  return defined({
    [GEN_AI.provider]: provider,
    [GEN_AI.responseModel]: model,
    [GEN_AI.responseId]: responseId,
    [GEN_AI.finishReasons]: finishReason === undefined ? undefined : [finishReason],
    [GEN_AI.inputTokens]: spent.inputTokens,
    [GEN_AI.outputTokens]: spent.outputTokens,
    [GEN_AI.outputMessages]: isModel ? value : undefined,
    [GEN_AI.toolResult]: (spent.toolCalls ?? 0) > 0 ? value : undefined,
    [MANDATE.outcome]: outcome.status,
    [MANDATE.money]: spent.money,
    [MANDATE.estimated]: spent.estimated,
    [GEN_AI.errorType]: outcome.status === 'failed' ? outcome.error.code : undefined,
  })
}

/** Returns the provider, model and response details that the end of an effect recorded. */
export function performedBy(meta: EffectEndData['meta']): Performed {
  const { performed = {} } = (meta ?? {}) as { readonly performed?: Performed }
  return performed
}
