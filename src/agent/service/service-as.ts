import { MandateError, checkFields } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { Mandate, OverseerStats, Permission } from '../../gate/index.ts'
import { VERIFY_OPTIONS, exportRun, frozenIdentity } from '../../journal/index.ts'
import type {
  Entry,
  Identity,
  RunFilter,
  RunSummary,
  SignedHead,
  VerifyOptions,
  VerifyReport,
} from '../../journal/index.ts'
import type { PromptDraft, PromptStore, PromptTemplate } from '../../memory/index.ts'
import type { Message } from '../../model/index.ts'
import type {
  AnswerReceipt,
  ApprovalRequest,
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
import type { ToolLike } from '../../tool/index.ts'
import { configOf } from '../config/agent-type.ts'
import type { AgentType } from '../config/agent-type.ts'
import type { AgentConfig, AgentSpec } from '../config/config-types.ts'
import type { AgentResult } from '../output/result-types.ts'
import { Schedules } from '../schedule/schedules.ts'
import type { AgentRun } from '../session/agent-run.ts'
import type { Prompt, ResumeOptions, RunOptions } from '../session/run-options.ts'
import type { AgentSession, SessionOptions } from '../session/session.ts'
import { forkRun, openSession, resumeRun, startOnce, startRun } from './agent-runs.ts'
import { answerAll } from './bulk-answers.ts'
import type { ExplainedCall } from './explain-call.ts'
import { refuseExtraArguments } from './exact-arguments.ts'
import type { ArgumentCounts } from './exact-arguments.ts'
import { checkHost } from './service-host.ts'
import type { ServiceHost } from './service-host.ts'
import { checkApproveOptions, checkSteerOptions } from './service-options.ts'
import type { ApproveOptions, SteerOptions } from './service-options.ts'
import { changePolicy, explainHere, movePromptLabel, storePrompt } from './service-upkeep.ts'
import type { ExplainOptions } from './service-upkeep.ts'
import { ON_DEMAND_OPTIONS, checkTtl, onDemandMandate } from './temporary-agents.ts'
import type { OnDemandAgent, OnDemandOptions } from './temporary-agents.ts'

/**
 * The operations of a service in the name of one identity: each is checked against the roles of that identity and recorded in its name.
 * `service.as(identity)` creates one for a request; it gives no access to the kernel or the store, and cannot act for another identity.
 */
export class ServiceAs {
  readonly identity: Identity
  readonly #host: ServiceHost
  #schedules: Schedules | undefined

  /** `host` is the `ServiceHost` of a service, typed as `object` to keep it out of the public API. */
  constructor(host: object, identity: Identity) {
    this.identity = frozenIdentity(identity)
    this.#host = checkHost(host)
  }

  /** Runs that are started at given times. */
  get schedules(): Schedules {
    return (this.#schedules ??= new Schedules(this.#host.schedules, this.identity))
  }

  /** Throws unless a role of this identity has one of the permissions under the mandate of the host. */
  check(...permissions: readonly [Permission, ...Permission[]]): void {
    this.#host.checkAny(this.identity, permissions)
  }

  /** Throws unless a session is new or this identity began it, whatever its roles. Starting a run in a session checks the same. */
  async checkSession(sessionId: string): Promise<void> {
    return this.#host.checkSession(sessionId, this.identity)
  }

  /** The agents that this identity may run. */
  agents(): readonly AgentSpec[] {
    const host = this.#host
    return [...host.specs.values()].filter(({ id }) => host.isOpenTo(id, this.identity))
  }

  /** Adds an agent. Requires the permission to create agents, and to register tools if the agent brings its own. */
  register(config: AgentConfig): AgentSpec {
    return this.#host.register(config, this.identity)
  }

  /** Adds a type of agents that others may start, and that can be run by its name like any agent. Its packs must be registered. */
  registerType(type: AgentType): AgentSpec {
    return this.register(configOf(type, this.#host.options.toolRegistry))
  }

  /** Adds a tool that every mind can name. Requires the permission to register tools. */
  registerTool(tool: ToolLike): void {
    this.#host.registerTool(tool, this.identity)
  }

  /** Removes an agent. Its running runs continue; none is started or resumed, and stored runs stay. */
  unregister(id: string): void {
    const host = this.#host
    host.kernel.check(this.identity, 'create-agent')
    host.agent(id)
    host.forget(id)
  }

  /**
   * Creates an agent that only this identity may run, until it expires. It cannot do anything destructive, and its runs end with it; their journals
   * stay. Requires the permission to create agents.
   */
  createOnDemand(options: Omit<OnDemandOptions, 'owner'>): OnDemandAgent {
    const { config, ttlMs } = this.#own(options, 'owner')
    checkFields(options, 'an option of `createOnDemand`', ON_DEMAND_OPTIONS)
    checkTtl(ttlMs)
    const { onDemand } = this.#host
    onDemand.sweep()
    const id = config.id ?? this.#host.newId('agent')
    const mandate = onDemandMandate(this.identity, config.mandate)
    return onDemand.add(this.register({ ...config, id, mandate }), this.identity, ttlMs)
  }

  /** Stores a new version of a prompt, with its author. */
  async putPrompt(prompt: PromptDraft): Promise<PromptTemplate> {
    this.#host.kernel.check(this.identity, 'change-prompt')
    return storePrompt(this.#host.kernel, prompt, this.identity.id)
  }

  /** The newest version of each matching prompt. Requires the permission to change prompts or to read journals. */
  async prompts(filter?: Parameters<PromptStore['list']>[0]): Promise<readonly PromptTemplate[]> {
    return this.#host.promptsFor(this.identity).list(filter)
  }

  /** A prompt: its newest version, or the one with the given number or label. Requires the permission to change prompts or to read journals. */
  async prompt(id: string, version?: string): Promise<PromptTemplate | null> {
    return this.#host.promptsFor(this.identity).get(id, version)
  }

  /** All versions of a prompt, oldest first, and the targets of its labels. Requires the permission to change prompts or to read journals. */
  async promptVersions(
    id: string,
  ): Promise<{ readonly versions: readonly PromptTemplate[]; readonly labels: Readonly<Record<string, string>> }> {
    const store = this.#host.promptsFor(this.identity)
    const newest = await store.get(id)
    const versions = (await store.versions?.(id)) ?? (newest === null ? [] : [newest])
    return { versions, labels: (await store.labels?.(id)) ?? {} }
  }

  /** Moves a label of a prompt, such as `production`, to a version. Requires the permission to change prompts. */
  async labelPrompt(id: string, label: string, version: string): Promise<void> {
    this.#host.kernel.check(this.identity, 'change-prompt')
    await movePromptLabel(this.#host.kernel, { id, label, version }, this.identity.id)
  }

  /** The mandate of the host. Requires the permission to change policies or to read journals. */
  policy(): Mandate | undefined {
    this.check('change-policy', 'read-journal')
    return this.#host.kernel.mandate
  }

  /**
   * The decision of the gate about the first call of a run in the name of this identity; nothing is called. `mandate` replaces the host's. Requires
   * the permission to change policies or to read journals.
   */
  async explain(call: ExplainOptions): Promise<ExplainedCall> {
    this.check('change-policy', 'read-journal')
    return explainHere(this.#host, call, this.identity)
  }

  /** Changes the mandate of the host. It applies to every run that is started or resumed from now on. */
  async setPolicy(mandate: Mandate | undefined): Promise<void> {
    this.#host.kernel.check(this.identity, 'change-policy')
    return changePolicy(this.#host.kernel, mandate, this.identity.id)
  }

  /** Creates a session, with its own conversation, cancellation and counters. Two sessions share no mutable state. */
  createSession(agentId: string, options: Omit<SessionOptions, 'identity'> = {}): AgentSession<Json> {
    return openSession(this.#host, agentId, this.#identified(options))
  }

  /** Runs a task until it is finished, fails, or waits for an answer. Returns a handle at once: await it for the result, iterate over it for the events. */
  run(agentId: string, prompt?: Prompt, options: Omit<RunOptions, 'identity'> = {}): AgentRun<Json> {
    return startRun(this.#host, agentId, prompt, this.#identified(options))
  }

  /** The same in a session of its own. */
  runOnce(
    agentId: string,
    options: Omit<SessionOptions, 'identity'> & { readonly prompt?: Prompt } = {},
  ): AgentRun<Json> {
    return startOnce(this.#host, agentId, this.#identified(options))
  }

  /**
   * Continues a run after a crash, a suspension or an upgrade; recorded effects are not repeated, and their events not emitted again. Returns a
   * handle, as `run` does. Requires the permission to run agents, and to read the run; a new `budget`, which is recorded with its author, also
   * requires the permission to approve.
   */
  resume(runId: string, options: Omit<ResumeOptions, 'identity'> = {}): AgentRun<Json> {
    return resumeRun(this.#host, runId, this.#identified(options))
  }

  /** The summary of a run. */
  async summary(runId: string): Promise<RunSummary> {
    await this.#checkRead(runId)
    return (await this.#host.kernel.journal.summary(runId))!
  }

  /** The result of a run so far, from its journal alone. */
  async result(runId: string): Promise<AgentResult<Json>> {
    await this.#checkRead(runId)
    return this.#host.observer.result(runId, this.identity)
  }

  /** The conversation of a run. */
  async messages(runId: string): Promise<readonly Message[]> {
    await this.#checkRead(runId)
    return this.#host.observer.messages(runId)
  }

  /** The entries of a run, verified while they are read. */
  entries(runId: string, options: { readonly fromSeq?: number } = {}): AsyncGenerator<Entry> {
    return this.#entries(runId, this.#own(options, 'by'))
  }

  async *#entries(runId: string, options: { readonly fromSeq?: number }): AsyncGenerator<Entry> {
    checkFields(options, 'an option of `entries`', { fromSeq: true }, 'INPUT_INVALID')
    await this.#checkRead(runId)
    yield* this.#host.kernel.journal.read(runId, options.fromSeq)
  }

  /** A run as lines of JSON, ending with its signed head if the service has a `signer`. */
  async *export(runId: string): AsyncGenerator<string> {
    await this.#checkRead(runId)
    yield* exportRun(this.#host.kernel.journal, runId, this.#host.options.signer)
  }

  /** Re-executes a run from its journal without performing anything. Reports "identical", or the first difference with both sides. */
  async replay(runId: string): Promise<ReplayReport> {
    await this.#checkRead(runId)
    return this.#host.kernel.replay(runId)
  }

  /**
   * Creates a run that shares the beginning of another, and continues in the name of this identity. Requires the permissions to read that run and to
   * run its agent.
   */
  async fork(runId: string, options: Omit<ForkOptions, 'identity'> = {}): Promise<string> {
    return forkRun(this.#host, runId, this.#identified(options), this.identity)
  }

  /** Verifies a run's hash chain, that no effect bypassed the gate, and, given a head kept elsewhere, that it is still the same run. */
  async verify(runId: string, options?: VerifyOptions): Promise<VerifyReport> {
    checkFields(options, 'an option of `verify`', VERIFY_OPTIONS)
    await this.#checkRead(runId)
    return this.#host.kernel.verify(runId, options)
  }

  /** Verifies every run, and lists the incidents and every call that was blocked or changed. Requires the permission to read journals. */
  async audit(options?: AuditOptions): Promise<AuditReport> {
    this.#host.kernel.check(this.identity, 'read-journal')
    return this.#host.kernel.audit(options)
  }

  /** The current head of a run, signed with the service's `signer`. */
  async signedHead(runId: string): Promise<SignedHead> {
    await this.#checkRead(runId)
    return this.#host.kernel.signedHead(runId)
  }

  /** Cancels a run, here or in another process. Everything in flight is aborted; a run that is over is left as it is. */
  cancel(runId: string, reason?: string): Promise<void> {
    return this.#host.kernel.cancel(runId, reason, this.identity)
  }

  /**
   * Sends a steering message to a run, as a text or a user message; its agent reads it at its next turn. With an `id` it may be sent again after a
   * failure: the run reads it once.
   */
  async steer(runId: string, message: Json, options: SteerOptions = {}): Promise<void> {
    checkSteerOptions(options)
    return this.#host.kernel.steer(runId, message, this.identity, options.id)
  }

  /** The statistics of a run's overseer, from its journal. */
  async oversight(runId: string): Promise<OverseerStats> {
    await this.#checkRead(runId)
    return this.#host.kernel.oversight(runId)
  }

  /** Resets the statistics of a run's overseer. Requires the permission to approve. */
  resetOversight(runId: string): Promise<void> {
    return this.#host.kernel.resetOversight(runId, this.identity)
  }

  /** The runs that the identity may see: all with the permission to read journals, otherwise those it started. */
  runs(filter?: RunFilter): Promise<readonly RunSummary[]> {
    return this.#host.kernel.list(filter, this.identity)
  }

  /** Lists the requests that wait for a human, in all runs or in one, limited to those that the identity may answer or read. */
  approvals(of?: string | InboxOptions): Promise<readonly ApprovalRequest[]> {
    return this.#host.kernel.approvals(of, this.identity)
  }

  /** The same in pages (`{ limit, after: page.next }`), and with the runs whose requests cannot be read. */
  inbox(options?: InboxOptions): Promise<InboxPage> {
    return this.#host.kernel.inbox(options, this.identity)
  }

  /** One request by its id, answered or not; `undefined` if there is none that the identity may answer or read. */
  approval(id: string): Promise<ApprovalRequest | undefined> {
    return this.#host.kernel.request(id, this.identity)
  }

  /** Approves one call or several: each is checked by itself, and refusals are reported once the others are recorded. */
  async approve(approvalId: string | readonly string[], options: ApproveOptions = {}): Promise<AnswerReceipt> {
    checkApproveOptions(this.#own(options, 'by'))
    const { reason: text, ...response } = options
    return this.#respond(approvalId, { answer: 'approve', ...response, ...(text === undefined ? {} : { text }) })
  }

  /** Rejects one call or several. */
  reject(approvalId: string | readonly string[], reason?: string): Promise<AnswerReceipt> {
    return this.#respond(approvalId, { answer: 'reject', text: reason })
  }

  /** Answers a question of an agent. */
  answer(approvalId: string, value: Json): Promise<AnswerReceipt> {
    return this.#host.kernel.respond(approvalId, { answer: 'answer', value }, this.identity)
  }

  /** Reports whether a call happened that was in flight when a process ended. */
  settle(approvalId: string, what: 'happened' | 'not-happened' | 'unknown', value?: Json): Promise<AnswerReceipt> {
    const response = { answer: what, ...(value === undefined ? {} : { value }) }
    return this.#host.kernel.respond(approvalId, response, this.identity)
  }

  /**
   * The approvals with the scope `rule` that are in force, newest first; with `all`, also those that have ended. Requires the permission to approve
   * or to read journals.
   */
  standingApprovals(filter?: RuleApprovalFilter): Promise<readonly RuleApproval[]> {
    return this.#host.kernel.standingApprovals(filter, this.identity)
  }

  /** Revokes an approval with the scope `rule`, from the next call on and in every process over the store. Requires the permission to approve. */
  revoke(approvalId: string, reason?: string): Promise<void> {
    return this.#host.kernel.revoke(approvalId, reason, this.identity)
  }

  async #respond(id: string | readonly string[], response: ApprovalResponse): Promise<AnswerReceipt> {
    const { kernel } = this.#host
    return typeof id === 'string'
      ? kernel.respond(id, response, this.identity)
      : answerAll(kernel, id, response, this.identity)
  }

  #checkRead(runId: string): Promise<void> {
    return this.#host.checkRead(runId, this.identity)
  }

  #identified<T extends object>(options: T): T & { readonly identity: Identity } {
    return { ...this.#own(options, 'identity'), identity: this.identity }
  }

  /** Throws if the options name an identity: that is either a mistake or an attempt to act for another one. */
  #own<T extends object>(options: T, name: 'identity' | 'by' | 'owner'): T {
    const given: { readonly [field: string]: unknown } | null = options as never
    if (given?.[name] === undefined) return options
    throw new MandateError(
      'INPUT_INVALID',
      `\`${name}\` is given, but this is the service as "${this.identity.id}" sees it. Leave it out, or use \`service.as\` for the other identity.`,
    )
  }
}

/** The most arguments of each operation. */
export const SERVICE_ARGUMENTS: ArgumentCounts<ServiceAs> = {
  ...{ check: Number.POSITIVE_INFINITY, checkSession: 1, agents: 0, register: 1, registerType: 1, registerTool: 1 },
  ...{ unregister: 1, createOnDemand: 1, putPrompt: 1, prompts: 1, prompt: 2, promptVersions: 1, labelPrompt: 3 },
  ...{ policy: 0, explain: 1, setPolicy: 1, createSession: 2, run: 3, runOnce: 2, resume: 2, summary: 1, result: 1 },
  ...{ messages: 1, entries: 2, export: 1, replay: 1, fork: 2, verify: 2, audit: 1, signedHead: 1, cancel: 2 },
  ...{ steer: 3, oversight: 1, resetOversight: 1, runs: 1, approvals: 1, inbox: 1, approval: 1, approve: 2, reject: 2 },
  ...{ answer: 2, settle: 3, standingApprovals: 1, revoke: 2 },
}

/** The operations that return no promise. */
export const DIRECT_OPERATIONS: readonly string[] = [
  ...['check', 'agents', 'register', 'registerType', 'registerTool', 'unregister', 'createOnDemand'],
  ...['policy', 'createSession', 'run', 'runOnce', 'resume', 'entries', 'export'],
]

refuseExtraArguments(ServiceAs.prototype, SERVICE_ARGUMENTS, DIRECT_OPERATIONS)
