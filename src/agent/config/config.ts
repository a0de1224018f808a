import { HYDRATION } from './config-types.ts'
import { HISTORY_WINDOW } from '../transcript/history-window.ts'
import {
  MandateError,
  canonical,
  checkFields,
  checkId,
  freezeDeep,
  frozenList,
  idFrom,
  nameProblem,
  toPlain,
} from '../../core/index.ts'
import type { FieldNames, Json } from '../../core/index.ts'
import { readPolicy } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { conditionsOf } from '../../memory/index.ts'
import type { MemoryPolicy } from '../../memory/index.ts'
import { givenModel, installedSources, isAiSdkModel, lateModel } from '../../model/index.ts'
import type { GivenModel, Model, ModelSources } from '../../model/index.ts'
import { skillTool, toolsFrom } from '../../tool/index.ts'
import type { Tool } from '../../tool/index.ts'
import { isCodeMode } from './code-mode.ts'
import type { AgentConfig, AgentSpec, PromptRef, Recall, WorkingMemory } from './config-types.ts'
import { readOutput } from '../output/output.ts'
import { SPAWN_TOOL } from '../loop/spawn.ts'
import { workingMemoryTool } from '../memory/agent-note.ts'
import { CALLABLE, callableNames } from './callable.ts'
import { checkToolChoice } from './tool-choice.ts'

const MAX_TURNS = 20
/** The default depth, because agents that may call each other could recurse without end. */
const DEPTH = 4

/** Returns the problem of a value; `undefined` for a valid one. */
type Check = (value: unknown) => string | undefined

/** Every field with its check; any other name is unknown. */
const FIELDS: { readonly [F in keyof Required<AgentConfig>]: Check } = {
  id: isText,
  name: (value) => nameProblem(value),
  description: isText,
  instructions: isPrompt,
  prompt: isText,
  model: (value) => (typeof value === 'string' ? undefined : isModel(value)),
  models: listOf(isModel),
  selectModel: isFunction,
  fallbackModel: isModel,
  fallbackProvider: isModel,
  tools: (value) => (typeof value === 'object' && value !== null ? undefined : 'must be a list or a record of tools'),
  mode: (value) =>
    value === 'tools' || value === 'code' || isCodeMode(value)
      ? undefined
      : `is ${shown(value)}. Use "tools", "code", or codeMode() of mandate/repl`,
  toolPacks: listOf(isText),
  toolRegistry: has('resolvePacks'),
  agents: listOf((value) => nameProblem(value)),
  graphs: listOf((value) => nameProblem(value)),
  programs: listOf((value) => nameProblem(value)),
  agentTypes: listOf((value) => nameProblem(value)),
  skills: listOf(has('load')),
  maxTurns: isCount,
  maxTokens: isCount,
  temperature: isAmount,
  toolChoice: isText,
  sessionId: isText,
  mandate: isRecord,
  policyProfile: isText,
  preset: isText,
  intentRequired: (value) => (typeof value === 'boolean' ? undefined : `is ${shown(value)}. Give true or false`),
  overseer: isRecord,
  budget: isRecord,
  hooks: listOf(isFunction),
  runner: has('run'),
  planner: has('plan'),
  executor: has('execute'),
  reflector: has('reflect'),
  output: (value) => (typeof value === 'object' || typeof value === 'function' ? undefined : 'must be a schema'),
  outputRetries: (value) => (value === 0 ? undefined : isCount(value)),
  history: isWindow,
  toolResults: (value) =>
    value === 'shown' || value === 'handles' ? undefined : `is ${shown(value)}. Use "shown" or "handles"`,
  memoryClient: has('append', 'read'),
  databaseClient: has('read', 'query'),
  promptStore: has('render'),
  hydrate: isHydration,
  recall: membersOf('recall', () => RECALL),
  workingMemory: membersOf('workingMemory', () => WORKING_MEMORY),
  embeddingModel: isEmbeddingModel,
  memoryPolicy: membersOf('memoryPolicy', () => POLICY),
  metadata: isRecord,
}

/** The names of some fields in other libraries. */
const OTHER_NAMES: { readonly [alias: string]: keyof AgentConfig } = {
  systemPrompt: 'instructions',
  taskPrompt: 'prompt',
  maxSteps: 'maxTurns',
  provider: 'model',
  modelProviders: 'models',
}

