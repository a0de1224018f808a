import type { BudgetLimits, Json, FieldNames } from '../../core/index.ts'
import type { Mandate, OverseerPolicy, PresetName, Profile } from '../../gate/index.ts'
import type {
  DatabaseClient,
  DatabaseQuery,
  MemoryClient,
  MemoryPolicy,
  PromptParams,
  PromptStore,
} from '../../memory/index.ts'
import type { EmbeddingModel, GivenModel, Model, SelectionStrategy } from '../../model/index.ts'
import type { Skill, Tool, ToolList, ToolRegistry } from '../../tool/index.ts'
import type { CodeMode } from './code-mode.ts'
import type { AgentRunHook } from './hooks.ts'
import type { OutputSpec } from '../output/output.ts'
import type { Planner, Reflector, Runner, ToolExecutor } from './strategies.ts'
import type { HistoryWindow } from '../transcript/history-window.ts'

/** A prompt that the agent's prompt store has: rendered at the start of each run, and journaled, so that a resumed run keeps its text. */
export interface PromptRef {
  readonly template: string
  readonly params?: PromptParams | undefined
}

/** What a session's memory begins with: records of the agent's database. */
interface Hydration {
  readonly collection: string
  /** All records of the collection when absent. */
  readonly query?: DatabaseQuery | undefined
  /** At most so many; 20 when absent. */
  readonly limit?: number | undefined
  /** Only those that have to do with the prompt, best first: by its words and, with an `embeddingModel`, by what is like it. */
  readonly byPrompt?: boolean | undefined
}

export const HYDRATION: FieldNames<Hydration> = { collection: true, query: true, limit: true, byPrompt: true }

/** What of its memory a run begins with. */
export interface Recall {
  /** So many of the newest entries; 20 when absent. */
  readonly last?: number | undefined
  /** So many older ones that have to do with the prompt: by its words and, with an `embeddingModel`, by what is like it; 5 when absent. */
  readonly related?: number | undefined
  /** Whose memory is kept and recalled: that of the `session` (the default), or one for all sessions of the `identity` that runs. */
  readonly scope?: 'session' | 'identity' | undefined
}

/** A note that the agent keeps up to date with `update_working_memory`, and sees at the beginning of each run. */
export interface WorkingMemory {
  /** Whose note it is: that of the `session` (the default), or one for all sessions of the `identity` that runs. */
  readonly scope?: 'session' | 'identity' | undefined
  /** The form that the note shall have, shown while it is empty. */
  readonly template?: string | undefined
  /** Characters of the note; 4,000 when absent. */
  readonly maxLength?: number | undefined
  /** Where in the database it is; `working_memory` when absent. Agents with the same share their notes. */
  readonly collection?: string | undefined
}

