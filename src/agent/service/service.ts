import type { Json } from '../../core/index.ts'
import type { Identity, Journal, RunEventBus } from '../../journal/index.ts'
import { ownKernel } from '../../run/index.ts'
import type { ForkOptions, StopReport } from '../../run/index.ts'
import type { AgentSpec } from '../config/config-types.ts'
import type { AgentRun } from '../session/agent-run.ts'
import type { Prompt, ResumeOptions, RunOptions } from '../session/run-options.ts'
import type { AgentSession, SessionOptions } from '../session/session.ts'
import { forkRun, openSession, resumeRun, startOnce, startRun } from './agent-runs.ts'
import type { RunOnceOptions } from './agent-runs.ts'
import { refuseExtraArguments } from './exact-arguments.ts'
import { DIRECT_OPERATIONS, SERVICE_ARGUMENTS, ServiceAs } from './service-as.ts'
import { ServiceHost, keepServiceHost } from './service-host.ts'
import type { Health, ServiceOptions } from './service-options.ts'
import { closeParts, healthOf } from './service-upkeep.ts'
import type { OnDemandAgent, OnDemandOptions } from './temporary-agents.ts'

/**
 * The host: agents, tools, models, stores, policy. It creates sessions, answers approvals and finds runs. Its operations are those of `ServiceAs`, in
 * the name of the service's own `identity`.
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
export class AgentService extends ServiceAs {
  readonly events: RunEventBus
  readonly #host: ServiceHost
  #stopped: Promise<StopReport> | undefined

  constructor(options: ServiceOptions = {}) {
    const host = new ServiceHost(options)
    super(host, host.identity)
    this.#host = host
    this.events = host.events
    ownKernel(this, host.kernel)
    keepServiceHost(this, host)
  }

  get journal(): Journal {
    return this.#host.kernel.journal
  }

  /**
   * Returns the operations of the service for one identity: each is checked against its roles and recorded in its name. Create one for each request.
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
    return new ServiceAs(this.#host, identity)
  }

  agent(id: string): AgentSpec {
    return this.#host.agent(id)
  }

  /**
   * Creates an agent for its owner alone, until it expires. It cannot do anything destructive, and its runs end with it; their journals stay. The
   * owner needs the permission to create agents.
   */
  override createOnDemand({ owner, ...options }: OnDemandOptions): OnDemandAgent {
    return owner === undefined ? super.createOnDemand(options) : this.as(owner).createOnDemand(options)
  }

  /** Creates a session, with its own conversation, cancellation and counters. Two sessions share no mutable state. */
  override createSession(agentId: string, options: SessionOptions = {}): AgentSession<Json> {
    return openSession(this.#host, agentId, options)
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
  override run(agentId: string, prompt?: Prompt, options: RunOptions = {}): AgentRun<Json> {
    return startRun(this.#host, agentId, prompt, options)
  }

  /** The same in a session of its own. */
  override runOnce(agentId: string, options: RunOnceOptions = {}): AgentRun<Json> {
    return startOnce(this.#host, agentId, options)
  }

  /**
   * Continues a run after a crash, a suspension or an upgrade; recorded effects are not repeated, and their events not emitted again. Returns a
   * handle, as `run` does. Requires the permission to run agents, and to read the run; a new `budget`, which is recorded with its author, also
   * requires the permission to approve.
   *
   * @example
   * ```ts
   * import { AgentService } from 'mandate'
   * const service = new AgentService()
   * const goOn = (runId: string) => service.resume(runId, { budget: { money: 5 } })
   * ```
   */
  override resume(runId: string, options: ResumeOptions = {}): AgentRun<Json> {
    return resumeRun(this.#host, runId, options)
  }

  /**
   * Creates a run that shares the beginning of another. It continues in the name of `options.identity`, or of the original run. Requires the
   * permissions to read that run and to run its agent.
   */
  override async fork(runId: string, options?: ForkOptions): Promise<string> {
    return forkRun(this.#host, runId, options, this.identity)
  }

  /**
   * Starts the engine in this process: sleeping runs are woken, and a worker takes runs from now on. Starting or resuming a run does so as well.
   *
   * @example
   * ```ts
   * import { AgentService } from 'mandate'
   * const service = new AgentService()
   * await service.start()
   * ```
   */
  async start(): Promise<void> {
    await this.#host.kernel.attach()
  }

  /** Checks whether the service can do its work: lists its agents and tries its store. */
  async health(): Promise<Health> {
    return healthOf([...this.#host.specs.keys()], this.journal, this.#stopped !== undefined)
  }

  /**
   * Suspends all runs durably, and closes models and the given store. Each part gets `limits.stopTimeoutMs`; the report names the suspended runs and
   * what did not stop in time. A second call waits for the first.
   *
   * @example
   * ```ts
   * import { AgentService } from 'mandate'
   * const service = new AgentService()
   * const { suspended, left, unfinished } = await service.stop()
   * for (const { run, reason } of suspended) console.log(`${run} goes on later: ${reason}`)
   * if (left.length + unfinished.length > 0) console.warn('not ended in time:', left, unfinished)
   * ```
   */
  stop(): Promise<StopReport> {
    this.#stopped ??= this.#close()
    return this.#stopped
  }

  async #close(): Promise<StopReport> {
    const { schedules, kernel, observer, specs, options } = this.#host
    schedules.stop()
    const report = await kernel.stop()
    const parts = { observed: observer.settled(), specs: [...specs.values()], store: options.store }
    return { ...report, unfinished: [...report.unfinished, ...(await closeParts(kernel, parts))] }
  }
}

const { createOnDemand, createSession, run, runOnce, resume, fork } = SERVICE_ARGUMENTS
const overridden = { createOnDemand, createSession, run, runOnce, resume, fork }
const own = { as: 1, agent: 1, start: 0, health: 0, stop: 0 }
refuseExtraArguments(AgentService.prototype, { ...overridden, ...own }, [...DIRECT_OPERATIONS, 'as', 'agent'])