/** Reads a configuration: applies defaults, and throws on everything that cannot work, with the fix. */
export function readConfig(config: AgentConfig, sources?: ModelSources): AgentSpec {
  checkConfig(config)
  const models = readModels(config, sources)
  const tools = readTools(config)
  const id = checkId(config.id ?? idFrom(config.name ?? 'agent'), 'The agent id')
  const systemPrompt = config.instructions ?? ''
  checkTogether(config, { models, tools, systemPrompt })
  checkToolChoice(config.toolChoice, { tools, ...granted(config) })
  return Object.freeze({
    id,
    name: config.name ?? id,
    description: config.description ?? '',
    systemPrompt,
    taskPrompt: config.prompt,
    models: frozenList(models),
    selectModel: config.selectModel,
    fallbackTool: modelsOf(config).fallbackProvider,
    tools: frozenList(tools),
    mode: config.mode ?? 'tools',
    toolPacks: frozenList(config.toolPacks ?? []),
    toolRegistry: config.toolRegistry,
    agents: frozenList(config.agents ?? []),
    graphs: frozenList(config.graphs ?? []),
    programs: frozenList(config.programs ?? []),
    agentTypes: frozenList(config.agentTypes ?? []),
    maxTurns: config.maxTurns ?? MAX_TURNS,
    maxTokens: config.maxTokens,
    temperature: config.temperature,
    toolChoice: config.toolChoice,
    sessionId: config.sessionId === undefined ? undefined : checkId(config.sessionId, 'The session id'),
    mandate: readMandate(config),
    hooks: frozenList(config.hooks ?? []),
    runner: config.runner,
    planner: config.planner,
    executor: config.executor,
    reflector: config.reflector,
    output: config.output === undefined ? undefined : readOutput(config.output, config.outputRetries),
    history: Object.freeze({ ...config.history }),
    toolResults: config.toolResults ?? 'shown',
    memory: config.memoryClient,
    database: config.databaseClient,
    prompts: config.promptStore,
    hydrate: config.hydrate,
    recall: config.recall === undefined ? undefined : Object.freeze({ ...config.recall }),
    workingMemory: config.workingMemory === undefined ? undefined : Object.freeze({ ...config.workingMemory }),
    embedding: config.embeddingModel,
    memoryPolicy: config.memoryPolicy === undefined ? undefined : Object.freeze({ ...config.memoryPolicy }),
    metadata: freezeDeep(toPlain(config.metadata ?? {}).value) as { readonly [name: string]: Json },
  })
}

/** Checks each field by itself, and refuses unknown ones. */
export function checkConfig(config: AgentConfig): void {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new MandateError('CONFIG_INVALID', 'An agent is described by an object, such as { id: "greeter", model }.')
  }
  for (const [alias, name] of Object.entries(OTHER_NAMES))
    if ((config as { readonly [field: string]: unknown })[alias] !== undefined)
      throw invalid(
        alias,
        `is called \`${name}\` here. \`LoopAgent\` of mandate/compat reads the names of other libraries`,
      )
  checkFields(config, 'a field of an agent', FIELDS)
  for (const [field, value] of Object.entries(config)) {
    const problem = value === undefined ? undefined : FIELDS[field as keyof AgentConfig](value)
    if (problem !== undefined) throw invalid(field, problem)
  }
}

interface Readings {
  readonly models: readonly Model[]
  readonly tools: readonly Tool[]
  readonly systemPrompt: string | PromptRef
}

/** Checks combinations of fields that are valid by themselves. */
function checkTogether(config: AgentConfig, { models, tools, systemPrompt }: Readings): void {
  if (models.length === 0 && config.planner === undefined && config.runner === undefined) {
    throw invalid('model', 'is missing. Give a model, or a planner or runner that needs none')
  }
  checkNames(config, tools)
  if (typeof systemPrompt !== 'string' && config.promptStore === undefined) {
    throw invalid('instructions', `is the template "${systemPrompt.template}". Give the \`promptStore\` that has it`)
  }
  const reader = config.fallbackProvider === undefined ? 'executor' : 'fallbackProvider'
  if (config.toolResults === 'handles' && config[reader] !== undefined) {
    throw invalid(
      'toolResults',
      `is "handles", and \`${reader}\` would be shown what they stand for. Leave one of them out`,
    )
  }
  const other = OTHER_WAYS_TO_ACT.find((field) => config[field] !== undefined)
  if (other !== undefined && config.mode !== undefined && config.mode !== 'tools')
    throw invalid('mode', `is code, and \`${other}\` decides or carries out single calls. Leave one of them out`)
  if (config.toolResults === 'handles' && config.mode !== undefined && config.mode !== 'tools')
    throw invalid(
      'toolResults',
      'is "handles", which stand for results of single calls. With `mode: \'code\'` results stay in variables: leave it out',
    )
  if (config.hydrate !== undefined && (config.memoryClient === undefined || config.databaseClient === undefined)) {
    throw invalid('hydrate', 'needs a `databaseClient` to read from and a `memoryClient` to fill')
  }
  if (config.recall !== undefined && config.memoryClient === undefined)
    throw invalid('recall', 'needs a `memoryClient` to read from')
  if (config.workingMemory !== undefined && config.databaseClient === undefined)
    throw invalid('workingMemory', 'needs a `databaseClient` to be kept in')
}

