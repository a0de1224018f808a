import type { Json } from '../../core/index.ts'
import type { Message, Model } from '../../model/index.ts'
import type { Tool, ToolRegistry } from '../../tool/index.ts'

/** The settings that a hook may change before the first model call. */
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
 * Runs before the first turn, in order. Its first decision is journaled and final; it runs again whenever the run is resumed or replayed, because it
 * may provide live objects, so it should have no other side effects.
 */
export type AgentRunHook = (context: AgentRunContext) => void | Promise<void>

/**
 * Combines several hooks into one that runs them in order.
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

/** A hook that appends a paragraph to the system prompt. */
export function appendSystemPrompt(text: string): AgentRunHook {
  return (context) => {
    context.systemPrompt = context.systemPrompt === '' ? text : `${context.systemPrompt}\n\n${text}`
  }
}
