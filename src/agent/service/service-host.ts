import { EventBus, MandateError, messageOf, newId } from '../../core/index.ts'
import { checkNames, may } from '../../gate/index.ts'
import type { Permission } from '../../gate/index.ts'
import { frozenIdentity } from '../../journal/index.ts'
import type { Identity, RunEventBus } from '../../journal/index.ts'
import type { PromptStore } from '../../memory/index.ts'
import { DEFAULT_PRICES } from '../../model/index.ts'
import type { Model } from '../../model/index.ts'
import type { Mind } from '../../run/index.ts'
import { Kernel, checkSession, knownTargets } from '../../run/index.ts'
import { toolFrom } from '../../tool/index.ts'
import type { ToolLike } from '../../tool/index.ts'
import { configOf } from '../config/agent-type.ts'
import { cellMind } from '../config/code-mode.ts'
import type { AgentConfig, AgentSpec } from '../config/config-types.ts'
import { modelNamed, readConfig } from '../config/config.ts'
import { modelsOf } from '../config/models.ts'
import { agentHostOf, setAgentHost } from '../loop/agent-host.ts'
import { agentMind } from '../loop/agent-mind.ts'
import { ScheduleKeeper } from '../schedule/schedule-keeper.ts'
import { deterministicSources } from './deterministic-clock.ts'
import { checkMandateOf } from './own-names.ts'
import { RunObserver } from './run-observer.ts'
import { checkServiceOptions } from './service-options.ts'
import type { ServiceOptions } from './service-options.ts'
import { OnDemandAgents } from './temporary-agents.ts'

/** The identity of a service without one: the owner of the process. */
const LOCAL_OWNER: Identity = { id: 'local', roles: ['owner'] }

/** The parts of a service, shared by its views: kernel, agents, schedules. Not reachable from any public object. */
export class ServiceHost {
  readonly kernel: Kernel
  readonly events: RunEventBus
  readonly options: ServiceOptions
  /** The identity of the service itself. */
  readonly identity: Identity
  readonly specs: Map<string, AgentSpec> = new Map()
  readonly observer: RunObserver
  readonly onDemand: OnDemandAgents
  readonly schedules: ScheduleKeeper
  /** Agents whose mandates may name what is not registered yet: they are checked once all that they can call is here. */
  readonly #unchecked = new Set<AgentSpec>()
  #isMade = false
  /** Models of overseers that no agent has, by name. */
  readonly #judges = new Map<string, Model>()

  constructor(options: ServiceOptions) {
    checkServiceOptions(options)
    this.options = options
    this.identity = frozenIdentity(options.identity === undefined ? LOCAL_OWNER : options.identity)
    this.events = new EventBus()
    for (const sink of options.sinks ?? []) this.events.addSink(sink)
    this.kernel = this.#newKernel(options)
    setAgentHost(this.kernel.registry, {
      kernel: this.kernel,
      deterministic: options.deterministic !== undefined,
      prices: options.prices ?? DEFAULT_PRICES,
      describe: (id) => this.specs.get(id)?.description ?? '',
      facts: (kind, name) => this.kernel.registry.mind(kind, name)?.facts?.() ?? {},
      model: (id) => modelsOf(this.specs.values()).find((model) => model.id === id),
    })
    this.kernel.registry.judge = (name) => this.#judge(name)
    this.observer = new RunObserver(this.kernel)
    this.onDemand = new OnDemandAgents(this.kernel.clock, (id) => this.forget(id))
    this.kernel.registry.prompts ??= options.promptStore
    this.schedules = new ScheduleKeeper(this.kernel, this.identity, (agent, by) => this.checkRun(agent, by))
    for (const mind of options.minds ?? []) this.kernel.registry.registerMind(mind)
    for (const tool of options.tools ?? []) this.registerTool(tool, this.identity)
    for (const type of options.agentTypes ?? []) this.register(configOf(type, options.toolRegistry), this.identity)
    for (const agent of options.agents ?? []) this.register(agent, this.identity)
    this.#isMade = true
    for (const spec of this.specs.values()) this.#checkNames(spec)
    if (this.specs.size > 0) checkMandateOf(this.kernel)
  }

