export { FORK_OPTIONS } from './history/fork.ts'
export { auditStore } from './history/audit.ts'
export type { AuditOptions, AuditReport, BlockedCall, Incident } from './history/audit.ts'
export type { AnswerReceipt } from './inbox/run-control.ts'
export { childId } from './nested/child-id.ts'
export { DivergedError } from './mind/divergence.ts'
export type { Difference } from './mind/divergence.ts'
export type { Engine, EngineHost } from './kernel/engine.ts'
export type { KernelResumeOptions } from './inbox/budget-change.ts'
export type { ForkOptions } from './history/fork.ts'
export type { FuelTap } from './mind/fuel.ts'
export type { ApprovalHandler, ApprovalRequest, ApprovalResponse, KernelHost } from './kernel/host.ts'
export { Kernel } from './kernel/kernel.ts'
export type { KernelOptions, RunHandle } from './kernel/kernel.ts'
export { kernelOf, ownKernel } from './kernel/kernel-owner.ts'
export { deterministicRandom } from './lifecycle/create-run.ts'
export { PROTOCOL } from './lifecycle/pins.ts'
export type { RunSpec } from './lifecycle/create-run.ts'
export { localEngine } from './kernel/local-engine.ts'
export { MindStop } from './mind/mind.ts'
export type { Mind, RunContext } from './mind/mind.ts'
export type {
  Parked,
  PerformCall,
  Performed,
  Performer,
  PerformerRun,
  Reconciliation,
  RetryDecision,
} from './performers/performer.ts'
export type { DataInput } from './performers/data.ts'
export type { ToolCarry } from './performers/tool.ts'
export { Registry } from './kernel/registry.ts'
export type { ReplayReport } from './history/replay.ts'
export type { Embedded } from './performers/embed.ts'
export type { Resources } from './kernel/resources.ts'
export type { RunOutcome } from './lifecycle/run-outcome.ts'
export { isWithheld } from './mind/shown-labels.ts'
export type { VaultSource } from './vault/vault.ts'
export type { InboxOptions, InboxPage, UnreadableRun } from './inbox/open-requests.ts'
export type { RuleApproval, RuleApprovalFilter } from './approvals/rule-approvals.ts'
export type { ServiceJournal, ServiceNote } from './approvals/service-journal.ts'
