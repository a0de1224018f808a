import {
  EventBus,
  MandateError,
  checkId,
  composeRedactors,
  errorInfo,
  knownValues,
  newId,
  noRedaction,
  runLimits,
  systemClock,
  systemRandom,
} from '../core/index.ts'
import type { Clock, Json, Random, Redactor, RunLimits, SecretSource } from '../core/index.ts'
import { checkMandate, may } from '../gate/index.ts'
import type { Mandate, Permission } from '../gate/index.ts'
import { isEnded, memoryJournal } from '../journal/index.ts'
import type { Entry, Head, Identity, Journal, RunFilter, RunSummary, Signal, VerifyReport } from '../journal/index.ts'
import { DEFAULT_PRICES } from '../model/index.ts'
import type { PriceTable } from '../model/index.ts'
import type { RunOutcome } from './run-outcome.ts'
import { checkAnswer, listApprovals } from './approvals.ts'
import type { Engine } from './engine.ts'
import { forkRun } from './fork.ts'
import type { ForkOptions } from './fork.ts'
import type { ApprovalHandler, ApprovalRequest, ApprovalResponse, KernelHost } from './host.ts'
import { LiveRuns } from './live-runs.ts'
import { createRun, loadRun, newRunId } from './loading.ts'
import type { RunSpec } from './loading.ts'
import { localEngine } from './local-engine.ts'
import { registerPerformers } from './performers/index.ts'
import { Registry } from './registry.ts'
import { replayRun } from './replay.ts'
import type { ReplayReport } from './replay.ts'
import { verifyRun } from './verification.ts'

export interface KernelOptions {
  readonly journal?: Journal | undefined
  readonly registry?: Registry | undefined
  readonly engine?: Engine | undefined
  readonly clock?: Clock | undefined
  readonly random?: Random | undefined
  readonly limits?: Partial<RunLimits> | undefined
  /** Holds over every run, whatever its mind's own mandate says. */
  readonly mandate?: Mandate | undefined
  readonly events?: EventBus | undefined
  readonly redactor?: Redactor | undefined
  readonly secrets?: SecretSource | undefined
  readonly prices?: PriceTable | undefined
  /** In whose name runs are started and answered when nobody else is named. */
  readonly identity?: Identity | undefined
  /** Answers approvals in this process instead of suspending. */
  readonly onApproval?: ApprovalHandler | undefined
  /** Sees every entry that is written here, before it is stored. */
  readonly onEntry?: ((entry: Entry) => void) | undefined
}

/** A run that has been started here. */
export interface RunHandle {
  readonly runId: string
  readonly outcome: Promise<RunOutcome>
  /** Cuts it. What is in flight gets a moment to end; the outcome says `cancelled`. */
  abort(reason?: string): void
}

const LOCAL_OWNER: Identity = Object.freeze({ id: 'local', roles: ['owner'] })

/**
 * Makes minds durable: starts, resumes, replays, forks, cancels and verifies runs.
 *
 * @example
 * ```ts
 * import { Kernel } from 'mandate/run'
 * const kernel = new Kernel()
 * kernel.registry.registerMind({ kind: 'program', name: 'hello', start: async (input) => `hello ${String(input)}` })
 * const outcome = await kernel.run({ kind: 'program', name: 'hello', input: 'world' })
 * ```
 */
export class Kernel {
  readonly registry: Registry
  readonly journal: Journal
  readonly events: EventBus
  readonly clock: Clock
  readonly random: Random
  readonly engine: Engine
  readonly #host: KernelHost
  readonly #live: LiveRuns
  #attached: Promise<void> | undefined
  #stopped: Promise<void> | undefined

  constructor(options: KernelOptions = {}) {
    this.registry = options.registry ?? new Registry()
    this.journal = options.journal ?? memoryJournal()
    this.events = options.events ?? new EventBus()
    this.clock = options.clock ?? systemClock
    this.random = options.random ?? systemRandom
    this.engine = options.engine ?? localEngine()
    this.#host = hostOf(this, options, (request) => this.#live.child(request))
    this.#live = new LiveRuns(this.#host, this.engine)
    registerPerformers(this.registry)
  }