/** Checks that each name an agent can call refers to one target only, so that calls of a model are unambiguous. */
function checkNames(config: AgentConfig, tools: readonly Tool[]): void {
  const known = new Map(tools.map(({ name }) => [name, 'tool']))
  for (const [field, kind] of Object.entries(CALLABLE))
    for (const name of config[field as keyof typeof CALLABLE] ?? []) {
      const other = known.get(name) ?? kind
      const what = /^[aeiou]/.test(other) ? `an ${other}` : `a ${other}`
      if (other !== kind) throw invalid(field, `names "${name}", which is ${what} as well. Rename one of them`)
      known.set(name, kind)
    }
  if ((config.agentTypes ?? []).length > 0 && known.has(SPAWN_TOOL))
    throw invalid('agentTypes', `bring the tool "${SPAWN_TOOL}", and there is one of that name already. Rename it`)
}

/** The names of everything but tools that an agent may call. */
function granted({ agents = [], graphs = [], programs = [], agentTypes = [] }: AgentConfig) {
  return { agents, graphs, programs, agentTypes }
}

const OTHER_WAYS_TO_ACT = ['planner', 'runner', 'executor', 'fallbackProvider'] as const

/** Returns the value of two synonymous fields. Both may be given if they are equal. */
function agreed<T>(first: readonly [string, T | undefined], second: readonly [string, T | undefined]): T | undefined {
  const [a, b] = [first[1], second[1]]
  if (a !== undefined && b !== undefined && canonical(a) !== canonical(b)) throw disagreement(first[0], second[0])
  return a ?? b
}

function readModels(config: AgentConfig, sources: ModelSources | undefined): readonly Model[] {
  const { model, models, fallbackModel, fallbackProvider } = modelsOf(config)
  const main = typeof model === 'object' ? model : undefined
  const given = [main, ...models, fallbackModel].filter((one) => one !== undefined)
  const listed = [...new Set(given)]
  checkTwins([
    ['model', main],
    ...models.map((one, index) => [`models[${index}]`, one] as const),
    ['fallbackModel', fallbackModel],
    ['fallbackProvider', fallbackProvider],
  ])
  if (typeof model !== 'string') return listed
  const chosen = listed.filter((one) => one.modelId === model || one.id === model)
  if (chosen.length > 0) return [...chosen, ...listed.filter((one) => !chosen.includes(one))]
  if (listed.length === 0 && model.includes('/')) return [modelNamed(model, sources)]
  const there =
    listed.length === 0
      ? 'no model is given. Name its provider too, as in "openai/gpt-5-mini", give the model itself'
      : `the given models are ${listed.map((one) => one.id).join(', ')}. Give the model itself`
  throw invalid('model', `is the name "${model}", but ${there}, or one of that name in \`models\``)
}

/** Throws on two models of one id: journals identify models by their ids, so they would be merged silently. The same model may have several uses. */
function checkTwins(given: readonly (readonly [field: string, model: Model | undefined])[]): void {
  const seen = new Map<string, readonly [field: string, model: Model]>()
  for (const [field, model] of given) {
    if (model === undefined) continue
    const [first, other] = seen.get(model.id) ?? [field, model]
    if (other !== model)
      throw invalid(
        field,
        `and \`${first}\` are two models under the id "${model.id}". Give each its own, as in fromAiSdk(model, { id: "${model.id}-2" })`,
      )
    seen.set(model.id, [first, model])
  }
}

/** The models in a configuration, with those of the AI SDK wrapped, each once. */
function modelsOf({ model, models = [], fallbackModel, fallbackProvider }: AgentConfig) {
  const known = new Map<GivenModel, Model>()
  const wrapped = (given: GivenModel): Model => {
    const made = known.get(given) ?? givenModel(given)
    known.set(given, made)
    return made
  }
  const own = (given: GivenModel | undefined): Model | undefined => (given === undefined ? undefined : wrapped(given))
  return {
    model: typeof model === 'string' ? model : own(model),
    fallbackModel: own(fallbackModel),
    fallbackProvider: own(fallbackProvider),
    models: models.map(wrapped),
  }
}

