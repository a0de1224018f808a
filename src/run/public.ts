// What `mandate/run` offers: approvals, audit, replay and forks.
export { DivergedError, auditStore } from './index.ts'
export type {
  ApprovalHandler,
  ApprovalRequest,
  ApprovalResponse,
  AuditReport,
  ForkOptions,
  ReplayReport,
  RunOutcome,
} from './index.ts'
