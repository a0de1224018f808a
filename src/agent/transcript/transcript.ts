import { canonical, describeOutcome, freezeDeep, sha256 } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import { estimateTokens } from '../../model/index.ts'
import type { Message, ToolResultPart, ToolResultStatus } from '../../model/index.ts'

/** The hash of the empty transcript. */
let nothingSaid: string | undefined

/** A message that every window shows, and where it is in the transcript; -1 once it is summarized. */
interface Kept {
  readonly message: Message
  readonly at: number
  /** It stands for what was said before; the next summary replaces it. */
  readonly isSummary: boolean
}

/**
 * The messages of a run with a rolling hash of their content: the size of a journaled model request is the same at turn 1,000 as at turn 1. Messages
 * are only appended, or their beginning is replaced by a summary.
 */
export class Transcript {
  readonly #messages: Message[] = []
  readonly #tokens: (number | undefined)[] = []
  #hash = (nothingSaid ??= sha256(''))
  #added: Message[] | undefined
  #kept: readonly Kept[] = []

  get messages(): readonly Message[] {
    return this.#messages
  }

  get hash(): string {
    return this.#hash
  }

  get length(): number {
    return this.#messages.length
  }

  /** Collects messages that are added from now on, even if they are summarized later. */
  collect(): void {
    this.#added = []
  }

  /** The messages added since `collect`; `undefined` if it was not called. */
  get added(): readonly Message[] | undefined {
    return this.#added
  }

  /** Appends a message. Frozen, because models, planners and tools get the object that the journal may hold. */
  push(message: Message): void {
    this.#added?.push(message)
    this.#put(message)
  }

  /** Appends a message that follows from effects: the hash covers those already, so it is counted and not hashed again. */
  follow(message: Message): void {
    this.#added?.push(message)
    this.#messages.push(freezeDeep(message))
  }

  #put(message: Message): void {
    this.#messages.push(freezeDeep(message))
    this.#hash = sha256(this.#hash + canonical(message))
  }

  /**
   * Marks the last message of the user as one that every window shows, even when it is summarized later: the question that is being answered, or what a person added to it while the
   * run was going.
   */
  keepQuestion(): void {
    const at = this.#messages.findLastIndex(({ role }) => role === 'user')
    if (at < 0 || this.#kept.some((kept) => kept.at === at)) return
    this.#kept = [...this.#kept, { message: this.#messages[at]!, at, isSummary: false }]
  }

  /** The messages that every window shows, in their order. */
  get kept(): readonly Kept[] {
    return this.#kept
  }

  /** Estimated tokens of one message; computed on demand, because most runs do not need them. */
  tokensAt(index: number): number {
    const message = this.#messages[index]
    return message === undefined ? 0 : (this.#tokens[index] ??= estimateTokens([message]))
  }

  /** Estimated tokens from a message to the end. */
  tokensFrom(index: number): number {
    let sum = 0
    for (let at = index; at < this.#messages.length; at++) sum += this.tokensAt(at)
    return sum
  }

  /** Replaces everything before `index` with a summary. What is kept stays, and so does the summary. */
  compact(index: number, summary: Message): void {
    const rest = this.#messages.splice(0).slice(index)
    this.#tokens.length = 0
    this.#hash = sha256(`compacted:${this.#hash}`)
    for (const message of [summary, ...rest]) this.#put(message)
    const asked = this.#kept.filter(({ isSummary }) => !isSummary)
    this.#kept = [
      { message: summary, at: 0, isSummary: true },
      ...asked.map((kept) => ({ ...kept, at: kept.at < index ? -1 : kept.at - index + 1 })),
    ]
  }
}

const STATUS: { readonly [S in Outcome['status']]: ToolResultStatus } = {
  ok: 'ok',
  failed: 'error',
  denied: 'denied',
  cancelled: 'cancelled',
  unknown: 'unknown',
}

/** The tool result message of a call: every call has exactly one before the next request. */
export function toolResult(
  call: { toolCallId: string; name: string },
  outcome: Outcome<Json>,
  note = '',
): ToolResultPart {
  const value: Json = outcome.status === 'ok' ? (outcome.shown ?? outcome.value) : describeOutcome(outcome) + note
  const { toolCallId, name } = call
  return { type: 'tool-result', toolCallId, name, status: STATUS[outcome.status], value }
}
