import type { RunEventBus } from '../../journal/index.ts'
import { VERIFY_OPTIONS, exportRun } from '../../journal/index.ts'
import { EventBus, MandateError, checkId, newId, checkFields } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { lowestLimits } from '../../gate/index.ts'
import type { Mandate, Permission } from '../../gate/index.ts'
import type {
  Entry,
  Identity,
  Journal,
  RunFilter,
  RunSummary,
  SignedHead,
  VerifyOptions,
  VerifyReport,
} from '../../journal/index.ts'
import type { PromptDraft, PromptTemplate } from '../../memory/index.ts'
import { DEFAULT_PRICES, type Message } from '../../model/index.ts'
import { FORK_OPTIONS, Kernel, ownKernel } from '../../run/index.ts'
import type {
  ApprovalRequest,
  AnswerReceipt,
  ApprovalResponse,
  AuditOptions,
  AuditReport,
  ForkOptions,
  InboxOptions,
  InboxPage,
  ReplayReport,
  RuleApproval,
  RuleApprovalFilter,
} from '../../run/index.ts'
import { toolFrom } from '../../tool/index.ts'
import type { ToolLike } from '../../tool/index.ts'
import { agentMind } from '../loop/agent-mind.ts'
import { configOf } from '../config/agent-type.ts'
import type { AgentType } from '../config/agent-type.ts'
import type { AgentHost } from '../loop/agent-mind.ts'
import { AgentRun, refusedRun } from '../session/agent-run.ts'
import type { AgentConfig, AgentSpec } from '../config/config-types.ts'
import { readConfig } from '../config/config.ts'
import { deterministicSources } from './deterministic-clock.ts'
import { RunObserver } from './run-observer.ts'
import { ON_DEMAND_OPTIONS, OnDemandAgents, checkTtl, onDemandMandate } from './temporary-agents.ts'
import type { OnDemandAgent, OnDemandOptions } from './temporary-agents.ts'
import type { AgentResult } from '../output/result-types.ts'
import { checkResumeOptions, checkRunOptions, readInput, readPlace } from '../session/run-options.ts'
import type { Prompt, ResumeOptions, RunOptions } from '../session/run-options.ts'
import { checkApproveOptions, checkServiceOptions } from './service-options.ts'
import type { ApproveOptions, Health, ServiceOptions } from './service-options.ts'
import { Schedules } from '../schedule/schedules.ts'
import { AgentSession } from '../session/session.ts'
import type { SessionOptions, SessionRun } from '../session/session.ts'
import { answerAll } from './bulk-answers.ts'
import { ServiceAs } from './service-as.ts'
import { changePolicy, closeParts, checkReach, healthOf, storePrompt } from './service-upkeep.ts'

const ABORTED = 'aborted by the caller'

/**
 * The host: agents, tools, models, stores, policy. It creates sessions, answers approvals and finds runs again.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { scripted } from 'mandate/model'
 * const service = new AgentService({ agents: [{ id: 'greeter', model: scripted(['Hello.']) }] })
 * const result = await service.run('greeter', 'Say hello.')
 * await service.stop()
 * ```
 */
export class AgentService {
  readonly kernel: Kernel
  readonly events: RunEventBus
  readonly schedules: Schedules
  readonly #specs = new Map<string, AgentSpec>()
  readonly #options: ServiceOptions
  readonly #identity: Identity
  readonly #observer: RunObserver
  readonly #onDemand: OnDemandAgents
  #stopped: Promise<void> | undefined

