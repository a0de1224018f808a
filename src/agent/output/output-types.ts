import type { Json } from '../../core/index.ts'
import type { Message } from '../../model/index.ts'
import type { Phase } from '../session/phase.ts'

/** How a run ended, or that it waits (`await_user`). */
export type AgentStatus = 'completed' | 'await_user' | 'failed' | 'cancelled' | 'max_turns' | 'max_tokens'

/** The input of an agent's run, as journaled. */
export type AgentInput = {
  readonly prompt: Message | null
  readonly history: readonly Message[]
  readonly context: Json
  /** The prompt is the user's own, although the history before it is labelled. */
  readonly ownPrompt?: true
  /** The output includes the messages of the run, because its starter continues the conversation. */
  readonly returnsMessages?: true
  /** Instructions of this run, before those of its agent. */
  readonly instructions?: string
  /** Overrides the agent's own. */
  readonly toolChoice?: string
  /** The id of the model that overrides the agent's own. */
  readonly model?: string
}

/** The result of an agent's run, as journaled. */
export type AgentOutput = {
  readonly status: AgentStatus
  readonly phase: Phase
  /** The text of all turns. */
  readonly text: string
  readonly lastText: string
  readonly result: Json
  readonly turns: number
  /** In code mode: the source of the answer. */
  readonly answeredBy?: 'cell' | 'reply'
  /** The messages that the run added to the conversation, if its input requested them. */
  readonly messages?: readonly Message[]
}

/** The description of a graph or a program that an agent may run, for its model. */
export type CallableMind = {
  readonly name: string
  readonly description: string
  readonly inputSchema: Json
  readonly outputSchema?: Json
}

/** Settings fixed at the start of a run. A later release or configuration does not change them for a run in progress. */
export type AgentPins = {
  /** The text, or `null` if it is rendered at the start of the run. */
  readonly systemPrompt: string | null
  readonly tools: readonly { readonly name: string; readonly description?: string; readonly inputSchema: Json }[]
  readonly models: readonly string[]
  /** A selection strategy of the host chooses among them. */
  readonly selectsModel: boolean
  /** The smallest context window of these models, if they declare it. */
  readonly contextTokens: number | null
  readonly maxTurns: number
  readonly maxTokens: number
  /** `maxTokens` is a default: a call requests less if its model or the remaining budget allows less. */
  readonly maxTokensFollow?: true
  /** If the budget refuses a model, the next one is tried. Runs of earlier releases end there. */
  readonly passesOver?: 'budget'
  readonly temperature: number | null
  readonly toolChoice?: string
  readonly output: Json
  readonly history: { readonly maxMessages?: number; readonly maxTokens?: number; readonly compact?: boolean }
  readonly agents: readonly { readonly name: string; readonly description: string }[]
  /** Graphs that it may run; absent where there are none. */
  readonly graphs?: readonly CallableMind[]
  /** Programs that it may run; absent where there are none. */
  readonly programs?: readonly CallableMind[]
  /** The agent types that `spawn_agent` offers; absent if there are none. */
  readonly spawns?: readonly { readonly name: string; readonly description: string }[]
  /** The run was started by a service whose clock, ids and randomness are deterministic under a seed. */
  readonly deterministic: boolean
  /** Messages that follow from effects have no entries of their own. Runs of the first release have them. */
  readonly derivesMessages?: boolean
  /** How results with untrusted labels are shown to the model; `shown` if absent. */
  readonly toolResults?: 'shown' | 'handles'
}