/** The model of an id such as "openai/gpt-5-mini", of the given packages or the installed ones. */
export function modelNamed(id: string, given: ModelSources | undefined): Model {
  const sources = given ?? installedSources()
  if (sources !== undefined) return sources.model?.(id) ?? lateModel(id, sources)
  throw invalid(
    'model',
    `is the id "${id}", but there are no installed packages here. Give the service \`modelSources: { load, env }\`, or the model itself`,
  )
}

function readTools(config: AgentConfig): readonly Tool[] {
  const { skills = [] } = config
  const given = config.tools === undefined ? [] : toolsFrom(config.tools)
  const ready = [...(skills.length === 0 ? [] : [skillTool(skills)]), ...workingMemoryTool(config)]
  const own = ready.length === 0 ? given : toolsFrom([...given, ...ready])
  if (config.toolPacks === undefined) return own
  if (config.toolRegistry === undefined) throw invalid('toolPacks', 'needs `toolRegistry` to find the packs in')
  const packed = config.toolRegistry.resolvePacks(config.toolPacks)
  return toolsFrom([...own, ...packed.filter((tool) => !own.includes(tool))])
}

function readMandate(config: AgentConfig): Mandate {
  const { mandate = {}, policyProfile, preset, budget } = config
  const profile = agreed(['policyProfile', policyProfile], ['mandate.profile', mandate.profile])
  const given = agreed(['budget', budget], ['mandate.budget', mandate.budget])
  const names = granted(config)
  // A cell that calls an agent, or a graph with one, is a run of its own in between.
  const isDirect = (config.mode ?? 'tools') === 'tools' && names.graphs.length + names.programs.length === 0
  const depth = isDirect ? DEPTH : 2 * DEPTH
  const limits = callableNames(names).length === 0 ? given : { depth, ...given }
  const intentRequired = agreed(
    ['intentRequired', config.intentRequired],
    ['mandate.intentRequired', mandate.intentRequired],
  )
  const overseer = agreed(['overseer', config.overseer], ['mandate.overseer', mandate.overseer])
  return readPolicy({
    ...mandate,
    ...(preset === undefined ? {} : { preset }),
    ...(profile === undefined ? {} : { profile }),
    ...(limits === undefined ? {} : { budget: limits }),
    ...(intentRequired === undefined ? {} : { intentRequired }),
    ...(overseer === undefined ? {} : { overseer }),
  })
}

function isText(value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : `is ${shown(value)}. Give a text`
}

const PROMPT_REF: FieldNames<PromptRef> = { template: true, params: true }

function isPrompt(value: unknown): string | undefined {
  if (typeof value === 'string') return undefined
  if (isRecord(value) !== undefined) return `is ${shown(value)}. Give a text, or { template, params } of a prompt store`
  checkFields(value, 'a field of `instructions`', PROMPT_REF)
  const { template, params } = value as { template?: unknown; params?: unknown }
  if (typeof template !== 'string' || template === '')
    return 'needs a `template`: the id of a prompt in the prompt store'
  return params === undefined ? undefined : isRecord(params)
}

function isCount(value: unknown): string | undefined {
  const isWhole = typeof value === 'number' && Number.isInteger(value) && value >= 1
  return isWhole ? undefined : `is ${shown(value)}. Give a whole number from 1 up`
}

function isAmount(value: unknown): string | undefined {
  const isNumber = typeof value === 'number' && Number.isFinite(value) && value >= 0
  return isNumber ? undefined : `is ${shown(value)}. Give a number from 0 up`
}

function isFunction(value: unknown): string | undefined {
  return typeof value === 'function' ? undefined : `is ${shown(value)}. Give a function`
}

function isRecord(value: unknown): string | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? undefined : `is ${shown(value)}. Give an object`
}

/** Ids of models may be full resource names of a cloud. */
const MODEL_ID_MAX = 512

function isModel(value: unknown): string | undefined {
  const model = value as Partial<Model> | null
  const isGood = typeof model === 'object' && typeof model?.stream === 'function' && typeof model.id === 'string'
  const problem = isGood ? nameProblem(model.id, MODEL_ID_MAX) : undefined
  if (problem !== undefined) return `has an \`id\` that ${problem}`
  return isGood || isAiSdkModel(value)
    ? undefined
    : `is ${shown(value)}. Give a model of mandate/model, or what an AI SDK provider makes, such as openai('gpt-5')${otherShape(model)}`
}

