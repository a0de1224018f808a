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

/** A prompt from the agent's prompt store: rendered at the start of each run and journaled, so that a resumed run keeps its text. */
export interface PromptRef {
  /** The id of the template. */
  readonly template: string
  /** The parameters of the template. */
  readonly params?: PromptParams | undefined
}

/** The records of the agent's database that initialize a session's memory. */
interface Hydration {
  /** The collection of the records. */
  readonly collection: string
  /** All records of the collection by default. */
  readonly query?: DatabaseQuery | undefined
  /** The maximum number; 20 by default. */
  readonly limit?: number | undefined
  /** Only those related to the prompt, best first: by its words and, with an `embeddingModel`, by vector similarity. */
  readonly byPrompt?: boolean | undefined
}

export const HYDRATION: FieldNames<Hydration> = {
  collection: 'text',
  query: 'object',
  limit: 'number',
  byPrompt: 'flag',
}

/** What a run recalls from its memory. */
export interface Recall {
  /** The number of newest entries; 20 by default. */
  readonly last?: number | undefined
  /** The number of older entries related to the prompt: by its words and, with an `embeddingModel`, by vector similarity; 5 by default. */
  readonly related?: number | undefined
  /** The owner of the memory: the `session` (the default), or the `identity` across all its sessions. */
  readonly scope?: 'session' | 'identity' | undefined
}

/** A note that the agent maintains with `update_working_memory` and that is in its prompt at the beginning of each run. */
export interface WorkingMemory {
  /** The owner of the note: the `session` (the default), or the `identity` across all its sessions. */
  readonly scope?: 'session' | 'identity' | undefined
  /** A template for the note, shown while it is empty. */
  readonly template?: string | undefined
  /** The maximum length in characters; 4,000 by default. */
  readonly maxLength?: number | undefined
  /** The database collection of the note; `working_memory` by default. Agents with the same collection share their notes. */
  readonly collection?: string | undefined
}

