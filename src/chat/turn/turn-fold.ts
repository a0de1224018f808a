import type { Json, Outcome } from '../../core/index.ts'
import { SPEAKING, TextPieces, toolResult } from '../../agent/index.ts'
import type { MandateEvent } from '../../journal/index.ts'
import { toolCallsOf, toolResultsOf } from '../../model/index.ts'
import type { Message, ModelReply, ToolCallPart, ToolResultPart } from '../../model/index.ts'

/** An event of a turn, as listeners receive it. */
export type TurnEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'called'; readonly call: ToolCallPart }
  | { readonly type: 'result'; readonly call: ToolCallPart; readonly result: ToolResultPart }

/** A tool call of the turn, and which of its events were emitted. */
interface KnownCall {
  readonly part: ToolCallPart
  isCalled: boolean
  isAnswered: boolean
}

const TOOL_KEY = /^(turn:\d+)\/tool:(\d+)$/

/**
 * Folds the events of a run into the events of a turn. Calls are reported in order, when they start, and each has exactly one result. Without a listener,
 * events are buffered.
 */
export class TurnFold {
  readonly #pieces = new TextPieces()
  /** By turn of the run and position in its reply. */
  readonly #calls = new Map<string, KnownCall>()
  /** Calls without a result; results are matched by the call ids of the model. */
  #open: KnownCall[] = []
  #listener: ((event: TurnEvent) => void) | undefined
  readonly #kept: TurnEvent[] = []
  /** All text that was emitted, including text that was withdrawn later. */
  #shown: string
  /** Whether a line break must precede the next text. */
  #isBroken: boolean

  /** `before` is the text that the turn wrote before this fold received events. */
  constructor(before = '') {
    this.#shown = before
    this.#isBroken = before !== ''
  }

  get shown(): string {
    return this.#shown
  }

  /** Sets the listener, which receives the buffered events first. Without a listener, events are buffered again. */
  listen(listener: ((event: TurnEvent) => void) | undefined): void {
    this.#listener = listener
    if (listener !== undefined) for (const event of this.#kept.splice(0)) listener(event)
  }

  add(event: MandateEvent): void {
    const text = this.#pieces.add(event)
    if (text !== undefined) this.#text(this.#isBroken && !text.startsWith('\n') ? `\n${text}` : text)
    const { type, key, data } = event
    if (type === 'message-append') return this.#appended(data.message)
    if (key === undefined) return
    if (type === 'effect-end') return this.#ended(key, data.outcome)
    if (type === 'effect-start' || type === 'effect-decide' || type === 'approval-request')
      this.#called(this.#calls.get(key))
  }

  /** Completes the fold from the transcript at the end of the run: emits what is missing because it happened in another process. */
  close(said: readonly Message[], text: string): void {
    for (const message of said) {
      if (message.role === 'assistant') this.#reply(message, undefined)
      for (const result of toolResultsOf(message)) this.#answered(result)
    }
    const { length } = this.#shown
    if (text.startsWith(this.#shown) && text.length > length) this.#text(text.slice(length))
  }

  #text(text: string): void {
    this.#isBroken = false
    this.#shown += text
    this.#tell({ type: 'text', text })
  }

  #ended(key: string, outcome: Outcome<Json>): void {
    if (SPEAKING.test(key)) {
      if (outcome.status === 'ok') this.#reply((outcome.value as unknown as ModelReply).message, key)
      return
    }
    const known = this.#calls.get(key)
    if (known !== undefined && TOOL_KEY.test(key)) this.#result(known, toolResult(known.part, outcome))
  }

  #reply(message: Message, key: string | undefined): void {
    const calls = toolCallsOf(message)
    if (key === undefined) {
      // Repeated at the end: only unknown calls count.
      const unseen = calls.filter((part) => ![...this.#calls.values()].some((one) => isSameCall(one.part, part)))
      this.#know(unseen, `end:${this.#calls.size}`)
      return
    }
    this.#know(calls, key.slice(0, key.indexOf('/')))
  }

  #know(calls: readonly ToolCallPart[], turn: string): void {
    for (const [index, part] of calls.entries()) {
      const known: KnownCall = { part, isCalled: false, isAnswered: false }
      this.#calls.set(`${turn}/tool:${index + 1}`, known)
      this.#open.push(known)
    }
  }

  /** Adds results of calls that never became effects, for example because their arguments could not be parsed. */
  #appended(message: Json): void {
    const { results } = (message ?? {}) as { readonly results?: readonly Partial<ToolResultPart>[] }
    for (const result of results ?? []) if (result.status !== undefined) this.#answered(result as ToolResultPart)
  }

  #answered(result: ToolResultPart): void {
    const known = this.#open.find(({ part }) => part.toolCallId === result.toolCallId)
    if (known !== undefined) this.#result(known, result)
  }

  #called(known: KnownCall | undefined): void {
    if (known === undefined || known.isCalled) return
    known.isCalled = true
    this.#tell({ type: 'called', call: known.part })
  }

  #result(known: KnownCall, result: ToolResultPart): void {
    if (known.isAnswered) return
    this.#called(known)
    known.isAnswered = true
    this.#open = this.#open.filter((one) => one !== known)
    this.#tell({ type: 'result', call: known.part, result })
  }

  #tell(event: TurnEvent): void {
    if (this.#listener === undefined) this.#kept.push(event)
    else this.#listener(event)
  }
}

function isSameCall(one: ToolCallPart, other: ToolCallPart): boolean {
  return one.toolCallId === other.toolCallId && one.name === other.name
}