/** How a model in the shape of another library is given. */
function otherShape(given: object | null): string {
  const adapters = { call: 'fromLlmClient', chat: 'fromChatProvider', complete: 'fromAtlasProvider' }
  const found = Object.entries(adapters).find(
    ([method]) => typeof (given as Record<string, unknown> | null)?.[method] === 'function',
  )
  if (found === undefined) return ''
  return `. One with \`${found[0]}\` is read by \`${found[1]}\` and by \`LoopAgent\` of mandate/compat`
}

function isEmbeddingModel(value: unknown): string | undefined {
  const missing = has('embed')(value)
  if (missing !== undefined) return missing
  const problem = nameProblem((value as { readonly id?: unknown }).id, MODEL_ID_MAX)
  return problem === undefined ? undefined : `has an \`id\` that ${problem}`
}

function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return `is ${shown(value)}. Give a list`
    const index = value.findIndex((item) => check(item) !== undefined)
    return index < 0 ? undefined : `has an item ${index + 1} that ${check(value[index])}`
  }
}

function has(...methods: readonly string[]): Check {
  return (value) => {
    const isGood = (name: string): boolean => typeof (value as Record<string, unknown> | null)?.[name] === 'function'
    const missing = methods.find((name) => !isGood(name))
    return missing === undefined ? undefined : `must have a method \`${missing}\``
  }
}

function isWindow(value: unknown): string | undefined {
  if (isRecord(value) !== undefined) return isRecord(value)
  checkFields(value, 'a field of `history`', HISTORY_WINDOW)
  for (const [field, member] of Object.entries(value as object)) {
    if (member === undefined || (field === 'compact' && typeof member === 'boolean')) continue
    const problem = field === 'compact' ? 'must be true or false' : isCount(member)
    if (problem !== undefined) return `has a \`${field}\` that ${problem}`
  }
  return undefined
}

function isHydration(value: unknown): string | undefined {
  if (isRecord(value) !== undefined) return isRecord(value)
  checkFields(value, 'a field of `hydrate`', HYDRATION)
  const { collection, limit, query } = value as Partial<NonNullable<AgentConfig['hydrate']>>
  // A misspelt comparison would be refused only when the first session is opened.
  if (query !== undefined) conditionsOf(query)
  if (typeof collection !== 'string' || collection === '') return 'needs the name of a `collection`'
  return limit === undefined || isCount(limit) === undefined ? undefined : `has a \`limit\` that ${isCount(limit)}`
}

/** Every member of an option with its check. */
type Checks<T extends object> = { readonly [F in keyof Required<T>]: Check }

const SCOPE: Check = (value) =>
  value === 'session' || value === 'identity' ? undefined : `is ${shown(value)}. Use "session" or "identity"`
const COUNT_OR_NONE: Check = (value) => (value === 0 ? undefined : isCount(value))
const RECALL: Checks<Recall> = { last: COUNT_OR_NONE, related: COUNT_OR_NONE, scope: SCOPE }
const WORKING_MEMORY: Checks<WorkingMemory> = {
  scope: SCOPE,
  template: isText,
  maxLength: isCount,
  collection: (value) => nameProblem(value),
}
const POLICY: Checks<MemoryPolicy> = {
  dryRun: isFlag,
  keepReasoning: isFlag,
  ttlMs: isCount,
  maxEntries: isCount,
}

function membersOf(name: string, checks: () => Readonly<Record<string, Check>>): Check {
  return (value) => {
    if (isRecord(value) !== undefined) return isRecord(value)
    checkFields(value, `a field of \`${name}\``, checks())
    for (const [member, given] of Object.entries(value as object)) {
      const problem = given === undefined ? undefined : checks()[member]?.(given)
      if (problem !== undefined) return `has a \`${member}\` that ${problem}`
    }
    return undefined
  }
}

function isFlag(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : `is ${shown(value)}. Use true or false`
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  return (JSON.stringify(toPlain(value).value) ?? 'nothing').slice(0, 80)
}

function disagreement(first: string, second: string): MandateError {
  return invalid(first, `and \`${second}\` are two names for one thing and disagree. Give one of them`)
}

function invalid(field: string, what: string): MandateError {
  return new MandateError('CONFIG_INVALID', `\`${field}\` ${what}.`)
}
