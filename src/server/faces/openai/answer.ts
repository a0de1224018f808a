import type { AiSdkStreamPart } from '../../../agent/index.ts'
import type { ApprovalRequest } from '../../../run/index.ts'
import { markOf, wireCallId } from '../wire-calls.ts'

/** A tool call that the client must perform. */
interface PendingCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

type Usage = Extract<AiSdkStreamPart, { type: 'finish' }>['totalUsage']

interface AnswerSetup {
  readonly runId: string
  /** Names of the tools that the client offers. */
  readonly offered: ReadonlySet<string>
  pending(): Promise<readonly ApprovalRequest[]>
}

/** Collects the outcome of a run from the parts of its stream. */
export class Answer {
  readonly runId: string
  readonly calls: PendingCall[] = []
  /** Requests that wait for a person, not for a tool of the client. */
  waiting: readonly ApprovalRequest[] = []
  failure: { readonly error: unknown } | undefined
  reason = 'stop'
  usage: Usage | undefined
  isCancelled = false
  readonly #setup: AnswerSetup
  readonly #open = new Map<string, PendingCall>()
  #isAsked = false
  #block: string | undefined

  constructor(setup: AnswerSetup) {
    this.#setup = setup
    this.runId = setup.runId
  }

  /** Adds a part and returns the text that it contributes. Texts of several turns are separated by line breaks, as in the result. */
  add(part: AiSdkStreamPart): string {
    switch (part.type) {
      case 'text-delta': {
        const isNext = this.#block !== undefined && this.#block !== part.id
        this.#block = part.id
        return isNext ? `\n${part.text}` : part.text
      }
      case 'tool-call': {
        const mark = markOf(part)
        if (mark !== undefined)
          this.#open.set(part.toolCallId, {
            id: wireCallId(part.toolCallId, mark),
            name: part.toolName,
            arguments: JSON.stringify(part.input ?? {}),
          })
        return ''
      }
      case 'tool-result':
      case 'tool-error':
        this.#open.delete(part.toolCallId)
        return ''
      case 'tool-approval-request':
        this.#isAsked ||= part.isAutomatic !== true
        return ''
      case 'finish':
        this.reason = part.finishReason
        this.usage = part.totalUsage
        return ''
      case 'abort':
        this.isCancelled = true
        return ''
      case 'error':
        this.failure = { error: part.error }
        return ''
      default:
        return ''
    }
  }

  /** Ends the collection: separates calls for the client from requests that wait for a person. */
  async end(): Promise<void> {
    if (!this.#isAsked && this.#open.size === 0) return
    const asked = await this.#setup.pending()
    const offered = [...this.#open.values()].filter(({ name }) => this.#setup.offered.has(name))
    this.calls.push(...offered)
    const ids = new Set(offered.map(({ id }) => id))
    this.waiting = asked.filter(({ id, run, key, reason }) => {
      const isOffered = [...this.#open.keys()].some((call) => ids.has(wireCallId(call, { run, key })))
      return !(reason === 'question' && isOffered) && id !== ''
    })
  }
}

/** Describes in text what a person is asked to approve or answer. */
export function waitingText(waiting: readonly ApprovalRequest[]): string {
  return waiting
    .map(({ id, name, input, reason, text }) =>
      reason === 'question'
        ? `A question waits for an answer (${id}): ${text}`
        : `The call ${name}(${JSON.stringify(input)}) waits for an approval (${id}). ${text}`.trim(),
    )
    .join('\n')
}

/** Returns the `mandate` extension of a response: run id, status and pending requests. */
export function extension({ runId, waiting, calls, isCancelled }: Answer): object {
  const status = waiting.length + calls.length > 0 ? 'await_user' : isCancelled ? 'cancelled' : 'completed'
  const pending = waiting.map(({ id, reason, name, input, text, expiresAt }) => ({
    approvalId: id,
    reason,
    name,
    input,
    text,
    expiresAt,
  }))
  return { runId, status, pending }
}
