import { MandateError, checkId, idFrom } from '../core/index.ts'
import type { BudgetLimits, Json } from '../core/index.ts'
import { checkMandate } from '../gate/index.ts'
import type { Mandate, Profile } from '../gate/index.ts'
import type { DatabaseClient, MemoryClient, PromptStore } from '../memory/index.ts'
import type { Model, SelectionStrategy } from '../model/index.ts'
import { toolsFrom } from '../tool/index.ts'
import type { Tool, ToolRegistry } from '../tool/index.ts'
import type { AgentRunHook } from './hooks.ts'
import { readOutput } from './output.ts'
import type { OutputSpec } from './output.ts'
import type { Planner, Reflector, Runner, ToolExecutor } from './strategies.ts'
import type { HistoryWindow } from './window.ts'

/** How an agent is described. Several names are accepted for one thing, because people come from several places; two that disagree are an error. */
export interface AgentConfig {
  readonly id?: string | undefined
  /** The same as `id`. */
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly systemPrompt?: string | undefined
  /** The same as `systemPrompt`. */
  readonly instructions?: string | undefined
  /** The first user message, when `run` is given none. */
  readonly taskPrompt?: string | undefined
  readonly model?: Model | string | undefined
  /** The same as `model`, for those who give the model's name apart. */
  readonly provider?: Model | undefined
  /** Models in order of preference. The first that fits is used, the next ones when it fails. */
  readonly modelProviders?: readonly Model[] | undefined
  readonly selectModel?: SelectionStrategy | undefined
  /** Used when the model fails for good. */
  readonly fallbackModel?: Model | undefined
  /** Proposes another tool when one fails; the proposal passes the same gate. */
  readonly fallbackProvider?: Model | undefined
  readonly tools?: readonly unknown[] | Readonly<Record<string, unknown>> | undefined
  readonly toolPacks?: readonly string[] | undefined
  readonly toolRegistry?: ToolRegistry | undefined
  /** Other agents it may hand work to, by their ids. */
  readonly agents?: readonly string[] | undefined
  readonly maxTurns?: number | undefined
  /** The same as `maxTurns`. */
  readonly maxSteps?: number | undefined
  /** Output tokens of one turn. */
  readonly maxTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly mandate?: Mandate | undefined
  /** The same as `mandate.profile`. */
  readonly policyProfile?: Profile | undefined
  /** The same as `mandate.budget`. */
  readonly budget?: BudgetLimits | undefined
  readonly hooks?: readonly AgentRunHook[] | undefined
  readonly runner?: Runner | undefined
  readonly planner?: Planner | undefined
  readonly executor?: ToolExecutor | undefined
  readonly reflector?: Reflector | undefined
  /** A schema the final answer must fit: JSON Schema or Standard Schema. */
  readonly output?: unknown
  /** How often the model is asked again when its answer does not fit. */
  readonly outputRetries?: number | undefined
  readonly history?: HistoryWindow | undefined
  readonly memoryClient?: MemoryClient | undefined
  readonly databaseClient?: DatabaseClient | undefined
  readonly promptStore?: PromptStore | undefined
  readonly metadata?: { readonly [name: string]: Json } | undefined
}

/** The one form in which the rest of the room knows an agent. */
export interface AgentSpec {
  readonly id: string
  readonly description: string
  readonly systemPrompt: string
  readonly taskPrompt: string | undefined
  readonly models: readonly Model[]
  readonly selectModel: SelectionStrategy | undefined
  readonly fallbackTool: Model | undefined
  readonly tools: readonly Tool[]
  readonly toolRegistry: ToolRegistry | undefined
  readonly agents: readonly string[]
  readonly maxTurns: number
  readonly maxTokens: number
  readonly temperature: number | undefined
  readonly mandate: Mandate
  readonly hooks: readonly AgentRunHook[]
  readonly runner: Runner | undefined
  readonly planner: Planner | undefined
  readonly executor: ToolExecutor | undefined
  readonly reflector: Reflector | undefined
  readonly output: OutputSpec | undefined
  readonly history: HistoryWindow
  readonly memory: MemoryClient | undefined
  readonly database: DatabaseClient | undefined
  readonly prompts: PromptStore | undefined
  readonly metadata: { readonly [name: string]: Json }
}

const KNOWN: ReadonlySet<string> = new Set<keyof AgentConfig>([
  'id', 'name', 'description', 'systemPrompt', 'instructions', 'taskPrompt', 'model', 'provider', 'modelProviders', 'selectModel', 'fallbackModel',
  'fallbackProvider', 'tools', 'toolPacks', 'toolRegistry', 'agents', 'maxTurns', 'maxSteps', 'maxTokens', 'temperature', 'mandate', 'policyProfile',
  'budget', 'hooks', 'runner', 'planner', 'executor', 'reflector', 'output', 'outputRetries', 'history', 'memoryClient', 'databaseClient', 'promptStore', 'metadata',
])