  /** Throws if the mandate of an agent has a misspelt name. Waits for what the agent may call, whose tools its mandate covers as well. */
  #checkNames(spec: AgentSpec, further?: Pick<Mind, 'kind' | 'name' | 'resources'>): void {
    const { registry } = this.kernel
    const isOpen =
      [...spec.agents, ...spec.agentTypes].some((name) => registry.mind('agent', name) === undefined) ||
      spec.graphs.some((name) => registry.mind('graph', name) === undefined) ||
      spec.programs.some((name) => registry.mind('program', name) === undefined)
    if (isOpen) this.#unchecked.add(spec)
    else {
      checkNames(spec.mandate, () => knownTargets(registry, further), `The agent "${spec.id}"`)
      this.#unchecked.delete(spec)
    }
  }

  #newKernel(options: ServiceOptions): Kernel {
    const {
      store,
      deterministic,
      sinks: _sinks,
      minds: _minds,
      agents: _agents,
      tools: _tools,
      agentTypes: _types,
      toolRegistry: _registry,
      promptStore: _prompts,
      modelSources: _sources,
      ...kernel
    } = options
    return new Kernel({
      ...kernel,
      identity: this.identity,
      events: this.events,
      onEntry: (entry) => this.observer.saw(entry),
      journal: store?.journal ?? options.journal,
      ...deterministicSources(deterministic, options.clock),
    })
  }

  register(config: AgentConfig, by: Identity): AgentSpec {
    this.kernel.check(by, 'create-agent')
    const { promptStore, modelSources } = this.options
    const spec = readConfig(promptStore === undefined ? config : { promptStore, ...config }, modelSources)
    if (config.tools !== undefined && spec.tools.length > 0) this.kernel.check(by, 'register-tool')
    this.#add(spec)
    return spec
  }

  /** Takes over the agents of another service. */
  adopt(specs: Iterable<AgentSpec>): void {
    for (const spec of specs) this.#add(spec)
  }

  #add(spec: AgentSpec): void {
    const { registry } = this.kernel
    const mind = agentMind(spec, agentHostOf(registry))
    if (this.#isMade) this.#checkNames(spec, mind)
    const cells = cellMind(spec, this.kernel, mind.resources)
    registry.registerMind(mind)
    if (cells !== undefined) registry.registerMind(cells)
    this.specs.set(spec.id, spec)
  }

  /** The model that a mandate names for its overseer: of any agent, or of an installed provider. */
  #judge(name: string): Model | undefined {
    const known = modelsOf(this.specs.values()).find(({ id, modelId }) => id === name || modelId === name)
    if (known !== undefined || !name.includes('/')) return known
    const judge = this.#judges.get(name) ?? judgeNamed(name, this.options)
    this.#judges.set(name, judge)
    return judge
  }

  registerTool(tool: ToolLike, by: Identity): void {
    this.kernel.check(by, 'register-tool')
    this.kernel.registry.registerTool(toolFrom(tool))
  }

  /** A registered agent that has not expired. */
  agent(id: string): AgentSpec {
    this.onDemand.check(id)
    const spec = this.specs.get(id)
    if (spec !== undefined) return spec
    const known = [...this.specs.keys()].join(', ') || 'none'
    throw new MandateError('NOT_FOUND', `There is no agent "${id}" here. Registered: ${known}.`)
  }

  forget(id: string): void {
    this.specs.delete(id)
    this.kernel.registry.unregisterMind('agent', id)
    this.kernel.registry.unregisterMind('cell', id)
  }

  newId(prefix: string): string {
    return newId(prefix, this.kernel.clock, this.kernel.random)
  }

  /** Throws unless the identity may run the agent. Returns the remaining milliseconds of a temporary agent. */
  checkRun(agentId: string, by: Identity): number | undefined {
    const spec = this.agent(agentId)
    if (this.#unchecked.has(spec)) this.#checkNames(spec)
    this.kernel.check(by, 'run-agent', { mind: 'agent', name: agentId })
    return this.onDemand.check(agentId, by)
  }

  /** Throws unless the identity has one of the permissions. */
  checkAny(by: Identity, permissions: readonly Permission[]): void {
    const { mandate = {} } = this.kernel
    if (!permissions.some((permission) => may(by, permission, mandate))) this.kernel.check(by, permissions[0]!)
  }

  /** The prompt store, for identities that may change prompts or read journals. */
  promptsFor(by: Identity): PromptStore {
    this.checkAny(by, ['change-prompt', 'read-journal'])
    const { prompts } = this.kernel.registry
    if (prompts !== undefined) return prompts
    throw new MandateError('CONFIG_INVALID', 'There is no prompt store. Give the service a `promptStore`.')
  }

  /** Throws unless the identity may start runs in a session. */
  async checkSession(sessionId: string, by: Identity): Promise<void> {
    return checkSession({ journal: this.kernel.journal, identity: this.identity }, sessionId, by)
  }

  /** Whether the identity may run the agent. */
  isOpenTo(agentId: string, by: Identity): boolean {
    try {
      this.checkRun(agentId, by)
      return true
    } catch {
      return false
    }
  }

  checkRead(runId: string, by: Identity): Promise<void> {
    return this.kernel.authorize(by, 'read-journal', runId)
  }
}

const hosts = new WeakMap<object, ServiceHost>()

/** Records the host of a service, for the rooms of this package only. */
export function keepServiceHost(service: object, host: ServiceHost): void {
  hosts.set(service, host)
}

/** The host of a service. */
export function serviceHostOf(service: object): ServiceHost {
  const host = hosts.get(service)
  if (host !== undefined) return host
  throw new MandateError('CONFIG_INVALID', 'This is no service. Give an `AgentService`.')
}

function judgeNamed(name: string, { modelSources }: ServiceOptions): Model {
  try {
    return modelNamed(name, modelSources)
  } catch (error) {
    // The message names the field `model` of agents.
    throw new MandateError('CONFIG_INVALID', `The model of \`overseer.drift.model\`: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

/** Throws if the object is not the host of a service. */
export function checkHost(host: object): ServiceHost {
  if (host instanceof ServiceHost) return host
  throw new MandateError('CONFIG_INVALID', 'Views of a service are made by `service.as(identity)`.')
}
