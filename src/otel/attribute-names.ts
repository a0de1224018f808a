/**
 * The attribute and metric names of the GenAI semantic conventions, as of their revision of 2026-09. They are defined here because the conventions are still
 * in development and no package exports them as stable.
 */
export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  conversation: 'gen_ai.conversation.id',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  workflowName: 'gen_ai.workflow.name',
  toolName: 'gen_ai.tool.name',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  outputMessages: 'gen_ai.output.messages',
  tokenType: 'gen_ai.token.type',
  errorType: 'error.type',
} as const

/** Metric names of the GenAI semantic conventions. */
export const METRIC = {
  duration: 'gen_ai.client.operation.duration',
  tokens: 'gen_ai.client.token.usage',
  firstChunk: 'gen_ai.client.operation.time_to_first_chunk',
} as const

/** Attributes that are specific to Mandate and not part of the conventions. */
export const MANDATE = {
  run: 'mandate.run.id',
  parentRun: 'mandate.run.parent',
  runState: 'mandate.run.state',
  effectKind: 'mandate.effect.kind',
  effectKey: 'mandate.effect.key',
  outcome: 'mandate.effect.outcome',
  rule: 'mandate.decision.rule',
  verdict: 'mandate.decision.verdict',
  risk: 'mandate.decision.risk',
  money: 'mandate.usage.money',
  /** Set where tokens and money are estimated, because the provider did not report them. */
  estimated: 'mandate.usage.estimated',
  identity: 'mandate.identity.id',
} as const