  constructor(options: ServiceOptions = {}) {
    checkServiceOptions(options)
    const {
      store,
      deterministic,
      sinks = [],
      minds = [],
      agents = [],
      tools = [],
      agentTypes = [],
      toolRegistry: _registry,
      promptStore,
      modelSources: _sources,
      ...kernel
    } = options
    this.#options = options
    this.#identity = options.identity ?? { id: 'local', roles: ['owner'] }
    this.events = new EventBus()
    for (const sink of sinks) this.events.addSink(sink)
    const own = new Kernel({
      ...kernel,
      events: this.events,
      onEntry: (entry) => this.#observer.saw(entry),
      journal: store?.journal ?? options.journal,
      ...deterministicSources(deterministic, options.clock),
    })
    this.kernel = ownKernel(this, own)
    this.#observer = new RunObserver(this.kernel)
    this.#onDemand = new OnDemandAgents(this.kernel.clock, (id) => this.#forget(id))
    this.kernel.registry.prompts ??= promptStore
    this.schedules = new Schedules(this.kernel, this.#identity, (agent, by) => this.#checkRun(agent, by))
    for (const mind of minds) this.kernel.registry.registerMind(mind)
    for (const tool of tools) this.registerTool(tool)
    for (const type of agentTypes) this.registerType(type)
    for (const agent of agents) this.register(agent)
  }

  get journal(): Journal {
    return this.kernel.journal
  }

  /**
   * The service as one identity sees it: everything is checked against its roles and recorded in its name. Make one for each request.
   *
   * @example
   * ```ts
   * import { AgentService } from 'mandate'
   * const service = new AgentService({ mandate: { roles: { reviewer: ['approve', 'read-journal'] } } })
   * const ana = service.as({ id: 'ana', roles: ['reviewer'] })
   * for (const { id, name, input } of await ana.approvals()) console.log(id, name, input)
   * ```
   */
  as(identity: Identity): ServiceAs {
    return new ServiceAs(this, identity)
  }

  /** Adds an agent. The identity needs the right to create agents, and to register tools if the agent brings its own. */
  register(config: AgentConfig, by: Identity = this.#identity): AgentSpec {
    this.#check(by, 'create-agent')
    const { promptStore, modelSources } = this.#options
    const spec = readConfig(promptStore === undefined ? config : { promptStore, ...config }, modelSources)
    if (config.tools !== undefined && spec.tools.length > 0) this.#check(by, 'register-tool')
    const host: AgentHost = {
      deterministic: this.#options.deterministic !== undefined,
      prices: this.#options.prices ?? DEFAULT_PRICES,
      describe: (id) => this.#specs.get(id)?.description ?? '',
    }
    this.kernel.registry.registerMind(agentMind(spec, host))
    this.#specs.set(spec.id, spec)
    return spec
  }

  /** Adds a type of agents that others may spawn, and that can be run by its name like any agent. Its packs must be there. */
  registerType(type: AgentType, by: Identity = this.#identity): AgentSpec {
    return this.register(configOf(type, this.#options.toolRegistry), by)
  }

  /**
   * Makes an agent for its owner alone, until its time is over. It never destroys anything, and its runs end with it; what they did can be read for ever.
   * The owner needs the right to create agents.
   */
  createOnDemand(options: OnDemandOptions): OnDemandAgent {
    checkFields(options, 'an option of `createOnDemand`', ON_DEMAND_OPTIONS)
    const { config, owner, ttlMs } = options
    checkTtl(ttlMs)
    this.#onDemand.sweep()
    const id = config.id ?? newId('agent', this.kernel.clock, this.kernel.random)
    return this.#onDemand.add(
      this.register({ ...config, id, mandate: onDemandMandate(owner, config.mandate) }, owner),
      options,
    )
  }

  /** Unregisters an agent. Running runs continue; no run is started or resumed any more, and stored runs stay. */
  unregister(id: string, by: Identity = this.#identity): void {
    this.#check(by, 'create-agent')
    this.agent(id)
    this.#forget(id)
  }

  /** Adds a tool that every mind can name. The identity needs the right to register tools. */
  registerTool(tool: ToolLike, by: Identity = this.#identity): void {
    this.#check(by, 'register-tool')
    this.kernel.registry.registerTool(toolFrom(tool))
  }

  /** Changes a prompt of the service's store: a new version, with its author. */
  async putPrompt(prompt: PromptDraft, by: Identity = this.#identity): Promise<PromptTemplate> {
    this.#check(by, 'change-prompt')
    return storePrompt(this.kernel, prompt, by.id)
  }

  /** Changes the mandate of the host. It holds for every run that is started or resumed from now on. */
  async setPolicy(mandate: Mandate | undefined, by: Identity = this.#identity): Promise<void> {
    this.#check(by, 'change-policy')
    return changePolicy(this.kernel, mandate, by.id)
  }

  agent(id: string): AgentSpec {
    this.#onDemand.check(id)
    const spec = this.#specs.get(id)
    if (spec !== undefined) return spec
    const known = [...this.#specs.keys()].join(', ') || 'none'
    throw new MandateError('NOT_FOUND', `There is no agent "${id}" here. Registered: ${known}.`)
  }

  /** A session: its own conversation, cancellation and counters. Two sessions share nothing that changes. */
  createSession(agentId: string, options: SessionOptions = {}): AgentSession<Json> {
    checkRunOptions(options)
    const { identity = this.#identity } = options
    this.#checkRun(agentId, identity)
    const id = checkId(options.sessionId ?? newId('session', this.kernel.clock, this.kernel.random), 'The session id')
    return new AgentSession(id, {
      options,
      events: this.events,
      isStructured: () => this.#isStructured(agentId),
      newRunId: () => this.#newRunId(),
      start: (prompt, run) => this.#begin(agentId, prompt, { ...run, sessionId: id }),
      // The session started its runs itself, in whosever name.
      conversation: (runId) => this.#observer.conversation(runId),
      cancel: (runId, reason) => this.cancel(runId, reason),
      interrupt: (runId) => this.kernel.interrupt(runId),
    })
  }

  /**
   * Runs a task until it is finished, fails, or waits for an answer. Returns a handle at once: await it for the result, iterate over it for the events.
   *
   * @example
   * ```ts
   * import { AgentService } from 'mandate'
   * import { scripted } from 'mandate/model'
   * const service = new AgentService({ agents: [{ id: 'greeter', model: scripted(['Hello.']) }] })
   * const run = service.run('greeter', 'Say hello.')
   * for await (const { type } of run) console.log(type)
   * const { status } = await run
   * ```
   */
  run(agentId: string, prompt?: Prompt, options: RunOptions = {}): AgentRun<Json> {
    return this.#handle(options.runId, (runId) => {
      const begun = this.#begin(agentId, prompt, { ...options, runId })
      const abort = (reason?: string): void => begun.abort(reason)
      const cancel = (reason?: string): Promise<void> => this.cancel(runId, reason, options.identity)
      const isStructured = (): boolean => this.#isStructured(agentId)
      return new AgentRun(runId, { events: this.events, result: begun.result, isStructured, abort, cancel })
    })
  }

  /** The same in a session of its own. */
  runOnce(agentId: string, options: SessionOptions & { readonly prompt?: Prompt } = {}): AgentRun<Json> {
    const { prompt, ...session } = options
    return this.#handle(undefined, (runId) => this.createSession(agentId, session).run(prompt, { runId }))
  }

  /**
   * Continues a run after a crash, a suspension or an upgrade; nothing recorded is repeated or emitted again. Returns a handle, as `run` does. The identity needs the right to run
   * agents, and to read the run; for another `budget`, which is recorded with who gave it, also the right to approve.
   *
   * @example
   * ```ts
   * import { AgentService } from 'mandate'
   * const service = new AgentService()
   * const goOn = (runId: string) => service.resume(runId, { budget: { money: 5 } })
   * ```
   */
  resume(runId: string, options: ResumeOptions = {}): AgentRun<Json> {
    const cancel = (reason?: string): Promise<void> => this.cancel(runId, reason, options.identity)
    let agentId: string | undefined
    return new AgentRun(runId, {
      events: this.events,
      result: this.#resume(runId, options, (name) => (agentId = name)),
      isStructured: () => this.#isStructured(agentId),
      abort: (reason) => void cancel(reason).catch(() => {}),
      cancel,
    })
  }

  async #resume(runId: string, options: ResumeOptions, onFound: (id?: string) => void): Promise<AgentResult<Json>> {
    checkResumeOptions(options)
    const { identity = this.#identity, budget } = options
    await this.kernel.authorise(identity, 'run-agent', runId)
    await this.#checkRead(runId, identity)
    const name = (await this.journal.summary(runId))?.name
    onFound(name)
    if (name !== undefined) this.#onDemand.check(name)
    const abort = (): void => void this.cancel(runId, ABORTED, identity).catch(() => {})
    return this.#observer.follow(runId, {
      options,
      by: identity,
      abort,
      outcome: () => this.kernel.resume(runId, { budget, identity }),
    })
  }

