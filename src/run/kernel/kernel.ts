import { EventBus, MandateError, checkId, systemClock, systemRandom, checkFields } from '../../core/index.ts'
import type { Clock, Json, Random, RunLimits } from '../../core/index.ts'
import { APPROVAL_RESPONSE, checkMandate } from '../../gate/index.ts'
import type { Mandate, OverseerStats, Permission } from '../../gate/index.ts'
import { ANSWER_SIGNATURE, checkIdentity, VERIFY_OPTIONS } from '../../journal/index.ts'
import type { Identity, Journal, RunEventBus, RunFilter, RunSummary } from '../../journal/index.ts'
import type { SignedHead, VerifyOptions, VerifyReport } from '../../journal/index.ts'
import { answeringStore } from './bounded-store.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'
import type { AuditOptions, AuditReport } from '../history/audit.ts'
import * as standing from '../approvals/rule-approvals.ts'
import { checkAuthority } from '../approvals/authority.ts'
import type { KernelResumeOptions } from '../inbox/budget-change.ts'
import type { AnswerReceipt, RunControl } from '../inbox/run-control.ts'
import { type Engine, isKept } from '../engine/engine.ts'
import type { ForkOptions } from '../history/fork.ts'
import { HeadSigning } from '../history/head-signatures.ts'
import type { ApprovalRequest, ApprovalResponse } from './host.ts'
import { KERNEL_OPTIONS, type KernelOptions, type MutableHost, hostOf } from './kernel-options.ts'
import { ownKernel } from './kernel-owner.ts'
import { LiveRuns } from './live-runs.ts'
import { type RunSpec, RUN_SPEC, checkRunId, createRun, newRunId } from '../lifecycle/create-run.ts'
import { type PlacedRuns, placedRuns } from '../engine/placed-runs.ts'
import { localEngine } from '../engine/local-engine.ts'
import { type RunHandle, planRun, resuming } from './planned-run.ts'
import { INBOX_OPTIONS, type InboxOptions, type InboxPage, readRequest } from '../inbox/open-requests.ts'
import { registerPerformers } from '../performers/index.ts'
import { Registry } from './registry.ts'
import type { ReplayReport } from '../history/replay.ts'
import * as control from '../inbox/run-control.ts'
import { engineHost } from '../engine/engine-host.ts'
import { enterSession } from './session-owner.ts'
import { type StopReport, stopAll } from './stop-report.ts'

export type { KernelOptions } from './kernel-options.ts'
export type { RunHandle } from './planned-run.ts'

/**
 * Makes minds durable: starts, resumes, replays, forks, cancels and verifies runs.
 *
 * @example
 * ```ts
 * import { Kernel } from 'mandate/kit'
 * const kernel = new Kernel()
 * kernel.registry.registerMind({ kind: 'program', name: 'hello', start: async (input) => `hello ${String(input)}` })
 * const outcome = await kernel.run({ kind: 'program', name: 'hello', input: 'world' })
 * ```
 */
export class Kernel {
  readonly registry: Registry
  readonly journal: Journal
  readonly events: RunEventBus
  readonly clock: Clock
  readonly random: Random
  readonly engine: Engine
  readonly #host: MutableHost
  readonly #live: LiveRuns
  /** Set where the engine decides who drives a run. */
  readonly #placed: PlacedRuns | undefined
  readonly #heads: HeadSigning
  readonly #control: RunControl
  #attached: Promise<void> | undefined
  #stopped: Promise<StopReport> | undefined

  constructor(options: KernelOptions = {}) {
    checkFields(options, 'an option of a kernel', KERNEL_OPTIONS)
    if (options.identity !== undefined) checkIdentity(options.identity)
    this.registry = options.registry ?? new Registry()
    this.journal = answeringStore(options)
    this.events = options.events ?? new EventBus()
    this.engine = options.engine ?? localEngine()
    this.clock = options.clock ?? this.engine.clock ?? systemClock
    this.random = options.random ?? systemRandom
    this.#heads = new HeadSigning(this, options)
    this.#host = hostOf(this, options, {
      runChild: (request) => (this.#placed ?? this.#live).child(request),
      onRest: (run, head) => this.#heads.rested(run, head),
    })
    this.#live = new LiveRuns(this.#host, this.engine)
    this.#placed = placedRuns(this.#host, this.engine, this.#live)
    this.#control = {
      ...{ host: this.#host, engine: this.engine, live: this.#live, attach: () => this.attach() },
      placedFor: ({ durability, kind }) => (durability === 'exit' || isKept({ mind: kind }) ? undefined : this.#placed),
    }
    registerPerformers(this.registry)
    for (const filter of options.filters ?? []) this.registry.registerFilter(filter)
    ownKernel(this, this)
  }

  /** Starts a run and drives it until it ends or suspends. Starting the same `runId` again with the same input returns the same run. */
  async run(spec: RunSpec): Promise<RunOutcome> {
    return this.begin(spec).outcome
  }

