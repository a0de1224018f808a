// Public API of `mandate/tool`: tools and their registry.
export { askUser, defineTool, sleep, toolRegistry, toolsFrom, waitUntil } from './index.ts'
export type { Risk, Skill, Tool, ToolContext, ToolPack } from './index.ts'