/** The configuration of an agent, with one name for each thing. `LoopAgent` in `mandate/compat` accepts the names of other libraries. */
export interface AgentConfig<S = unknown, T = ToolList | undefined> {
  /** Letters, digits, `.`, `_`, `-`; derived from `name` by default. */
  readonly id?: string | undefined
  /** The display name, from which the id is derived if there is none. */
  readonly name?: string | undefined
  /** What it is good for; shown to agents that may call it. */
  readonly description?: string | undefined
  /** The system prompt, or a reference to its template. */
  readonly instructions?: string | PromptRef | undefined
  /** The first user message if `run` gets none. */
  readonly prompt?: string | undefined
  /** The model: one of this package or of an AI SDK provider (`openai('gpt-5')`); or the id of one in `models`. */
  readonly model?: GivenModel | string | undefined
  /** Further models in order of preference. The first one that fits is used, the next ones if it fails. */
  readonly models?: readonly GivenModel[] | undefined
  /** Selects the model; by default the first one with the capabilities, the context window and the price. */
  readonly selectModel?: SelectionStrategy | undefined
  /** Used if the model fails permanently. */
  readonly fallbackModel?: GivenModel | undefined
  /** Proposes another tool when one fails; the proposal passes the same gate. */
  readonly fallbackProvider?: GivenModel | undefined
  /** Tools of any shape that `defineTool` takes, as a list or by name. */
  readonly tools?: T | undefined
  /**
   * How it acts: by calling `tools` (the default), or by writing `code`: one cell per reply, in which tools are functions and variables stay for the
   * next cell. `codeMode(options)` of `mandate/repl` sets limits and prompts of cells.
   */
  readonly mode?: 'tools' | 'code' | CodeMode | undefined
  /** Names of tool packs in `toolRegistry` or the registry of the service. */
  readonly toolPacks?: readonly string[] | undefined
  /** The registry with the packs of `toolPacks`. */
  readonly toolRegistry?: ToolRegistry | undefined
  /** Other agents that it may call, by their ids; at most four levels deep, unless `budget.depth` is set. */
  readonly agents?: readonly string[] | undefined
  /** Registered graphs it may run, by their names. */
  readonly graphs?: readonly string[] | undefined
  /** Registered programs it may run, by their names. */
  readonly programs?: readonly string[] | undefined
  /** Types of agents it may start with `spawn_agent`, by their names; as deep as `agents`. */
  readonly agentTypes?: readonly string[] | undefined
  /** Skills that it can load with `use_skill`. */
  readonly skills?: readonly Skill[] | undefined
  /** 20 by default. */
  readonly maxTurns?: number | undefined
  /**
   * Output tokens of one turn. By default as many as the model can write, at most 16,384, and under a limit on tokens or money at most a quarter of
   * the remainder; 4096 for an unknown model.
   */
  readonly maxTokens?: number | undefined
  /** Passed to the model; the provider's default if absent. */
  readonly temperature?: number | undefined
  /**
   * Whether its model calls tools: freely (`auto`, the default), never (`none`), at least one (`required`), or the named one. A required call is
   * required of the first reply of a run only, so that the model can answer afterwards.
   */
  readonly toolChoice?: string | undefined
  /** The session of `new Agent(...).run()`; a new one by default. */
  readonly sessionId?: string | undefined
  /** What it may do: tools, risks, rules, rates, content, flow, budget. The mandates of the host and of its parents apply as well. */
  readonly mandate?: Mandate | undefined
  /** The same as `mandate.profile`. */
  readonly policyProfile?: Profile | undefined
  /** The preset of the mandate; the fields of `mandate` override it. */
  readonly preset?: PresetName | undefined
  /** The same as `mandate.intentRequired`. */
  readonly intentRequired?: boolean | undefined
  /** The same as `mandate.overseer`. */
  readonly overseer?: OverseerPolicy | undefined
  /** The same as `mandate.budget`. */
  readonly budget?: BudgetLimits | undefined
  /** Functions that run before the first model call of a run; they may change model, tools and prompt. */
  readonly hooks?: readonly AgentRunHook[] | undefined
  /** Replaces the whole loop. */
  readonly runner?: Runner | undefined
  /** Decides the steps in place of the model. */
  readonly planner?: Planner | undefined
  /** Performs `tool` steps in place of the kernel. */
  readonly executor?: ToolExecutor | undefined
  /** Decides after each turn whether the run is done. */
  readonly reflector?: Reflector | undefined
  /** The schema of the final answer: JSON Schema or Standard Schema. The result has its type. */
  readonly output?: S | undefined
  /** How often the model is asked again if its answer does not match the schema; 2 by default. */
  readonly outputRetries?: number | undefined
  /** How much of a long conversation the model gets; all of it by default. */
  readonly history?: HistoryWindow | undefined
  /**
   * How results with untrusted labels are shown to the model: in full (`shown`, the default), or as `handles` that it can pass on but not read, so that their
   * text cannot influence what it requests.
   */
  readonly toolResults?: 'shown' | 'handles' | undefined
  /** Stores the memory of sessions. */
  readonly memoryClient?: MemoryClient | undefined
  /** Records for its tools, for `hydrate` and for `workingMemory`. */
  readonly databaseClient?: DatabaseClient | undefined
  /** Has the template of `instructions`; the store of the service by default. */
  readonly promptStore?: PromptStore | undefined
  /** Initializes the memory of a new session; needs `memoryClient` and `databaseClient`. */
  readonly hydrate?: Hydration | undefined
  /** What a run recalls from its memory; by default the newest 20 entries of the session. Needs `memoryClient`. */
  readonly recall?: Recall | undefined
  /** A note that the agent maintains itself. Needs `databaseClient`. */
  readonly workingMemory?: WorkingMemory | undefined
  /** Embeds texts, so that memory can be searched by meaning. */
  readonly embeddingModel?: EmbeddingModel | undefined
  /** How long its writes to memory and database are kept, and whether they are stored at all; their number is limited by `budget.storeWrites`. */
  readonly memoryPolicy?: MemoryPolicy | undefined
  /** Plain data for its tools. */
  readonly metadata?: { readonly [name: string]: Json } | undefined
}

/** A validated configuration: the form in which the rest of the room uses an agent. */
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
  readonly graphs: readonly string[]
  readonly programs: readonly string[]
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