/** Reads a configuration once: one name for each thing, defaults in place, everything that cannot work refused with its fix. */
export function readConfig(config: AgentConfig): AgentSpec {
  if (typeof config !== 'object' || config === null) throw invalid('config', 'must be an object')
  for (const field of Object.keys(config)) if (!KNOWN.has(field)) throw invalid(field, `is not a field of an agent. Known: ${[...KNOWN].join(', ')}`)
  const models = readModels(config)
  const id = one(config, 'id', 'name') ?? 'agent'
  if (models.length === 0 && config.planner === undefined && config.runner === undefined) {
    throw invalid('model', 'is missing. Give a model, or a planner or runner that needs none')
  }
  return Object.freeze({
    id: checkId(typeof id === 'string' && config.id === undefined ? idFrom(id) : id, 'The agent id'),
    description: text(config, 'description') ?? '',
    systemPrompt: one(config, 'systemPrompt', 'instructions') ?? '',
    taskPrompt: text(config, 'taskPrompt'),
    models,
    selectModel: config.selectModel,
    fallbackTool: config.fallbackProvider,
    tools: readTools(config),
    toolRegistry: config.toolRegistry,
    agents: config.agents ?? [],
    maxTurns: count(config, one(config, 'maxTurns', 'maxSteps'), 'maxTurns') ?? 20,
    maxTokens: count(config, config.maxTokens, 'maxTokens') ?? 4096,
    temperature: config.temperature,
    mandate: readMandate(config),
    hooks: config.hooks ?? [],
    runner: method(config.runner, 'runner', 'run'),
    planner: method(config.planner, 'planner', 'plan'),
    executor: method(config.executor, 'executor', 'execute'),
    reflector: method(config.reflector, 'reflector', 'reflect'),
    output: config.output === undefined ? undefined : readOutput(config.output, config.outputRetries),
    history: config.history ?? {},
    memory: config.memoryClient,
    database: config.databaseClient,
    prompts: config.promptStore,
    metadata: config.metadata ?? {},
  })
}

/** The value of whichever of two names is given; both are fine if they say the same. */
function one<K extends keyof AgentConfig>(config: AgentConfig, first: K, second: K): AgentConfig[K] {
  const [a, b] = [config[first], config[second]]
  if (a !== undefined && b !== undefined && a !== b) {
    throw invalid(first, `and \`${second}\` are two names for one thing and disagree: ${String(a)} and ${String(b)}. Give one of them`)
  }
  return a ?? b
}

function readModels(config: AgentConfig): readonly Model[] {
  const main = config.provider ?? (typeof config.model === 'string' ? undefined : config.model)
  if (typeof config.model === 'string' && main === undefined && config.modelProviders === undefined) {
    throw invalid('model', `is the name "${config.model}". Give the model itself, for example \`scripted([...])\`, or add \`provider\``)
  }
  const listed = [main, ...(config.modelProviders ?? []), config.fallbackModel].filter((model) => model !== undefined)
  for (const model of [...listed, config.fallbackProvider ?? []].flat()) {
    if (typeof model?.stream !== 'function' || typeof model.id !== 'string') throw invalid('model', 'must have an `id` and a `stream` method, as the models of mandate/model have')
  }
  const named = config.model
  if (typeof named !== 'string') return listed
  const chosen = listed.filter((model) => model.modelId === named || model.id === named)
  if (chosen.length === 0) throw invalid('model', `is "${named}", but the given models are ${listed.map(({ id }) => id).join(', ')}`)
  return [...chosen, ...listed.filter((model) => !chosen.includes(model))]
}

function readTools(config: AgentConfig): readonly Tool[] {
  const own = config.tools === undefined ? [] : toolsFrom(config.tools)
  if (config.toolPacks === undefined) return own
  if (config.toolRegistry === undefined) throw invalid('toolPacks', 'needs `toolRegistry` to find the packs in')
  const packed = config.toolRegistry.resolvePacks(config.toolPacks)
  return toolsFrom([...own, ...packed.filter((tool) => !own.includes(tool))])
}

function readMandate(config: AgentConfig): Mandate {
  const mandate = config.mandate ?? {}
  const merged = {
    ...mandate,
    ...same('policyProfile', 'mandate.profile', config.policyProfile, mandate.profile, 'profile'),
    ...same('budget', 'mandate.budget', config.budget, mandate.budget, 'budget'),
  }
  return checkMandate(merged)
}

function same(first: string, second: string, a: unknown, b: unknown, key: string): Record<string, unknown> {
  if (a !== undefined && b !== undefined && JSON.stringify(a) !== JSON.stringify(b)) {
    throw invalid(first, `and \`${second}\` are two names for one thing and disagree. Give one of them`)
  }
  return a === undefined ? {} : { [key]: a }
}

function count(_config: AgentConfig, value: unknown, field: string): number | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) throw invalid(field, `is ${String(value)}. Give a whole number from 1 up`)
  return value
}

function text(config: AgentConfig, field: 'description' | 'taskPrompt'): string | undefined {
  const value: unknown = config[field]
  if (value !== undefined && typeof value !== 'string') throw invalid(field, 'must be a text')
  return value
}

function method<T extends object>(value: T | undefined, field: string, name: keyof T & string): T | undefined {
  if (value !== undefined && typeof value[name] !== 'function') throw invalid(field, `must have a method \`${name}\``)
  return value
}

function invalid(field: string, what: string): MandateError {
  return new MandateError('CONFIG_INVALID', `\`${field}\` ${what}.`)
}