  /** Starts a run and drives it until it ends or suspends. Starting the same `runId` again gives the same run. */
  async run(spec: RunSpec): Promise<RunOutcome> {
    return this.begin(spec).outcome
  }

  /** Starts a run and returns at once. */
  begin(spec: RunSpec): RunHandle {
    const runId = spec.runId === undefined ? newRunId(this.#host) : checkId(spec.runId, 'The run id')
    if (spec.sessionId !== undefined) checkId(spec.sessionId, 'The session id')
    const attached = this.#attach()
    const outcome = this.#live.drive(runId, () => attached.then(() => createRun(this.#host, runId, spec)))
    return { runId, outcome, abort: (reason = 'cancelled') => void this.#live.abort(runId, reason) }
  }

  /** Continues a run after a crash, a suspension or an upgrade. Recorded effects are not repeated; a run that is over gives what it gave. */
  async resume(runId: string): Promise<RunOutcome> {
    await this.#attach()
    return this.#segment(runId)
  }

  /** Re-executes a run from its journal. Performs nothing; says "identical", or where it differs first, with both sides. */
  async replay(runId: string): Promise<ReplayReport> {
    return replayRun(this.#host, runId)
  }

  /** Makes a new run that shares the beginning of another one. It is not driven yet: resume it. */
  async fork(runId: string, options: ForkOptions = {}): Promise<string> {
    return forkRun(this.#host, runId, options)
  }

  /** Checks a run's chain, and that nothing was performed after a block. */
  async verify(runId: string, known?: Head): Promise<VerifyReport> {
    return verifyRun(this.journal, runId, known)
  }

  async list(filter?: RunFilter): Promise<readonly RunSummary[]> {
    return this.journal.list(filter)
  }

  /** What is waiting for a human: a projection of the journals, not a second store. */
  async approvals(runId?: string): Promise<readonly ApprovalRequest[]> {
    return listApprovals(this.journal, runId)
  }

  /** Answers an approval, a question or an in-doubt effect, wherever its run is, and lets the run go on. Refuses what is stale, unknown or not this identity's to answer. */
  async respond(approvalId: string, response: ApprovalResponse, by: Identity = this.#host.identity): Promise<void> {
    const target = await checkAnswer(this.#host, approvalId, { ...response, by })
    const id = newId('respond', this.clock, this.#host.random)
    const data = { request: target.seq, response } as unknown as Json
    await this.#signal(target.run, { id, type: 'respond', at: this.clock.now(), by, data })
  }

  /** Ends a run, here or in another process. Everything in flight is cut; a run that is over stays as it is. */
  async cancel(runId: string, reason = 'cancelled', by: Identity = this.#host.identity): Promise<void> {
    this.#authorise(by, 'cancel')
    // A run that was started here a moment ago, or is written only at its end, has no inbox yet.
    if ((await this.journal.summary(runId)) === undefined && this.#live.abort(runId, reason)) return
    const summary = await this.#require(runId)
    if (!isEnded(summary.state))
      await this.#signal(runId, { id: 'cancel', type: 'cancel', at: this.clock.now(), by, data: { reason } })
  }

  /** Says something to a run; its mind hears it at its next turn. */
  async steer(runId: string, message: Json, by: Identity = this.#host.identity): Promise<void> {
    await this.#require(runId)
    this.#authorise(by, 'run-agent')
    await this.#signal(runId, {
      id: newId('steer', this.clock, this.#host.random),
      type: 'steer',
      at: this.clock.now(),
      by,
      data: message,
    })
  }

  /** Suspends a run durably, after what is in flight has ended. */
  async interrupt(runId: string): Promise<RunOutcome | undefined> {
    return this.#live.interrupt(runId)
  }

  /** Suspends every run durably, then lets go of timers and sinks. The journal is the caller's to close. A second call waits for the first. */
  stop(): Promise<void> {
    this.#stopped ??= (async (): Promise<void> => {
      await this.#live.stop()
      await this.engine.stop()
      await this.events.close()
    })()
    return this.#stopped
  }

  async #require(runId: string): Promise<RunSummary> {
    const summary = await this.journal.summary(runId)
    if (summary === undefined)
      throw new MandateError('NOT_FOUND', `There is no run "${runId}". List the runs to see what there is.`)
    return summary
  }

  #authorise(by: Identity, permission: Permission): void {
    if (may(by, permission, this.#host.mandate ?? {})) return
    throw new MandateError(
      'DENIED',
      `"${by.id}" may not ${permission}: none of its roles (${by.roles.join(', ') || 'none'}) has that permission.`,
    )
  }

  /** Through the journal even when the run is here: one way in, the same for every process. */
  async #signal(runId: string, signal: Signal): Promise<void> {
    await this.journal.signal(runId, signal)
    if (this.#live.notify(runId)) return
    const root = await this.#rootOf(runId)
    if (this.#live.notify(root)) return
    await this.#attach()
    await this.engine.dispatch(root)
  }

  async #segment(runId: string): Promise<RunOutcome> {
    const root = await this.#rootOf(runId)
    return this.#live.drive(root, () => loadRun(this.#host, root))
  }

  /** A child is driven by its parent; what is meant for it goes to the top of its tree. */
  async #rootOf(runId: string): Promise<string> {
    const summary = await this.#require(runId)
    return summary.parent === undefined ? runId : this.#rootOf(summary.parent)
  }

  #attach(): Promise<void> {
    if (this.#stopped !== undefined)
      throw new MandateError('CLOSED', 'The service has been stopped. Create a new one to run anything.')
    this.#attached ??= this.engine.attach({
      clock: this.clock,
      segment: (run) => this.#segment(run),
      sleeping: async () => {
        const sleeping = await this.journal.list({
          state: 'suspended',
          parent: null,
          wakeBefore: Number.MAX_SAFE_INTEGER,
          limit: Number.MAX_SAFE_INTEGER,
        })
        return sleeping.map(({ run, wakeAt }) => ({ run, at: wakeAt! })).sort((a, b) => a.at - b.at)
      },
      onFault: (run, error) => this.#fault(run, error),
    })
    // What failed for once (a busy store, say) may be tried again.
    this.#attached.catch(() => (this.#attached = undefined))
    return this.#attached
  }

  #fault(runId: string, error: unknown): void {
    const { code, message } = errorInfo(error)
    this.events.emit({
      v: 1,
      type: 'engine-fault',
      at: this.clock.now(),
      runId,
      sessionId: '',
      agentId: '',
      data: { code, message },
    })
  }
}

/** A store that can tell whether a process still lives names the process; two kernels in one process must not take each other's runs for their own. */
function ownerName({ journal, clock, random }: Kernel): string {
  const own = newId('kernel', clock, random)
  return journal.owner === undefined ? own : `${journal.owner}/${own}`
}

function hostOf(kernel: Kernel, options: KernelOptions, runChild: KernelHost['runChild']): KernelHost {
  const { random } = kernel
  const secrets = knownValues()
  const redactor = options.redactor ?? noRedaction
  return {
    journal: kernel.journal,
    clock: kernel.clock,
    random,
    events: kernel.events,
    limits: runLimits(options.limits),
    registry: kernel.registry,
    mandate: options.mandate === undefined ? undefined : checkMandate(options.mandate),
    prices: options.prices ?? DEFAULT_PRICES,
    // Without a source of secrets there are no values to look for, and looking costs something at every entry.
    redactor: options.secrets === undefined ? redactor : composeRedactors(redactor, secrets),
    secrets: options.secrets,
    learnSecret: (value) => secrets.add('value', value),
    owner: ownerName(kernel),
    identity: options.identity ?? LOCAL_OWNER,
    onApproval: options.onApproval,
    onEntry: options.onEntry,
    runChild,
  }
}
