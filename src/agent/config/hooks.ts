import type { Json } from '../../core/index.ts'
import type { Message, Model } from '../../model/index.ts'
import type { Tool, ToolRegistry } from '../../tool/index.ts'

/** What a hook may change before the first model call. */
export interface AgentRunContext {
  readonly userMessage: string
  readonly history: readonly Message[]
  readonly context: Json
  model: Model | undefined
  tools: readonly Tool[]
  systemPrompt: string
  toolRegistry: ToolRegistry | undefined
}

/**
 * Runs before the first turn, in order. What it decides the first time is journaled and holds; it runs again whenever the run is resumed
 * or replayed, because it may bring live objects, so it should do nothing but decide.
 */
export type AgentRunHook = (context: AgentRunContext) => void | Promise<void>

/**
 * Makes one hook of several, run one after the other.
 *
 * @example
 * ```ts
 * import { appendSystemPrompt, composeHooks } from 'mandate'
 * const hook = composeHooks(appendSystemPrompt('Be brief.'), (run) => void (run.tools = run.tools.slice(0, 5)))
 * ```
 */
export function composeHooks(...hooks: readonly AgentRunHook[]): AgentRunHook {
  return async (context) => {
    for (const hook of hooks) await hook(context)
  }
}

/** A hook that adds a paragraph to the system prompt. */
export function appendSystemPrompt(text: string): AgentRunHook {
  return (context) => {
    context.systemPrompt = context.systemPrompt === '' ? text : `${context.systemPrompt}\n\n${text}`
  }
}
