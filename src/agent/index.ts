export { Agent } from './agent.ts'
export { AgentRun } from './session/agent-run.ts'
export { defineAgentType } from './config/agent-type.ts'
export type { AgentType } from './config/agent-type.ts'
export { mandateMiddleware } from './ai-sdk/middleware/middleware.ts'
export type { MiddlewareOptions } from './ai-sdk/middleware/middleware-shapes.ts'
export type { AgentConfig, AgentSpec } from './config/config-types.ts'
export { intentOf, readIntents } from './transcript/attach-intents.ts'
export { toolResult } from './transcript/transcript.ts'
export { agentHostOf } from './loop/agent-host.ts'
export { agentMind } from './loop/agent-mind.ts'
export { readConfig } from './config/config.ts'
export { appendSystemPrompt, composeHooks } from './config/hooks.ts'
export type { AgentRunContext, AgentRunHook } from './config/hooks.ts'
export type { AgentStatus } from './output/output-types.ts'
export type { Phase } from './session/phase.ts'
export { resultJson } from './output/result.ts'
export type { AgentResult, PendingCall, RunReport } from './output/result-types.ts'
export type { Prompt, ResumeOptions, RunOptions } from './session/run-options.ts'
export type { RunFile } from './session/run-files.ts'
export { definitionOf } from './config/agent-definition.ts'
export { defineService } from './service/define-service.ts'
export { AgentService } from './service/service.ts'
export { ServiceAs } from './service/service-as.ts'
export type { ApproveOptions, ServiceOptions } from './service/service-options.ts'
export { AgentSession } from './session/session.ts'
export { budgetFrom, settingsFrom } from './config/settings.ts'
export { withSettings } from './config/with-settings.ts'
export type { Settings } from './config/settings.ts'
export { planSteps } from './config/strategies.ts'
export type {
  ActionResult,
  PlanStep,
  Planner,
  Reflection,
  Reflector,
  Runner,
  ToolExecutor,
} from './config/strategies.ts'
export { kernelOf } from '../run/index.ts'
export type { Schedule, ScheduleInfo } from './schedule/schedule-types.ts'
export { newCodeMode } from './config/code-mode.ts'
export type { CellCall, CellHandling, CellReport, CodeMode, CodeScene } from './config/code-mode.ts'
