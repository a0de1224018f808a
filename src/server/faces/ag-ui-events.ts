import type { AiSdkStreamPart } from '../../agent/index.ts'
import type { Json } from '../../core/index.ts'
import type { ApprovalRequest } from '../../run/index.ts'
import { toldMessage } from './face.ts'
import { markOf, wireCallId } from './wire-calls.ts'
import type { CallMark } from './wire-calls.ts'

/** An event of AG-UI 1.0. */
export interface AgUiEvent {
  readonly type: string
  readonly [field: string]: unknown
}

interface AgUiSetup {
  readonly threadId: string
  /** The client's id of this exchange. A run that waits is continued by another exchange with another id. */
  readonly runId: string
  readonly run: string
  /** The state that the client sent. */
  readonly state: Readonly<Record<string, unknown>>
  /** Names of the tools that the client can run. */
  readonly offered: ReadonlySet<string>
  /** Returns the approvals and questions that the run waits for. */
  pending(): Promise<readonly ApprovalRequest[]>
}

interface OpenCall {
  readonly id: string
  readonly name: string
  readonly mark: CallMark | undefined
}

/** The JSON Schema of an answer to an approval, from which clients can build a form. */
const APPROVAL_ANSWER = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['approved'],
}

/** Converts the parts of an agent's stream to AG-UI events. */
export class AgUiFold {
  readonly #setup: AgUiSetup
  readonly #calls = new Map<string, OpenCall>()
  readonly #approvals: { readonly id: string; readonly toolCallId: string; readonly reason?: string | undefined }[] = []
  readonly #open = new Set<string>()
  #turn = 0
  #results = 0
  #isFailed = false
  #isCancelled = false
  #usage: AgUiEvent['usage']

  constructor(setup: AgUiSetup) {
    this.#setup = setup
  }

  start(): AgUiEvent[] {
    const { threadId, runId, run, state } = this.#setup
    return [
      { type: 'RUN_STARTED', threadId, runId, protocolVersion: '1.0' },
      { type: 'STATE_SNAPSHOT', snapshot: { ...state, mandate: { run, turn: 0, status: 'running' } } },
    ]
  }

