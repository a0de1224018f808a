import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { checkIdentity } from '../../journal/index.ts'
import type {
  Entry,
  Identity,
  RunFilter,
  RunSummary,
  SignedHead,
  VerifyOptions,
  VerifyReport,
} from '../../journal/index.ts'
import type { PromptDraft, PromptTemplate } from '../../memory/index.ts'
import type { Message } from '../../model/index.ts'
import type {
  AnswerReceipt,
  ApprovalRequest,
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
import type { AgentType } from '../config/agent-type.ts'
import type { AgentConfig, AgentSpec } from '../config/config-types.ts'
import type { AgentResult } from '../output/result-types.ts'
import type { AgentRun } from '../session/agent-run.ts'
import type { Prompt, ResumeOptions, RunOptions } from '../session/run-options.ts'
import type { AgentSession, SessionOptions } from '../session/session.ts'
import type { ApproveOptions } from './service-options.ts'
import type { AgentService } from './service.ts'
import type { OnDemandAgent, OnDemandOptions } from './temporary-agents.ts'

/**
 * The service as one identity sees it: the same operations, each checked against the roles of that identity and recorded in its name. `service.as(identity)`
 * makes one for a request; it reaches neither the kernel nor the store, and cannot act for another identity.
 */
export class ServiceAs {
  readonly identity: Identity
  readonly #service: AgentService

  constructor(service: AgentService, identity: Identity) {
    this.identity = Object.freeze({ ...checkIdentity(identity) })
    this.#service = service
  }

  register(config: AgentConfig): AgentSpec {
    return this.#service.register(config, this.identity)
  }

  registerType(type: AgentType): AgentSpec {
    return this.#service.registerType(type, this.identity)
  }

  registerTool(tool: ToolLike): void {
    this.#service.registerTool(tool, this.identity)
  }

  unregister(id: string): void {
    this.#service.unregister(id, this.identity)
  }

  /** Makes an agent that this identity alone may run, until its time is over. */
  createOnDemand(options: Omit<OnDemandOptions, 'owner'>): OnDemandAgent {
    return this.#service.createOnDemand({ ...this.#own(options, 'owner'), owner: this.identity })
  }

  putPrompt(prompt: PromptDraft): Promise<PromptTemplate> {
    return this.#service.putPrompt(prompt, this.identity)
  }

  setPolicy(mandate: Mandate | undefined): Promise<void> {
    return this.#service.setPolicy(mandate, this.identity)
  }

  createSession(agentId: string, options: Omit<SessionOptions, 'identity'> = {}): AgentSession<Json> {
    return this.#service.createSession(agentId, this.#identified(options))
  }

  run(agentId: string, prompt?: Prompt, options: Omit<RunOptions, 'identity'> = {}): AgentRun<Json> {
    return this.#service.run(agentId, prompt, this.#identified(options))
  }

  runOnce(
    agentId: string,
    options: Omit<SessionOptions, 'identity'> & { readonly prompt?: Prompt } = {},
  ): AgentRun<Json> {
    return this.#service.runOnce(agentId, this.#identified(options))
  }

  resume(runId: string, options: Omit<ResumeOptions, 'identity'> = {}): AgentRun<Json> {
    return this.#service.resume(runId, this.#identified(options))
  }

  result(runId: string): Promise<AgentResult<Json>> {
    return this.#service.result(runId, this.identity)
  }

  messages(runId: string): Promise<readonly Message[]> {
    return this.#service.messages(runId, this.identity)
  }

  entries(runId: string, options: { readonly fromSeq?: number } = {}): AsyncGenerator<Entry> {
    return this.#service.entries(runId, { ...this.#own(options, 'by'), by: this.identity })
  }

  export(runId: string): AsyncGenerator<string> {
    return this.#service.export(runId, this.identity)
  }

  replay(runId: string): Promise<ReplayReport> {
    return this.#service.replay(runId, this.identity)
  }

  fork(runId: string, options?: ForkOptions): Promise<string> {
    return this.#service.fork(runId, options, this.identity)
  }

  verify(runId: string, options?: VerifyOptions): Promise<VerifyReport> {
    return this.#service.verify(runId, options, this.identity)
  }

  audit(options?: AuditOptions): Promise<AuditReport> {
    return this.#service.audit(options, this.identity)
  }

  signedHead(runId: string): Promise<SignedHead> {
    return this.#service.signedHead(runId, this.identity)
  }

  cancel(runId: string, reason?: string): Promise<void> {
    return this.#service.cancel(runId, reason, this.identity)
  }

  steer(runId: string, message: Json): Promise<void> {
    return this.#service.steer(runId, message, this.identity)
  }

  runs(filter?: RunFilter): Promise<readonly RunSummary[]> {
    return this.#service.runs(filter, this.identity)
  }

  approvals(of?: string | InboxOptions): Promise<readonly ApprovalRequest[]> {
    return this.#service.approvals(of, this.identity)
  }

  inbox(options?: InboxOptions): Promise<InboxPage> {
    return this.#service.inbox(options, this.identity)
  }

  async approve(
    approvalId: string | readonly string[],
    options: Omit<ApproveOptions, 'by'> = {},
  ): Promise<AnswerReceipt> {
    return this.#service.approve(approvalId, { ...this.#own(options, 'by'), by: this.identity })
  }

  reject(approvalId: string | readonly string[], reason?: string): Promise<AnswerReceipt> {
    return this.#service.reject(approvalId, reason, this.identity)
  }

  answer(approvalId: string, value: Json): Promise<AnswerReceipt> {
    return this.#service.answer(approvalId, value, this.identity)
  }

  settle(approvalId: string, what: 'happened' | 'not-happened' | 'unknown', value?: Json): Promise<AnswerReceipt> {
    return this.#service.settle(approvalId, what, value, this.identity)
  }

  standingApprovals(filter?: RuleApprovalFilter): Promise<readonly RuleApproval[]> {
    return this.#service.standingApprovals(filter, this.identity)
  }

  revoke(approvalId: string, reason?: string): Promise<void> {
    return this.#service.revoke(approvalId, reason, this.identity)
  }

  #identified<T extends object>(options: T): T & { readonly identity: Identity } {
    return { ...this.#own(options, 'identity'), identity: this.identity }
  }

  /** Refuses options that name who acts: two answers to that question are a mistake, or an attempt. */
  #own<T extends object>(options: T, name: 'identity' | 'by' | 'owner'): T {
    if ((options as { readonly [field: string]: unknown })[name] === undefined) return options
    throw new MandateError(
      'INPUT_INVALID',
      `\`${name}\` is given, but this is the service as "${this.identity.id}" sees it. Leave it out, or use \`service.as\` for the other identity.`,
    )
  }
}