  /** The result of a run so far, from its journal alone. */
  async result(runId: string, by: Identity = this.#identity): Promise<AgentResult<Json>> {
    await this.#checkRead(runId, by)
    return this.#observer.result(runId, by)
  }

  /** The conversation of a run. */
  async messages(runId: string, by?: Identity): Promise<readonly Message[]> {
    await this.#checkRead(runId, by)
    return this.#observer.messages(runId)
  }

  /** The entries of a run, verified while they are read. */
  async *entries(
    runId: string,
    options: { readonly fromSeq?: number; readonly by?: Identity } = {},
  ): AsyncGenerator<Entry> {
    checkFields(options, 'an option of `entries`', { fromSeq: true, by: true }, 'INPUT_INVALID')
    await this.#checkRead(runId, options.by)
    yield* this.journal.read(runId, options.fromSeq)
  }

  /** A run as lines of JSON, ending with its signed head where the service has a `signer`. */
  async *export(runId: string, by?: Identity): AsyncGenerator<string> {
    await this.#checkRead(runId, by)
    yield* exportRun(this.journal, runId, this.#options.signer)
  }

  async replay(runId: string, by?: Identity): Promise<ReplayReport> {
    await this.#checkRead(runId, by)
    return this.kernel.replay(runId)
  }

  /** Creates a run that shares the beginning of another. The identity needs the rights to read that run and to run its agent; if given, the fork continues in its name. */
  async fork(runId: string, options?: ForkOptions, by?: Identity): Promise<string> {
    checkFields(options, 'an option of `fork`', FORK_OPTIONS)
    await this.#checkRead(runId, by)
    await this.kernel.authorise(by === undefined ? this.#identity : by, 'run-agent', runId)
    return this.kernel.fork(runId, by === undefined ? options : { ...options, identity: by })
  }

  /** Checks a run's chain, that nothing got around the gate, and, against a head kept elsewhere, that it is still the same run. */
  async verify(runId: string, options?: VerifyOptions, by?: Identity): Promise<VerifyReport> {
    checkFields(options, 'an option of `verify`', VERIFY_OPTIONS)
    await this.#checkRead(runId, by)
    return this.kernel.verify(runId, options)
  }

  /** Verifies every run, and lists the incidents and all that was blocked or changed. Needs the right to read journals. */
  async audit(options?: AuditOptions, by: Identity = this.#identity): Promise<AuditReport> {
    this.#check(by, 'read-journal')
    return this.kernel.audit(options)
  }

  /** Where a run stands, signed with the service's `signer`. */
  async signedHead(runId: string, by?: Identity): Promise<SignedHead> {
    await this.#checkRead(runId, by)
    return this.kernel.signedHead(runId)
  }

  cancel(runId: string, reason?: string, by?: Identity): Promise<void> {
    return this.kernel.cancel(runId, reason, by)
  }

  /** Sends a steering message to a run, as a text or a user message; its agent reads it at its next turn. */
  steer(runId: string, message: Json, by?: Identity): Promise<void> {
    return this.kernel.steer(runId, message, by)
  }

  /** The runs that an identity may know of: with the right to read journals all, otherwise those it started. */
  runs(filter?: RunFilter, by: Identity = this.#identity): Promise<readonly RunSummary[]> {
    return this.kernel.list(filter, by)
  }

  /** What waits for a human, everywhere or in one run, as far as the identity may answer or read it. */
  approvals(of?: string | InboxOptions, by: Identity = this.#identity): Promise<readonly ApprovalRequest[]> {
    return this.kernel.approvals(of, by)
  }

  /** The same page by page (`{ limit, after: page.next }`), and with the runs whose requests cannot be read. */
  inbox(options?: InboxOptions, by: Identity = this.#identity): Promise<InboxPage> {
    return this.kernel.inbox(options, by)
  }

  /** Approves a call, or several: each is checked by itself, and those that are refused are told once the others are recorded. */
  async approve(approvalId: string | readonly string[], options: ApproveOptions = {}): Promise<AnswerReceipt> {
    checkApproveOptions(options)
    const { by, reason: text, ...response } = options
    return this.#respond(approvalId, { answer: 'approve', ...response, ...(text === undefined ? {} : { text }) }, by)
  }

  reject(approvalId: string | readonly string[], reason?: string, by?: Identity): Promise<AnswerReceipt> {
    return this.#respond(approvalId, { answer: 'reject', text: reason }, by)
  }

  async #respond(id: string | readonly string[], response: ApprovalResponse, by?: Identity): Promise<AnswerReceipt> {
    if (typeof id === 'string') return this.kernel.respond(id, response, by)
    return answerAll(this.kernel, id, response, by)
  }

  /** Answers a question that an agent asked. */
  answer(approvalId: string, value: Json, by?: Identity): Promise<AnswerReceipt> {
    return this.kernel.respond(approvalId, { answer: 'answer', value }, by)
  }

  /** Says what became of a call that was in flight when a process ended. */
  settle(
    approvalId: string,
    what: 'happened' | 'not-happened' | 'unknown',
    value?: Json,
    by?: Identity,
  ): Promise<AnswerReceipt> {
    return this.kernel.respond(approvalId, { answer: what, ...(value === undefined ? {} : { value }) }, by)
  }

  /** The approvals with the scope `rule` that are in force, newest first; with `all`, also those that have ended. Takes the right to approve or to read journals. */
  standingApprovals(filter?: RuleApprovalFilter, by: Identity = this.#identity): Promise<readonly RuleApproval[]> {
    return this.kernel.standingApprovals(filter, by)
  }

  /** Ends an approval with the scope `rule`, from the next call on and in every process over the store. Takes the right to approve. */
  revoke(approvalId: string, reason?: string, by?: Identity): Promise<void> {
    return this.kernel.revoke(approvalId, reason, by)
  }

  /** Whether the service can do its work: it lists what it has and tries its store. */
  async health(): Promise<Health> {
    return healthOf([...this.#specs.keys()], this.journal, this.#stopped !== undefined)
  }

  /** Suspends what is running, durably, closes models and the store it was given, and is done. A second call waits for the first. */
  stop(): Promise<void> {
    this.#stopped ??= this.#close()
    return this.#stopped
  }

  async #close(): Promise<void> {
    this.schedules.stop()
    await this.kernel.stop()
    await closeParts(this.kernel, {
      observed: this.#observer.settled(),
      specs: [...this.#specs.values()],
      store: this.#options.store,
    })
  }

  /** What cannot begin rejects when it is awaited; it does not throw at once. */
  #handle(given: string | undefined, begin: (runId: string) => AgentRun<Json>): AgentRun<Json> {
    const runId = given ?? this.#newRunId()
    try {
      return begin(runId)
    } catch (error) {
      return refusedRun(runId, this.events, error)
    }
  }

  #newRunId(): string {
    return newId('run', this.kernel.clock, this.kernel.random)
  }

  #begin(agentId: string, prompt: Prompt, options: RunOptions): SessionRun {
    checkRunOptions(options)
    const { identity = this.#identity } = options
    const leftMs = this.#checkRun(agentId, identity)
    checkReach(this.agent(agentId), [...this.#specs.keys()])
    const input = readInput(prompt, this.agent(agentId).taskPrompt, options) as unknown as Json
    const place = readPlace(options)
    const budget = leftMs === undefined ? place.budget : lowestLimits({ timeMs: leftMs }, place.budget)
    const seed = this.#options.deterministic === undefined ? undefined : String(this.#options.deterministic.seed)
    const spec = { kind: 'agent' as const, name: agentId, input, identity, seed, ...place, budget }
    const handle = this.kernel.begin(spec)
    const { runId } = handle
    const abort = (reason?: string): void => handle.abort(reason)
    const following = { options, by: identity, agentId, abort: () => abort(ABORTED), outcome: () => handle.outcome }
    return { runId, result: this.#observer.follow(runId, following), abort }
  }

  #isStructured(agentId: string | undefined): boolean {
    return agentId !== undefined && this.#specs.get(agentId)?.output !== undefined
  }

  #check(by: Identity, permission: Permission): void {
    this.kernel.check(by, permission)
  }

  /** Whether an identity may run an agent; how long there still is one, where that is limited. */
  #checkRun(agentId: string, by: Identity): number | undefined {
    this.agent(agentId)
    this.kernel.check(by, 'run-agent', { mind: 'agent', name: agentId })
    return this.#onDemand.check(agentId, by)
  }

  #checkRead(runId: string, by: Identity = this.#identity): Promise<void> {
    return this.kernel.authorise(by, 'read-journal', runId)
  }

  #forget(id: string): void {
    this.#specs.delete(id)
    this.kernel.registry.unregisterMind('agent', id)
  }
}