  add(part: AiSdkStreamPart): AgUiEvent[] {
    switch (part.type) {
      case 'start-step':
        this.#turn++
        return [{ type: 'STEP_STARTED', stepName: this.#stepName() }, patch('turn', this.#turn)]
      case 'finish-step':
        return [{ type: 'STEP_FINISHED', stepName: this.#stepName() }]
      case 'text-start':
        return [{ type: 'TEXT_MESSAGE_START', messageId: part.id, role: 'assistant' }]
      case 'text-delta':
        return [{ type: 'TEXT_MESSAGE_CONTENT', messageId: part.id, delta: part.text }]
      case 'text-end':
        return [{ type: 'TEXT_MESSAGE_END', messageId: part.id }]
      case 'reasoning-start':
        return [
          { type: 'REASONING_START', messageId: part.id },
          { type: 'REASONING_MESSAGE_START', messageId: part.id, role: 'reasoning' },
        ]
      case 'reasoning-delta':
        return [{ type: 'REASONING_MESSAGE_CONTENT', messageId: part.id, delta: part.text }]
      case 'reasoning-end':
        return [
          { type: 'REASONING_MESSAGE_END', messageId: part.id },
          { type: 'REASONING_END', messageId: part.id },
        ]
      default:
        return this.#addCall(part)
    }
  }

  #addCall(part: AiSdkStreamPart): AgUiEvent[] {
    switch (part.type) {
      case 'tool-call':
        return this.#call(part.toolCallId, part.toolName, part.input, markOf(part))
      case 'tool-result':
        return this.#result(part.toolCallId, textOf(part.output))
      case 'tool-error':
        return this.#result(part.toolCallId, textOf(part.error))
      case 'tool-output-denied':
        return this.#result(part.toolCallId, 'The call was denied.')
      case 'tool-approval-request':
        if (part.isAutomatic !== true)
          this.#approvals.push({ id: part.approvalId, toolCallId: part.toolCall.toolCallId, reason: part.reason })
        return []
      case 'tool-approval-response':
        return part.approved ? [] : this.#result(part.toolCall.toolCallId, part.reason ?? 'The call was denied.')
      case 'finish':
        this.#usage = usageOf(part.totalUsage)
        return []
      case 'abort':
        this.#isCancelled = true
        return []
      case 'error':
        this.#isFailed = true
        return [
          patch('status', 'failed'),
          { type: 'RUN_ERROR', message: toldMessage(part.error), ...codeOf(part.error) },
        ]
      default:
        return []
    }
  }

  /** Returns the final events: completed, cancelled, or interrupted by what the run waits for. */
  async end(): Promise<AgUiEvent[]> {
    const { threadId, runId, run } = this.#setup
    if (this.#isFailed) return []
    const outcome = this.#isCancelled ? { type: 'cancelled' } : await this.#waiting()
    const isWaiting = outcome.type === 'interrupt' || 'pendingToolCallIds' in outcome
    const status = this.#isCancelled ? 'cancelled' : isWaiting ? 'await_user' : 'completed'
    const usage = this.#usage === undefined ? {} : { usage: this.#usage }
    return [
      patch('status', status),
      { type: 'RUN_FINISHED', threadId, runId, outcome, result: { run, status }, ...usage },
    ]
  }

  /**
   * Returns the outcome of a run that may wait: calls of tools that the client offers become pending calls; approvals and other questions become interrupts.
   */
  async #waiting(): Promise<{ readonly type: string; readonly [field: string]: unknown }> {
    const asked = this.#open.size + this.#approvals.length === 0 ? [] : await this.#setup.pending()
    const pendingToolCallIds: string[] = []
    const interrupts: object[] = this.#approvals.map(({ id, toolCallId, reason }) =>
      interrupt(asked.find((one) => one.id === id) ?? { id }, {
        reason: 'tool_approval',
        toolCallId: this.#calls.get(toolCallId)?.id ?? toolCallId,
        message: reason,
        responseSchema: APPROVAL_ANSWER,
      }),
    )
    for (const question of asked.filter(({ reason }) => reason === 'question')) {
      const call = [...this.#calls.values()].find(
        ({ mark }) => mark !== undefined && mark.run === question.run && mark.key === question.key,
      )
      if (call !== undefined && this.#setup.offered.has(call.name)) pendingToolCallIds.push(call.id)
      else
        interrupts.push(
          interrupt(question, {
            reason: 'question',
            message: question.text,
            ...(call === undefined ? {} : { toolCallId: call.id }),
          }),
        )
    }
    if (interrupts.length > 0) return { type: 'interrupt', interrupts }
    return pendingToolCallIds.length > 0 ? { type: 'success', pendingToolCallIds } : { type: 'success' }
  }

  #call(toolCallId: string, name: string, input: unknown, mark: CallMark | undefined): AgUiEvent[] {
    const id = wireCallId(toolCallId, mark)
    this.#calls.set(toolCallId, { id, name, mark })
    this.#open.add(toolCallId)
    return [
      { type: 'TOOL_CALL_START', toolCallId: id, toolCallName: name },
      { type: 'TOOL_CALL_ARGS', toolCallId: id, delta: textOf(input) },
      { type: 'TOOL_CALL_END', toolCallId: id },
    ]
  }

  #result(toolCallId: string, content: string): AgUiEvent[] {
    this.#open.delete(toolCallId)
    const messageId = `${this.#setup.runId}-result-${++this.#results}`
    const id = this.#calls.get(toolCallId)?.id ?? toolCallId
    return [{ type: 'TOOL_CALL_RESULT', messageId, toolCallId: id, content, role: 'tool' }]
  }

  #stepName(): string {
    return `turn-${this.#turn}`
  }
}

function patch(name: string, value: Json): AgUiEvent {
  return { type: 'STATE_DELTA', delta: [{ op: 'replace', path: `/mandate/${name}`, value }] }
}

function interrupt(
  request: Pick<ApprovalRequest, 'id'> & Partial<ApprovalRequest>,
  more: Record<string, unknown>,
): object {
  const { id, name, input, risk, expiresAt } = request
  const metadata = { ...(name === undefined ? {} : { name, input }), ...(risk === undefined ? {} : { risk }) }
  const fields = {
    id,
    ...more,
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    metadata,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

interface Usage {
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly totalTokens: number | undefined
}

function usageOf({ inputTokens = 0, outputTokens = 0, totalTokens = 0 }: Usage): object[] {
  return [{ inputTokens, outputTokens, totalTokens }]
}

function codeOf(error: unknown): { readonly code?: string } {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? { code } : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
