import { ERROR_CODES, codeOf, describeOutcome, frozenCopy, isRecord } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import type { NoteData } from '../../journal/index.ts'
import { toolCallsOf } from '../../model/index.ts'
import type { Message, ToolCallPart, ToolResultPart } from '../../model/index.ts'
import type { ActionRecord } from './result-types.ts'

const STEP = /^turn:\d+\/tool:\d+/

/** What an executor of the host came to, and when. */
interface Carried {
  readonly outcome: Outcome<Json>
  readonly at: number
}

/** Folds the calls of a run that never became effects: those that an executor of the host carried out, and those that were answered at once, such as arguments that are no JSON. */
export class CallFold {
  #calls: readonly ToolCallPart[] = []
  #saidAt = 0
  readonly #carried = new Map<string, Carried>()
  /** Calls below which effects of their own ended. */
  readonly #inner = new Set<string>()

  /** A message of the conversation: the results that follow belong to its calls. */
  said(message: Message, at: number): void {
    if (message.role !== 'assistant') return
    this.#calls = toolCallsOf(message)
    this.#saidAt = at
  }

  noted(key: string, { value }: NoteData, at: number): void {
    const outcome: unknown = isRecord(value) ? value['value'] : undefined
    if (isRecord(outcome) && typeof outcome['status'] === 'string' && STEP.exec(key)?.[0] === key)
      this.#carried.set(key, { outcome: outcome as unknown as Outcome<Json>, at })
  }

  ended(key: string): void {
    const [step] = STEP.exec(key) ?? []
    if (step !== undefined && step !== key) this.#inner.add(step)
  }

  /** The calls that an entry with results answers, without those that are effects. */
  results(key: string | undefined, message: unknown, at: number): readonly ActionRecord[] {
    const turn = key?.slice(0, key.indexOf('/')) ?? ''
    const results: unknown = isRecord(message) ? message['results'] : undefined
    if (!Array.isArray(results)) return []
    return (results as readonly Partial<ToolResultPart & { ref: string }>[]).flatMap((result, index) => {
      const id = `${turn}/tool:${index + 1}`
      if (result.ref !== undefined || this.#inner.has(id)) return []
      const call = this.#calls.find(({ toolCallId }) => toolCallId === result.toolCallId)
      const carried = this.#carried.get(id)
      return [
        this.#record(
          id,
          { ...result, call },
          carried ?? { outcome: answered(result, call), at },
          carried !== undefined,
        ),
      ]
    })
  }

  #record(
    id: string,
    { name = '', call }: { readonly name?: string; readonly call: ToolCallPart | undefined },
    { outcome, at }: Carried,
    performed: boolean,
  ): ActionRecord {
    return {
      id,
      toolId: name,
      input: frozenCopy(call?.invalid ?? call?.input ?? null),
      output: outcome.status === 'ok' ? outcome.value : null,
      ok: outcome.status === 'ok',
      status: outcome.status,
      performed,
      ...errorIn(outcome),
      startedAt: iso(this.#saidAt),
      finishedAt: iso(at),
      durationMs: performed ? at - this.#saidAt : 0,
    }
  }
}

/** How the model is told an outcome: "failed (INPUT_INVALID): The arguments are not valid JSON". */
const TOLD = /^[a-z]+ \(([A-Z_]+)\): /

/** The outcome of a call that was answered at once, of which the journal has only what the model was told. */
function answered({ status, value }: Partial<ToolResultPart>, call: ToolCallPart | undefined): Outcome<Json> {
  if (status === 'ok') return { status, value: value ?? null }
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  const message = text.replace(TOLD, '')
  if (status === 'cancelled') return { status, reason: message }
  const told = TOLD.exec(text)?.[1]
  const code = ERROR_CODES.find((one) => one === told) ?? (call?.invalid === undefined ? 'DENIED' : 'INPUT_INVALID')
  return status === 'denied'
    ? { status, code, rule: 'loop', reason: message }
    : { status: 'failed', error: { code, message } }
}

/** Why an outcome is no success. */
export function errorIn(outcome: Outcome): Pick<ActionRecord, 'error'> {
  return outcome.status === 'ok' ? {} : { error: { code: codeOf(outcome), message: describeOutcome(outcome) } }
}

/** The last formatted date: many entries share a time, and formatting is expensive. */
let lastDate = { at: 0, text: new Date(0).toISOString() }

/** A time as an ISO 8601 text. */
export function iso(at: number): string {
  if (lastDate.at !== at) lastDate = { at, text: new Date(at).toISOString() }
  return lastDate.text
}
