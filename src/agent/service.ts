import { EventBus, MandateError, checkId, messageOf, newId } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { may } from '../gate/index.ts'
import type { Permission } from '../gate/index.ts'
import type { Identity, Journal, RunFilter, RunSummary, VerifyReport } from '../journal/index.ts'
import type { Message } from '../model/index.ts'
import { Kernel, deterministicRandom } from '../run/index.ts'
import type { ApprovalRequest, ForkOptions, ReplayReport } from '../run/index.ts'
import { toolFrom } from '../tool/index.ts'
import { agentMind } from './agent-mind.ts'
import type { AgentHost } from './agent-mind.ts'
import { AgentRun } from './agent-run.ts'
import type { AgentConfig, AgentSpec } from './config-types.ts'
import { readConfig } from './config.ts'
import { deterministicClock } from './deterministic-clock.ts'
import { Following } from './following.ts'
import type { AgentResult } from './result-types.ts'
import { readInput, readPlace } from './run-options.ts'
import type { Prompt, ResumeOptions, RunOptions } from './run-options.ts'
import { checkServiceOptions } from './service-options.ts'
import type { ApproveOptions, Health, ServiceOptions } from './service-options.ts'
import { AgentSession } from './session.ts'
import type { SessionOptions, SessionRun } from './session.ts'

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
  readonly events: EventBus
  readonly #specs = new Map<string, AgentSpec>()
  readonly #options: ServiceOptions
  readonly #identity: Identity
  readonly #following: Following
  #stopped: Promise<void> | undefined

  constructor(options: ServiceOptions = {}) {
    checkServiceOptions(options)
    const { store, deterministic, sinks = [], minds = [], agents = [], tools = [], ...kernel } = options
    this.#options = options
    this.#identity = options.identity ?? { id: 'local', roles: ['owner'] }
    this.events = new EventBus()
    for (const sink of sinks) this.events.addSink(sink)
    this.kernel = new Kernel({
      ...kernel,
      events: this.events,
      onEntry: (entry) => this.#following.saw(entry),
      journal: store?.journal ?? options.journal,
      ...(deterministic === undefined
        ? {}
        : {
            random: deterministicRandom(String(deterministic.seed)),
            clock: deterministic.clock ?? options.clock ?? deterministicClock(),
          }),
    })
    this.#following = new Following(this.kernel.journal, this.events)
    for (const mind of minds) this.kernel.registry.registerMind(mind)
    for (const tool of tools) this.registerTool(tool)
    for (const agent of agents) this.register(agent)
  }

  get journal(): Journal {
    return this.kernel.journal
  }

  /** Adds an agent. The identity needs the right to create agents, and to register tools if the agent brings its own. */
  register(config: AgentConfig, by: Identity = this.#identity): AgentSpec {
    this.#authorise(by, 'create-agent')
    const spec = readConfig(config, this.#options.modelSources)
    if (config.tools !== undefined && spec.tools.length > 0) this.#authorise(by, 'register-tool')
    const host: AgentHost = {
      deterministic: this.#options.deterministic !== undefined,
      describe: (id) => this.#specs.get(id)?.description ?? '',
    }
    this.kernel.registry.registerMind(agentMind(spec, host))
    this.#specs.set(spec.id, spec)
    return spec
  }

  /** Adds a tool that every mind can name. The identity needs the right to register tools. */
  registerTool(tool: unknown, by: Identity = this.#identity): void {
    this.#authorise(by, 'register-tool')
    this.kernel.registry.registerTool(toolFrom(tool))
  }

  agent(id: string): AgentSpec {
    const spec = this.#specs.get(id)
    if (spec !== undefined) return spec
    const known = [...this.#specs.keys()].join(', ') || 'none'
    throw new MandateError('NOT_FOUND', `There is no agent "${id}" here. Registered: ${known}.`)
  }

  /** A session: its own conversation, cancellation and counters. Two sessions share nothing that changes. */
  createSession(agentId: string, options: SessionOptions = {}): AgentSession {
    this.agent(agentId)
    const id = checkId(options.sessionId ?? newId('session', this.kernel.clock, this.kernel.random), 'The session id')
    return new AgentSession(id, {
      options,
      start: (prompt, run) => this.#begin(agentId, prompt, { ...run, sessionId: id }),
      messages: (runId) => this.messages(runId),
      cancel: (runId, reason) => this.cancel(runId, reason),
      interrupt: (runId) => this.kernel.interrupt(runId),
    })
  }

  /** Starts a run and returns at once. */
  start(agentId: string, prompt?: Prompt, options: RunOptions = {}): AgentRun {
    const run = this.#begin(agentId, prompt, options)
    return new AgentRun(run.runId, { events: this.events, result: run.result, abort: (reason) => run.abort(reason) })
  }

  /** Runs a task end to end: until it is finished, fails, or waits for someone. */
  async run(agentId: string, prompt?: Prompt, options: RunOptions = {}): Promise<AgentResult> {
    return this.#begin(agentId, prompt, options).result
  }

  /** The same in a session of its own. */
  async runOnce(agentId: string, options: SessionOptions & { readonly prompt?: Prompt } = {}): Promise<AgentResult> {
    const { prompt, ...session } = options
    return this.createSession(agentId, session).run(prompt)
  }

  /** Continues a run after a crash, a suspension or an upgrade; nothing recorded is repeated, or told again. */
  async resume(runId: string, options: ResumeOptions = {}): Promise<AgentResult> {
    const abort = (): void => void this.cancel(runId, ABORTED).catch(() => {})
    return this.#following.follow(runId, { options, abort, outcome: () => this.kernel.resume(runId) })
  }

  /** What a run has come to so far, from its journal alone. */
  async result(runId: string): Promise<AgentResult> {
    return this.#following.result(runId)
  }

  /** The conversation of a run. */
  async messages(runId: string): Promise<readonly Message[]> {
    return this.#following.messages(runId)
  }

  replay(runId: string): Promise<ReplayReport> {
    return this.kernel.replay(runId)
  }

  fork(runId: string, options?: ForkOptions): Promise<string> {
    return this.kernel.fork(runId, options)
  }

  verify(runId: string): Promise<VerifyReport> {
    return this.kernel.verify(runId)
  }

  cancel(runId: string, reason?: string, by?: Identity): Promise<void> {
    return this.kernel.cancel(runId, reason, by)
  }

  /** Says something to a run, as a text or a user message; its agent hears it at its next turn. */
  steer(runId: string, message: Json, by?: Identity): Promise<void> {
    return this.kernel.steer(runId, message, by)
  }

  runs(filter?: RunFilter): Promise<readonly RunSummary[]> {
    return this.kernel.list(filter)
  }

  /** What waits for a human, everywhere or in one run. */
  approvals(runId?: string): Promise<readonly ApprovalRequest[]> {
    return this.kernel.approvals(runId)
  }

  approve(approvalId: string, { by, ...options }: ApproveOptions = {}): Promise<void> {
    return this.kernel.respond(approvalId, { answer: 'approve', ...options }, by)
  }

  reject(approvalId: string, reason?: string, by?: Identity): Promise<void> {
    return this.kernel.respond(approvalId, { answer: 'reject', text: reason }, by)
  }

  /** Answers a question that an agent asked. */
  answer(approvalId: string, value: Json, by?: Identity): Promise<void> {
    return this.kernel.respond(approvalId, { answer: 'answer', value }, by)
  }

  /** Says what became of a call that was in flight when a process ended. */
  settle(
    approvalId: string,
    what: 'happened' | 'not-happened' | 'unknown',
    value?: Json,
    by?: Identity,
  ): Promise<void> {
    return this.kernel.respond(approvalId, { answer: what, ...(value === undefined ? {} : { value }) }, by)
  }

  /** Whether the service can do its work: it lists what it has and tries its store. */
  async health(): Promise<Health> {
    const agents = [...this.#specs.keys()]
    if (this.#stopped !== undefined)
      return { ok: false, agents, store: 'closed', problem: 'the service has been stopped' }
    try {
      await this.journal.list({ limit: 1 })
      return { ok: true, agents, store: 'ok' }
    } catch (error) {
      return { ok: false, agents, store: 'failed', problem: messageOf(error) }
    }
  }

  /** Suspends what is running, durably, closes models and the store it was given, and is done. A second call waits for the first. */
  stop(): Promise<void> {
    this.#stopped ??= this.#close()
    return this.#stopped
  }

  async #close(): Promise<void> {
    await this.kernel.stop()
    await this.#following.settled()
    const used = [...this.#specs.values()].flatMap(({ models, fallbackTool }) => [...models, fallbackTool])
    const models = new Set(used.filter((model) => model !== undefined))
    await Promise.allSettled([...models].map(async (model) => model.close?.()))
    const { store } = this.#options
    await (store?.close === undefined ? store?.journal.close() : store.close())
  }

  #begin(agentId: string, prompt: Prompt, options: RunOptions): SessionRun {
    const spec = this.agent(agentId)
    const input = readInput(prompt, spec.taskPrompt, options) as unknown as Json
    const { identity = this.#identity } = options
    this.#authorise(identity, 'run-agent')
    const seed = this.#options.deterministic === undefined ? undefined : String(this.#options.deterministic.seed)
    const handle = this.kernel.begin({ kind: 'agent', name: agentId, input, identity, seed, ...readPlace(options) })
    const { runId } = handle
    const abort = (reason?: string): void => handle.abort(reason)
    const following = { options, agentId, abort: () => abort(ABORTED), outcome: () => handle.outcome }
    return { runId, result: this.#following.follow(runId, following), abort }
  }

  #authorise(by: Identity, permission: Permission): void {
    if (may(by, permission, this.#options.mandate ?? {})) return
    const roles = by.roles.join(', ') || 'none'
    throw new MandateError(
      'DENIED',
      `"${by.id}" may not ${permission}: none of its roles (${roles}) has that permission.`,
    )
  }
}
