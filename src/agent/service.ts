import { EventBus, MandateError, manualClock, newId } from '../core/index.ts'
import type { Clock, EventSink, Json } from '../core/index.ts'
import { may } from '../gate/index.ts'
import type { Permission } from '../gate/index.ts'
import { readAll } from '../journal/index.ts'
import type { Identity, Journal, RunFilter, RunSummary, VerifyReport } from '../journal/index.ts'
import type { Message } from '../model/index.ts'
import { Kernel, deterministicRandom } from '../run/index.ts'
import type { ApprovalRequest, ForkOptions, KernelOptions, Mind, ReplayReport, RunOutcome } from '../run/index.ts'
import { toolFrom } from '../tool/index.ts'
import { agentMind } from './agent-mind.ts'
import { AgentRun } from './agent-run.ts'
import { readConfig } from './config.ts'
import type { AgentConfig, AgentSpec } from './config.ts'
import { agentResult, conversationOf } from './result.ts'
import type { AgentResult } from './result-types.ts'
import { callbackListener, readPrompt } from './run-options.ts'
import type { Prompt, RunOptions } from './run-options.ts'
import { AgentSession } from './session.ts'
import type { SessionOptions } from './session.ts'

export interface ServiceOptions extends Omit<KernelOptions, 'random' | 'events'> {
  /** Where runs are kept: anything with a journal. */
  readonly store?: { readonly journal: Journal; close?(): Promise<void> } | undefined
  /** Two services with the same seed, and the same things asked of them, write the same journals byte for byte. */
  readonly deterministic?: { readonly seed: string | number; readonly clock?: Clock | undefined } | undefined
  readonly sinks?: readonly EventSink[] | undefined
  /** Other kinds of minds that runs may start. */
  readonly minds?: readonly Mind[] | undefined
  readonly agents?: readonly AgentConfig[] | undefined
  /** Tools that every mind can name. */
  readonly tools?: readonly unknown[] | undefined
}

