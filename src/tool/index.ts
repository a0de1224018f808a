export { defineTool, isTool, specOf, toolFrom, toolsFrom } from './define-tool.ts'
export type { DefineOptions, OtherTool, ToolDefinition } from './define-tool.ts'
export type { ToolFacts } from './facts.ts'
export type { SchemaInput, SchemaOutput } from './types/schema-types.ts'
export { jsonSchemaCheck } from './json-schema/json-schema.ts'
export { describeIssues } from './json-schema/issue-text.ts'
export { isConnectorResult } from './outcome-shapes.ts'
export type { ConnectorResult } from './outcome-shapes.ts'
export { definePack } from './pack.ts'
export type { PackDefinition, PackManifest, ToolPack } from './pack.ts'
export { toolRegistry } from './registry.ts'
export type { RegisterOptions, ToolRegistry } from './registry.ts'
export { capResult } from './results/capped-result.ts'
export { jsonBytes } from './results/json-bytes.ts'
export { settleResult } from './result.ts'
export type { CappedResult } from './result.ts'
export { convertSchema } from './libraries/converted-schema.ts'
export { readSchema } from './schema.ts'
export type { ReadSchema } from './schema.ts'
export { checkToolName } from './shape.ts'
export { SKILL_TOOL, parseSkill, skillTool } from './skill.ts'
export type { Skill } from './skill.ts'
export type { StandardSchema } from './standard-schema.ts'
export { RISKS } from './tool.ts'
export type { AnyTools, ToolLike, ToolList, ToolTypes, ToolTypesOf } from './types/tool-types.ts'
export type {
  Reconciled,
  Risk,
  StandIn,
  Tool,
  ToolContext,
  ToolIdentity,
  ToolMemory,
  ToolEmbed,
  ToolWrite,
  ToolRetry,
  ValidationIssue,
  ValidationResult,
} from './tool.ts'
export { definitionHash } from './facts.ts'
export { askUser } from './ready/ask-user.ts'
export type { AskUserOptions } from './ready/ask-user.ts'
export { sleep, waitUntil } from './ready/sleep.ts'
export type { SleepOptions } from './ready/sleep.ts'
