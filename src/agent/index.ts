export { Agent } from './agent.ts'
export type { AgentEventListener, AgentEventName } from './agent-events.ts'
export { AgentRun } from './agent-run.ts'
export { defineAgentType } from './agent-type.ts'
export type { AgentType } from './agent-type.ts'
export type {
  AgentCall,
  AgentCallOptions,
  AiSdkGenerated,
  AiSdkMessage,
  AiSdkResponse,
  AiSdkResponseMessage,
  AiSdkStep,
  AiSdkStreamed,
  AiSdkTool,
  AiSdkToolSet,
} from './ai-sdk/agent-shapes.ts'
export { mandateMiddleware } from './ai-sdk/middleware.ts'
export type { MandateMiddleware, MiddlewareOptions } from './ai-sdk/middleware-shapes.ts'
export type { AiSdkContent, AiSdkStreamPart, AiSdkUsage } from './ai-sdk/part-shapes.ts'
export type { AgentConfig, AgentSpec, Hydration, PromptRef } from './config-types.ts'
export { conversationOf } from './conversation.ts'
export { appendSystemPrompt, composeHooks } from './hooks.ts'
export type { AgentRunContext, AgentRunHook } from './hooks.ts'
export type { OnDemandAgent, OnDemandOptions } from './on-demand.ts'
export type { AgentStatus } from './output-types.ts'
export { PhaseMachine } from './phase.ts'
export type { Phase } from './phase.ts'
export { agentResult, resultJson } from './result.ts'
export type { ActionRecord, AgentResult, ModelCall, Provenance, ResultMetrics, ResultUsage } from './result-types.ts'
export type { Prompt, ResumeOptions, RunCallbacks, RunOptions, StepInfo } from './run-options.ts'
export { defineService } from './define-service.ts'
export { AgentService } from './service.ts'
export type { ApproveOptions, Health, ServiceOptions } from './service-options.ts'
export { AgentSession } from './session.ts'
export type { SessionOptions, SessionRunOptions } from './session.ts'
export { settingsFrom } from './settings.ts'
export type { Settings } from './settings.ts'
export { planSteps } from './strategies.ts'
export type {
  ActionResult,
  ExecutionContext,
  PlanStep,
  Planner,
  PlannerState,
  Reflection,
  Reflector,
  Runner,
  ToolExecutor,
} from './strategies.ts'
export type { HistoryWindow } from './window.ts'
export {
  EventBus,
  MandateError,
  canonical,
  checkId,
  manualClock,
  newId,
  composeRedactors,
  noRedaction,
  redactJson,
  SECRET_FORMATS,
  secretRedactor,
  secret,
  seededRandom,
  sha256,
  systemClock,
  systemRandom,
} from '../core/index.ts'
export type {
  BudgetLimits,
  Clock,
  EffectLabels,
  ErrorCode,
  EventSink,
  Json,
  JsonObject,
  Label,
  LabelMap,
  MandateEvent,
  Outcome,
  Random,
  PiiKind,
  RedactedStream,
  Redactor,
  SecretRedactorOptions,
  RunLimits,
  SecretHandle,
  SecretSource,
  TokenKeeper,
  VaultKeys,
} from '../core/index.ts'
export { definePack, defineTool, parseSkill } from '../tool/index.ts'
export type { PackManifest, Skill, ToolPack } from '../tool/index.ts'