  /** Starts a run and returns at once. */
  begin(spec: RunSpec): RunHandle {
    checkFields(spec, 'a field of a run', RUN_SPEC, 'INPUT_INVALID')
    if (spec.identity !== undefined) checkIdentity(spec.identity)
    const runId = spec.runId === undefined ? newRunId(this.#host) : checkRunId(spec.runId)
    if (spec.sessionId !== undefined) checkId(spec.sessionId, 'The session id')
    const entered = enterSession(this.#host, spec, this.attach())
    const started = { ...spec, runId, mustMatch: true as const }
    const placed = this.#control.placedFor(spec)?.begin(entered, started, (reason) => this.cancel(runId, reason))
    if (placed !== undefined) return placed
    const outcome = this.#live.start(started, () => entered.then(() => createRun(this.#host, runId, started)))
    return { runId, outcome, abort: (reason = 'cancelled') => void this.#live.abort(runId, reason) }
  }

  /** Starts a run and returns its id once it is stored, for a run that will wait. */
  plan(spec: RunSpec & { readonly runId: string }): Promise<string> {
    return planRun(this.#control, spec)
  }

  /**
   * Continues a run after a crash, a suspension or an upgrade. Recorded effects are not repeated; a run that is over returns its recorded outcome.
   * With a `budget` its own limits are changed first: the change is recorded with its author, and requires the permission to approve.
   *
   * @example
   * ```ts
   * import { Kernel } from 'mandate/kit'
   * const kernel = new Kernel()
   * kernel.registry.registerMind({ kind: 'program', name: 'hello', start: async () => 'hello' })
   * await kernel.run({ kind: 'program', name: 'hello', input: null, runId: 'r1', budget: { money: 1 } })
   * const outcome = await kernel.resume('r1')
   * ```
   */
  async resume(runId: string, options: KernelResumeOptions = {}): Promise<RunOutcome> {
    return (await this.resuming(runId, options)).outcome
  }

  /** The same, but resolves as soon as the run is driven here, or its wake-up is stored. */
  resuming(runId: string, options: KernelResumeOptions = {}): Promise<Pick<RunHandle, 'outcome'>> {
    return resuming(this.#control, runId, options)
  }

  /** Resolves when the store has the start of a run that was begun here; events come before that. Rejects if it was refused, or could not be stored. */
  async stored(runId: string): Promise<void> {
    await this.#placed?.stored(runId)
    await this.#live.stored(runId)
  }

  /** Re-executes a run from its journal without performing anything. Reports "identical", or the first difference with both sides. */
  async replay(runId: string): Promise<ReplayReport> {
    const { replayRun } = await import('../history/replay.ts')
    return replayRun(this.#host, runId)
  }

  /** Creates a run that shares the beginning of another one. It is not driven yet: resume it. */
  async fork(runId: string, options: ForkOptions = {}): Promise<string> {
    const { forkRun } = await import('../history/fork.ts')
    return forkRun(this.#host, runId, options)
  }

  /** Verifies a run's hash chain, that no effect bypassed the gate, and, given a head kept elsewhere, that it is still the same run. */
  async verify(runId: string, options?: VerifyOptions): Promise<VerifyReport> {
    checkFields(options, 'an option of `verify`', VERIFY_OPTIONS, 'INPUT_INVALID')
    const { verifyRun } = await import('../history/verification.ts')
    return verifyRun(this.journal, runId, { trustedKeys: this.#host.trustedKeys, ...options })
  }

  /** Verifies every run, and lists the incidents and every call that was blocked or changed. */
  async audit(options?: AuditOptions): Promise<AuditReport> {
    const { auditStore } = await import('../history/audit.ts')
    return auditStore(this.journal, options)
  }

  /** The signed head of a run. Throws if the run does not verify. */
  signedHead(runId: string): Promise<SignedHead> {
    return this.#heads.sign(runId)
  }

  /** Lists runs; with an identity, only those that it may see. */
  async list(filter: RunFilter = {}, by?: Identity): Promise<readonly RunSummary[]> {
    return control.listRuns(this.#control, filter, by)
  }

  /** Throws unless the identity has the permission, in general or for runs of this mind. */
  check(by: Identity, permission: Permission, mind?: Pick<RunSummary, 'mind' | 'name'>): void {
    checkAuthority(this.#host, by, permission, mind)
  }

  /** Throws unless the identity has the permission for this run. The identity that started a run may read it without further permission. */
  async authorize(by: Identity, permission: Permission, runId: string): Promise<void> {
    return control.authorize(this.#control, by, permission, runId)
  }

  get limits(): RunLimits {
    return this.#host.limits
  }

  /** The mandate of the host. */
  get mandate(): Mandate | undefined {
    return this.#host.mandate
  }

  /** Sets the mandate of every run that is started or resumed from now on; runs under way keep theirs. */
  setMandate(mandate: Mandate | undefined): void {
    this.#host.mandate = mandate === undefined ? undefined : checkMandate(mandate)
  }

  /** Lists the requests that wait for a human: a projection of the journals, not a second store. With an identity, only those that it may answer or read. */
  async approvals(of?: string | InboxOptions, by?: Identity): Promise<readonly ApprovalRequest[]> {
    return (await this.inbox(typeof of === 'string' ? { run: of } : of, by)).requests
  }

  /** The same in pages, with the runs that cannot be read. */
  async inbox(options: InboxOptions = {}, by?: Identity): Promise<InboxPage> {
    checkFields(options, 'an option of `approvals`', INBOX_OPTIONS, 'INPUT_INVALID')
    return control.openInbox(this.#control, options, by)
  }

  /** One request by its id, answered or not; `undefined` if there is none that the identity may answer or read. */
  async request(approvalId: string, by: Identity): Promise<ApprovalRequest | undefined> {
    return readRequest(this.#host, approvalId, by)
  }

  /**
   * Answers an approval, a question or an in-doubt effect of a run in any process, and lets the run continue. Throws if the request is stale or unknown, or
   * the identity may not answer it. Of several answers the first one counts, decided by the store; the others fail with `APPROVAL_STALE`.
   */
  async respond(
    approvalId: string,
    response: ApprovalResponse,
    by: Identity = this.#host.identity,
  ): Promise<AnswerReceipt> {
    checkFields(response, 'a field of an answer', APPROVAL_RESPONSE, 'INPUT_INVALID')
    checkFields(response?.signature, 'a field of `signature` of an answer', ANSWER_SIGNATURE, 'INPUT_INVALID')
    checkIdentity(by, '`by`')
    return control.answer(this.#control, approvalId, response, by)
  }

  /** Lists the approvals with the scope `rule` that are in force, or all of them. Requires the permission to approve or to read journals. */
  async standingApprovals(
    filter: standing.RuleApprovalFilter = {},
    by?: Identity,
  ): Promise<readonly standing.RuleApproval[]> {
    return standing.listRuleApprovals(this.#host, filter, by)
  }

  /** Revokes an approval with the scope `rule`, from the next call on and in every process over this store. Requires the permission to approve. */
  async revoke(approvalId: string, reason?: string, by: Identity = this.#host.identity): Promise<void> {
    return standing.revokeRuleApproval(this.#host, { id: approvalId, reason, by })
  }

  /** Cancels a run, here or in another process. Everything in flight is aborted; a run that is over is left as it is. */
  async cancel(runId: string, reason = 'cancelled', by: Identity = this.#host.identity): Promise<void> {
    checkIdentity(by, '`by`')
    return control.cancelRun(this.#control, runId, reason, by)
  }

  /** Sends a steering message to a run; its mind reads it at its next turn. A message with an `id` is read once, however often it is sent. */
  async steer(runId: string, message: Json, by: Identity = this.#host.identity, id?: string): Promise<void> {
    checkIdentity(by, '`by`')
    return control.steerRun(this.#control, runId, { message, by, id })
  }

  /** The statistics of a run's overseer, from its journal. */
  async oversight(runId: string): Promise<OverseerStats> {
    return control.oversightOf(this.#control, runId)
  }

  /** Resets the statistics of a run's overseer. As this lifts what the overseer has found, it requires the permission to approve. */
  async resetOversight(runId: string, by: Identity = this.#host.identity): Promise<void> {
    checkIdentity(by, '`by`')
    return control.resetOversight(this.#control, runId, by)
  }

  /**
   * Suspends a run durably. A model call in flight is aborted, and repeated on resume; a tool call gets `limits.cancelGraceMs` to finish, and is in
   * doubt afterwards unless the tool is idempotent.
   */
  async interrupt(runId: string): Promise<RunOutcome | undefined> {
    return this.#live.interrupt(runId)
  }

  /**
   * Suspends every run durably, as `interrupt` does, then releases timers and sinks. What does not stop within `limits.stopTimeoutMs` is left, and
   * named in the report. The journal stays open: its owner closes it. A second call waits for the first.
   */
  stop(): Promise<StopReport> {
    this.#stopped ??= stopAll(this.#host, { live: this.#live, engine: this.engine, signing: this.#heads })
    return this.#stopped
  }

  /** Lets the engine wake sleeping runs of the store from now on. Starting or resuming a run does so as well. */
  attach(): Promise<void> {
    if (this.#stopped !== undefined)
      throw new MandateError('CLOSED', 'The service has been stopped. Create a new one to run anything.')
    this.#attached ??= this.engine.attach(
      engineHost(this.#host, {
        segment: async (run) => this.#live.drive(await control.driverOf(this.#control, run)),
        notify: (run) => this.#live.notify(run),
        drives: (run) => this.#live.startOf(run) !== undefined,
      }),
    )
    // A failed attempt (a busy store, for example) is retried with the next call.
    this.#attached.catch(() => (this.#attached = undefined))
    return this.#attached
  }
}
