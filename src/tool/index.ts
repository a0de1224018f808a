export { RISKS } from './tool.ts'
export type {
  Reconciled,
  Risk,
  Tool,
  ToolContext,
  ToolIdentity,
  ToolMemory,
  ToolRetry,
  ValidationIssue,
  ValidationResult,
} from './tool.ts'