/** How an agent is described: one name for each thing. `LoopAgent` in `mandate/compat` reads the names of other libraries. */
export interface AgentConfig<S = unknown, T = ToolList | undefined> {
  /** Letters, digits, `.`, `_`, `-`; made of `name` when absent. */
  readonly id?: string | undefined
  /** What people call it. The id is made of it when none is given. */
  readonly name?: string | undefined
  /** What it is good for: shown to agents that may delegate to it. */
  readonly description?: string | undefined
  /** The system prompt, or the template it is made of. */
  readonly instructions?: string | PromptRef | undefined
  /** The first user message, when `run` is given none. */
  readonly prompt?: string | undefined
  /** The model: one of ours, or what an AI SDK provider makes (`openai('gpt-5')`); or the name of one of the others that are given. */
  readonly model?: GivenModel | string | undefined
  /** Further models in order of preference. The first that fits is used, the next ones when it fails. */
  readonly models?: readonly GivenModel[] | undefined
  /** Which of the models is used; the first that has the capabilities, the window and the price when absent. */
  readonly selectModel?: SelectionStrategy | undefined
  /** Used when the model fails for good. */
  readonly fallbackModel?: GivenModel | undefined
  /** Proposes another tool when one fails; the proposal passes the same gate. */
  readonly fallbackProvider?: GivenModel | undefined
  /** Tools of any shape that `defineTool` takes, as a list or by their names. */
  readonly tools?: T | undefined
  /**
   * How it acts: by calling `tools` (the default), or by writing `code`: one cell per reply, in which tools are functions and variables stay for the next
   * cell. `codeMode(options)` of `mandate/repl` sets limits and prompts of cells.
   */
  readonly mode?: 'tools' | 'code' | CodeMode | undefined
  /** Packs of tools by their names, from `toolRegistry` or the registry of the service. */
  readonly toolPacks?: readonly string[] | undefined
  /** Where the packs of `toolPacks` are. */
  readonly toolRegistry?: ToolRegistry | undefined
  /** Other agents it may hand work to, by their ids; four deep, unless `budget.depth` says otherwise. */
  readonly agents?: readonly string[] | undefined
  /** Types of agents it may start with `spawn_agent`, by their names; as deep as `agents`. */
  readonly agentTypes?: readonly string[] | undefined
  /** What it can look up how to do, with `use_skill`. */
  readonly skills?: readonly Skill[] | undefined
  /** 20 when absent. */
  readonly maxTurns?: number | undefined
  /**
   * Output tokens of one turn. When absent, as many as the model can write, at most 16,384, and under a limit on tokens or money at most a quarter of what is
   * left of it; 4096 for a model of which nothing is known.
   */
  readonly maxTokens?: number | undefined
  /** Passed to the model; the provider decides when absent. */
  readonly temperature?: number | undefined
  /**
   * Whether its model calls tools: as it likes (`auto`, the default), never (`none`), at least one (`required`), or the one that is named. A call that is
   * demanded is demanded of the first reply of a run; the model is free afterwards, so that it can answer.
   */
  readonly toolChoice?: string | undefined
  /** The session that `new Agent(...).run()` speaks in; a fresh one when absent. */
  readonly sessionId?: string | undefined
  /** What it may do: tools, risks, rules, rates, content, flow, budget. The mandates of the host and of its parents hold as well. */
  readonly mandate?: Mandate | undefined
  /** The same as `mandate.profile`. */
  readonly policyProfile?: Profile | undefined
  /** What the mandate begins with; fields of `mandate` say otherwise where they say something. */
  readonly preset?: PresetName | undefined
  /** The same as `mandate.intentRequired`. */
  readonly intentRequired?: boolean | undefined
  /** The same as `mandate.overseer`. */
  readonly overseer?: OverseerPolicy | undefined
  /** The same as `mandate.budget`. */
  readonly budget?: BudgetLimits | undefined
  /** Functions before the first model call of a run; they may change model, tools and prompt. */
  readonly hooks?: readonly AgentRunHook[] | undefined
  /** Replaces the whole loop. */
  readonly runner?: Runner | undefined
  /** Decides the steps in place of the model. */
  readonly planner?: Planner | undefined
  /** Carries out `tool` steps in place of the kernel. */
  readonly executor?: ToolExecutor | undefined
  /** Decides after each turn whether the run is done. */
  readonly reflector?: Reflector | undefined
  /** A schema the final answer must fit: JSON Schema or Standard Schema. The result has its type. */
  readonly output?: S | undefined
  /** How often the model is asked again when its answer does not fit; 2 when absent. */
  readonly outputRetries?: number | undefined
  /** How much of a long conversation the model is shown; all of it when absent. */
  readonly history?: HistoryWindow | undefined
  /**
   * How results with untrusted labels come before the model: as they are (`shown`, the default), or as `handles` that it can pass on and cannot read, so
   * that nothing they say can make its way into what it asks for.
   */
  readonly toolResults?: 'shown' | 'handles' | undefined
  /** Where what sessions remember is kept. */
  readonly memoryClient?: MemoryClient | undefined
  /** Records for its tools, for `hydrate` and for `workingMemory`. */
  readonly databaseClient?: DatabaseClient | undefined
  /** Where the template of `instructions` is looked up; the store of the service when absent. */
  readonly promptStore?: PromptStore | undefined
  /** Fills the memory of a session that has none yet; needs `memoryClient` and `databaseClient`. */
  readonly hydrate?: Hydration | undefined
  /** What of its memory a run begins with; the newest 20 entries of the session when absent. Needs `memoryClient`. */
  readonly recall?: Recall | undefined
  /** A note that the agent keeps by itself. Needs `databaseClient`. */
  readonly workingMemory?: WorkingMemory | undefined
  /** Turns texts into vectors: what is remembered can then be found by what it means. */
  readonly embeddingModel?: EmbeddingModel | undefined
  /** How long what it writes to memory and database stays, and whether it is written at all; how much is a matter of `budget.storeWrites`. */
  readonly memoryPolicy?: MemoryPolicy | undefined
  /** Plain data of yours that goes with it; tools are given it. */
  readonly metadata?: { readonly [name: string]: Json } | undefined
}

/** The one form in which the rest of the room knows an agent. */
export interface AgentSpec {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly systemPrompt: string | PromptRef
  readonly taskPrompt: string | undefined
  readonly models: readonly Model[]
  readonly selectModel: SelectionStrategy | undefined
  readonly fallbackTool: Model | undefined
  /** Its own tools and those of its packs. */
  readonly tools: readonly Tool[]
  readonly mode: 'tools' | 'code' | CodeMode
  readonly toolPacks: readonly string[]
  readonly toolRegistry: ToolRegistry | undefined
  readonly agents: readonly string[]
  readonly agentTypes: readonly string[]
  readonly maxTurns: number
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  readonly toolChoice: string | undefined
  readonly sessionId: string | undefined
  readonly mandate: Mandate
  readonly hooks: readonly AgentRunHook[]
  readonly runner: Runner | undefined
  readonly planner: Planner | undefined
  readonly executor: ToolExecutor | undefined
  readonly reflector: Reflector | undefined
  readonly output: OutputSpec | undefined
  readonly history: HistoryWindow
  readonly toolResults: 'shown' | 'handles'
  readonly memory: MemoryClient | undefined
  readonly database: DatabaseClient | undefined
  readonly prompts: PromptStore | undefined
  readonly hydrate: Hydration | undefined
  readonly recall: Recall | undefined
  readonly workingMemory: WorkingMemory | undefined
  readonly embedding: EmbeddingModel | undefined
  readonly memoryPolicy: MemoryPolicy | undefined
  readonly metadata: { readonly [name: string]: Json }
}
