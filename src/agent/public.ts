// What `mandate` offers: agents, services and tools.
export {
  Agent,
  AgentService,
  appendSystemPrompt,
  composeHooks,
  defineAgentType,
  defineService,
  mandateMiddleware,
  planSteps,
  withSettings,
} from './index.ts'
export type {
  ActionResult,
  AgentConfig,
  AgentResult,
  AgentRun,
  AgentRunContext,
  AgentRunHook,
  AgentSession,
  AgentStatus,
  AgentType,
  ApproveOptions,
  CodeMode,
  MiddlewareOptions,
  PendingCall,
  PlanStep,
  Planner,
  Prompt,
  Reflection,
  Reflector,
  ResumeOptions,
  RunOptions,
  Runner,
  Schedule,
  ServiceAs,
  ServiceOptions,
  ToolExecutor,
} from './index.ts'
export { MandateError, providePackages } from '../core/index.ts'
export type { BudgetLimits, ErrorCode, Json, JsonObject, Label, LabelMap, Outcome, RunLimits } from '../core/index.ts'
export type { MandateEvent } from '../journal/index.ts'
export type { StopReport } from '../run/index.ts'
export { definePack, defineTool, parseSkill } from '../tool/index.ts'
