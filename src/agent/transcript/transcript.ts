import { canonical, describeOutcome, freezeDeep, sha256 } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import { estimateTokens } from '../../model/index.ts'
import type { Message, ToolResultPart, ToolResultStatus } from '../../model/index.ts'

/** Where every transcript begins. */
let nothingSaid: string | undefined

/**
 * The messages of a run with a rolling hash of their content: their representation in a journaled model request costs the same at turn 1,000 as at turn 1.
 * Messages are only ever added, or their beginning replaced by a summary.
 */
export class Transcript {
  readonly #messages: Message[] = []
  readonly #tokens: (number | undefined)[] = []
  #hash = (nothingSaid ??= sha256(''))
  #added: Message[] | undefined

  get messages(): readonly Message[] {
    return this.#messages
  }

  get hash(): string {
    return this.#hash
  }

  get length(): number {
    return this.#messages.length
  }

  /** Keeps what is added from now on, whatever is summarised later. */
  collect(): void {
    this.#added = []
  }

  /** What was added since `collect`; nothing where it was not asked for. */
  get added(): readonly Message[] | undefined {
    return this.#added
  }

  /** Models, planners and tools get the object that the journal may hold, so it is frozen. */
  push(message: Message): void {
    this.#added?.push(message)
    this.#put(message)
  }

  /** Adds a message that follows from effects: the chain holds those already, so it is counted and not hashed again. */
  follow(message: Message): void {
    this.#added?.push(message)
    this.#messages.push(freezeDeep(message))
  }

  #put(message: Message): void {
    this.#messages.push(freezeDeep(message))
    this.#hash = sha256(this.#hash + canonical(message))
  }

  /** Estimated tokens of one message; computed on demand, because most runs do not need it. */
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

  /** Puts a summary in the place of everything before `index`. */
  compact(index: number, summary: Message): void {
    const rest = this.#messages.splice(0).slice(index)
    this.#tokens.length = 0
    this.#hash = sha256(`compacted:${this.#hash}`)
    for (const message of [summary, ...rest]) this.#put(message)
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
