// What `mandate/tool` offers: tools and their registry.
export { defineTool, toolRegistry, toolsFrom } from './index.ts'
export type { Risk, Skill, Tool, ToolContext, ToolPack } from './index.ts'
