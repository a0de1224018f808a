export { Agent } from './agent.ts'
export type { AgentEvent, AgentEventListener, AgentEventName } from './session/agent-events.ts'
export { AgentRun } from './session/agent-run.ts'
export { defineAgentType } from './config/agent-type.ts'
export type { AgentType } from './config/agent-type.ts'
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
export { mandateMiddleware } from './ai-sdk/middleware/middleware.ts'
export type { MandateMiddleware, MiddlewareOptions } from './ai-sdk/middleware/middleware-shapes.ts'
export type { AiSdkContent, AiSdkStreamPart, AiSdkUsage } from './ai-sdk/part-shapes.ts'
export type { AgentConfig, AgentSpec, Hydration, PromptRef } from './config/config-types.ts'
export { conversationOf } from './transcript/conversation.ts'
export { appendSystemPrompt, composeHooks } from './config/hooks.ts'
export type { AgentRunContext, AgentRunHook } from './config/hooks.ts'
export type { OnDemandAgent, OnDemandOptions } from './service/temporary-agents.ts'
export type { AgentStatus } from './output/output-types.ts'
export { PhaseMachine } from './session/phase.ts'
export type { Phase } from './session/phase.ts'
export { agentResult, resultJson } from './output/result.ts'
export type {
  ActionRecord,
  AgentResult,
  ModelCall,
  PendingCall,
  Provenance,
  ResultMetrics,
  RunReport,
} from './output/result-types.ts'
export type { Prompt, ResumeOptions, RunCallbacks, RunOptions, StepInfo } from './session/run-options.ts'
export type { RunFile } from './session/run-files.ts'
export { definitionOf } from './config/agent-definition.ts'
export { defineService } from './service/define-service.ts'
export { AgentService } from './service/service.ts'
export { ServiceAs } from './service/service-as.ts'
export type { ApproveOptions, Health, ServiceOptions } from './service/service-options.ts'
export { AgentSession } from './session/session.ts'
export type { SessionOptions, SessionRunOptions } from './session/session.ts'
export { budgetFrom, settingsFrom } from './config/settings.ts'
export { withSettings } from './config/with-settings.ts'
export type { Settings } from './config/settings.ts'
export { planSteps } from './config/strategies.ts'
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
} from './config/strategies.ts'
export type { HistoryWindow } from './transcript/history-window.ts'
export {
  EventBus,
  MandateError,
  canonical,
  checkId,
  manualClock,
  newId,
  seededRandom,
  sha256,
  systemClock,
  systemRandom,
} from '../core/index.ts'
export { composeRedactors, noRedaction, redactJson, SECRET_FORMATS, secretRedactor, secret } from '../redact/index.ts'
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
  Outcome,
  Random,
  RunLimits,
} from '../core/index.ts'
export type {
  PiiKind,
  RedactedStream,
  Redactor,
  SecretRedactorOptions,
  SecretHandle,
  SecretSource,
  TokenKeeper,
  VaultKeys,
} from '../redact/index.ts'
export { kernelOf } from '../run/index.ts'
export { definePack, defineTool, parseSkill } from '../tool/index.ts'
export type { PackManifest, Skill, ToolPack } from '../tool/index.ts'
export type { MandateEvent } from '../journal/index.ts'
export { Schedules } from './schedule/schedules.ts'
export type { Schedule, ScheduleInfo } from './schedule/schedule-types.ts'
