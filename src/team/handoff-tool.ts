import type { AgentConfig, Reflector } from '../agent/index.ts'
import type { Message } from '../model/index.ts'
import { defineTool } from '../tool/index.ts'
import type { Tool } from '../tool/index.ts'

/** The tool with which an agent hands the conversation over to another one. */
const HANDOFF_TOOL = 'hand_off'

interface Target {
  readonly id: string
  readonly description: string
}

function handoffTool(targets: readonly Target[]): Tool {
  const list = targets.map(({ id, description }) => (description === '' ? `- ${id}` : `- ${id}: ${description}`))
  return defineTool({
    name: HANDOFF_TOOL,
    description: `Gives the conversation to another agent, which answers the user from now on:\n${list.join('\n')}`,
    inputSchema: {
      type: 'object',
      properties: {
        agent: { type: 'string', enum: targets.map(({ id }) => id) },
        reason: { type: 'string', description: 'Why, and what the other has to know.' },
      },
      required: ['agent'],
      additionalProperties: false,
    } as const,
    risk: 'read',
    idempotent: true,
    takesTokens: true,
    run: ({ agent }) => `"${agent}" has the conversation now.`,
  })
}

/** Returns an agent that can hand over to others: it has the tool, and its run ends when the tool was called. */
export function withHandoffs(config: AgentConfig, targets: readonly Target[]): AgentConfig {
  if (targets.length === 0) return config
  const { tools = [], reflector } = config
  const tool = handoffTool(targets)
  return {
    ...config,
    tools: Array.isArray(tools)
      ? [...(tools as readonly Tool[]), tool]
      : Object.assign({}, tools, { [HANDOFF_TOOL]: tool }),
    reflector: endingWithHandoff(reflector),
  }
}

function endingWithHandoff(inner: Reflector | undefined): Reflector {
  return {
    reflect: (state) => {
      const isHanded = state.lastActions.some(({ toolId, ok }) => toolId === HANDOFF_TOOL && ok)
      return isHanded ? { done: true, result: null } : inner?.reflect(state)
    },
  }
}

/** Returns the target of the last handoff in a conversation; of several calls in one reply, the first that succeeded. */
export function handedTo(messages: readonly Message[]): string | undefined {
  for (let at = messages.length - 1; at > 0; at--) {
    const good = messages[at]!.content.flatMap((part) =>
      part.type === 'tool-result' && part.name === HANDOFF_TOOL && part.status === 'ok' ? [part.toolCallId] : [],
    )
    for (const id of good) {
      const call = messages[at - 1]!.content.find((part) => part.type === 'tool-call' && part.toolCallId === id)
      const { agent } = ((call as { readonly input?: unknown } | undefined)?.input ?? {}) as {
        readonly agent?: unknown
      }
      if (typeof agent === 'string') return agent
    }
  }
  return undefined
}