export interface ApproveOptions {
  readonly scope?: 'once' | 'run' | 'rule' | undefined
  readonly edit?: Json | undefined
  readonly hash?: string | undefined
  readonly by?: Identity | undefined
}

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
  #stopped: Promise<void> | undefined

  constructor(options: ServiceOptions = {}) {
    const { store, deterministic, sinks = [], minds = [], agents = [], tools = [], ...kernel } = options
    this.#options = options
    this.#identity = options.identity ?? { id: 'local', roles: ['owner'] }
    this.events = new EventBus()
    for (const sink of sinks) this.events.addSink(sink)
    this.kernel = new Kernel({
      ...kernel,
      events: this.events,
      journal: store?.journal ?? options.journal,
      ...(deterministic === undefined
        ? {}
        : { random: deterministicRandom(String(deterministic.seed)), clock: deterministic.clock ?? options.clock ?? manualClock(0, 1) }),
    })
    for (const mind of minds) this.kernel.registry.registerMind(mind as never)
    for (const tool of tools) this.registerTool(tool)
    for (const agent of agents) this.register(agent)
  }

  get journal(): Journal {
    return this.kernel.journal
  }

  /** Adds an agent. The identity needs the right to create agents. */
  register(config: AgentConfig, by: Identity = this.#identity): AgentSpec {
    this.#authorise(by, 'create-agent')
    const spec = readConfig(config)
    this.kernel.registry.registerMind(agentMind(spec) as never)
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
    if (spec === undefined) throw new MandateError('NOT_FOUND', `There is no agent "${id}" here. Registered: ${[...this.#specs.keys()].join(', ') || 'none'}.`)
    return spec
  }

  /** A session: its own conversation, cancellation and counters. Two sessions share nothing that changes. */
  createSession(agentId: string, options: SessionOptions = {}): AgentSession {
    const spec = this.agent(agentId)
    const id = options.sessionId ?? newId('session', this.kernel.clock, this.kernel.random)
    return new AgentSession(id, { spec, options, start: (prompt, run) => this.start(agentId, prompt, { ...run, sessionId: id }), messages: (runId) => this.messages(runId) })
  }

  /** Starts a run and returns at once. */
  start(agentId: string, prompt?: Prompt, options: RunOptions = {}): AgentRun {
    const spec = this.agent(agentId)
    const history = options.history ?? []
    const input = { prompt: readPrompt(prompt, spec.taskPrompt, history), history, context: options.context ?? null } as unknown as Json
    const { runId, sessionId, source, identity = this.#identity, budget, durability } = options
    this.#authorise(identity, 'run-agent')
    const seed = this.#options.deterministic === undefined ? undefined : String(this.#options.deterministic.seed)
    const handle = this.kernel.begin({ kind: 'agent', name: agentId, input, runId, sessionId, source, identity, budget, durability, seed })
    const onAbort = (): void => handle.abort('aborted by the caller')
    if (options.signal?.aborted === true) onAbort()
    options.signal?.addEventListener('abort', onAbort, { once: true })
    const listener = callbackListener(options)
    const stopListening = this.events.on('*', (event) => (event.runId === handle.runId ? listener(event) : undefined))
    const result = handle.outcome
      .then((outcome) => this.#result(handle.runId, outcome))
      .finally(() => {
        stopListening()
        options.signal?.removeEventListener('abort', onAbort)
      })
    return new AgentRun(handle.runId, { events: this.events, result, abort: handle.abort })
  }

  /** Runs a task end to end: until it is finished, fails, or waits for someone. */
  run(agentId: string, prompt?: Prompt, options: RunOptions = {}): Promise<AgentResult> {
    return this.start(agentId, prompt, options).result
  }

  /** The same in a session of its own. */
  runOnce(agentId: string, options: SessionOptions & { readonly prompt?: Prompt } = {}): Promise<AgentResult> {
    return this.createSession(agentId, options).run(options.prompt)
  }

  /** Continues a run after a crash, a suspension or an upgrade; nothing recorded is repeated. */
  async resume(runId: string): Promise<AgentResult> {
    const outcome = await this.kernel.resume(runId)
    return this.#result(outcome.run, outcome)
  }

  /** What a run has come to so far, from its journal alone. */
  async result(runId: string): Promise<AgentResult> {
    return this.#result(runId)
  }

  /** The conversation of a run. */
  async messages(runId: string): Promise<readonly Message[]> {
    return conversationOf(await readAll(this.journal, runId))
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
  settle(approvalId: string, what: 'happened' | 'not-happened' | 'unknown', value?: Json): Promise<void> {
    return this.kernel.respond(approvalId, { answer: what, ...(value === undefined ? {} : { value }) })
  }

  /** Whether the service can do its work: it lists what it has and tries its store. */
  async health(): Promise<{ readonly ok: boolean; readonly agents: readonly string[]; readonly store: string; readonly problem?: string | undefined }> {
    const agents = [...this.#specs.keys()]
    if (this.#stopped !== undefined) return { ok: false, agents, store: 'closed', problem: 'the service has been stopped' }
    try {
      await this.journal.list({ limit: 1 })
      return { ok: true, agents, store: 'ok' }
    } catch (error) {
      return { ok: false, agents, store: 'failed', problem: (error as Error).message }
    }
  }

  /** Suspends what is running, durably, closes models and the store it was given, and is done. A second call waits for the first. */
  stop(): Promise<void> {
    this.#stopped ??= this.#close()
    return this.#stopped
  }

  async #close(): Promise<void> {
    await this.kernel.stop()
    const models = new Set([...this.#specs.values()].flatMap((spec) => spec.models))
    await Promise.allSettled([...models].map((model) => model.close?.()))
    await this.#options.store?.close?.()
  }

  async #result(runId: string, outcome?: RunOutcome): Promise<AgentResult> {
    const entries = await readAll(this.journal, runId)
    if (entries.length === 0) throw new MandateError('NOT_FOUND', `There is no run "${runId}" in this journal.`)
    return agentResult(entries, outcome, { deterministic: this.#options.deterministic !== undefined })
  }

  #authorise(by: Identity, permission: Permission): void {
    if (may(by, permission, this.#options.mandate ?? {})) return
    throw new MandateError('DENIED', `"${by.id}" may not ${permission}: none of its roles (${by.roles.join(', ') || 'none'}) has that permission.`)
  }
}
