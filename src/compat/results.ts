import type { AgentResult, AgentStatus, Phase } from '../agent/index.ts'
import type { Message } from '../model/index.ts'

/** The result of a turn, as loops know it that report what they spent and which tools they used. */
export interface TurnResult {
  readonly status: AgentStatus
  readonly text: string
  /** The names of the tools that were called, each once, in the order of their first calls. */
  readonly toolsUsed: string[]
  readonly tokenUsage: { readonly inputTokens: number; readonly outputTokens: number }
  readonly phase: Phase
}

/** The result of a chat turn: the answer, and the messages with calls and results on the way to it. */
export interface AgentChatResult {
  readonly assistantMessage: Message | null
  readonly intermediateMessages: Message[]
}

/**
 * A result as a `TurnResult`.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { turnResult } from 'mandate/compat'
 * import { scripted } from 'mandate/model'
 * const agent = new Agent({ id: 'greeter', model: scripted(['Hello.']) })
 * const { text, toolsUsed } = turnResult(await agent.run('Greet me.'))
 * ```
 */
export function turnResult(result: AgentResult): TurnResult {
  const { status, text, phase, usage, actions } = result
  return {
    status,
    text,
    toolsUsed: [...new Set(actions.map(({ toolId }) => toolId))],
    tokenUsage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
    phase,
  }
}

/**
 * A result as an `AgentChatResult`.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { agentChatResult } from 'mandate/compat'
 * import { scripted, textOf } from 'mandate/model'
 * const agent = new Agent({ id: 'greeter', model: scripted(['Hello.']) })
 * const { assistantMessage } = agentChatResult(await agent.run('Greet me.'))
 * if (assistantMessage !== null) textOf(assistantMessage) // 'Hello.'
 * ```
 */
export function agentChatResult({ assistantMessage, intermediateMessages }: AgentResult): AgentChatResult {
  return { assistantMessage, intermediateMessages }
}
