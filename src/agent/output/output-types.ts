import type { Json } from '../../core/index.ts'
import type { Message } from '../../model/index.ts'
import type { Phase } from '../session/phase.ts'

/** How a run ended, or that it waits (`await_user`). */
export type AgentStatus = 'completed' | 'await_user' | 'failed' | 'cancelled' | 'max_turns' | 'max_tokens'

/** What a run of an agent is given, as its journal has it. */
export type AgentInput = {
  readonly prompt: Message | null
  readonly history: readonly Message[]
  readonly context: Json
  /** The prompt is the user's own, although what came before it is not clean. */
  readonly ownPrompt?: true
  /** The output shall have the messages of the run: whoever started it goes on with the conversation. */
  readonly returnsMessages?: true
  /** What this run is told before the instructions of its agent. */
  readonly instructions?: string
  /** Holds instead of the agent's own. */
  readonly toolChoice?: string
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
  /** What the run added to the conversation, where its input asked for that. */
  readonly messages?: readonly Message[]
}

/** Fixed at the start of a run; a later release or configuration does not change it for a run that is under way. */
export type AgentPins = {
  /** The text, or `null` when it is rendered at the start of the run. */
  readonly systemPrompt: string | null
  readonly tools: readonly { readonly name: string; readonly description?: string; readonly inputSchema: Json }[]
  readonly models: readonly string[]
  /** A strategy of the host's own chooses among them. */
  readonly selectsModel: boolean
  /** The smallest context of these models, where they say it. */
  readonly contextTokens: number | null
  readonly maxTurns: number
  readonly maxTokens: number
  /** Nobody set it: a call asks for less where its model or what is left of the budget has less. */
  readonly maxTokensFollow?: true
  /** A model that the budget refuses is passed over for the next one. Runs of earlier releases end there. */
  readonly passesOver?: 'budget'
  readonly temperature: number | null
  readonly toolChoice?: string
  readonly output: Json
  readonly history: { readonly maxMessages?: number; readonly maxTokens?: number; readonly compact?: boolean }
  readonly agents: readonly { readonly name: string; readonly description: string }[]
  /** What `spawn_agent` offers; absent where there is nothing to offer. */
  readonly spawns?: readonly { readonly name: string; readonly description: string }[]
  /** The run was started by a service whose clock, ids and randomness follow from a seed. */
  readonly deterministic: boolean
  /** Messages that follow from effects have no entry of their own. Runs of the first release have one. */
  readonly derivesMessages?: boolean
  /** How results with untrusted labels come before the model; as they are where this is absent. */
  readonly toolResults?: 'shown' | 'handles'
}
