import { isRecord } from '../../core/index.ts'
import type { MandateEvent } from '../../journal/index.ts'
import type { AgentSpec } from '../config/config-types.ts'
import { ANSWER_KEY, SPEAKING } from './model-call-keys.ts'

/** Whether an agent has texts that are in no model call of its runs: those of a runner, of a planner, and the answers of cells. */
export function isOwnSpeaker({ runner, planner, mode }: AgentSpec): boolean {
  return runner !== undefined || planner !== undefined || mode !== 'tools'
}

/**
 * Finds the part of an answer that listeners have not received when the run ends. For texts that are in no model call: the entry that ends the run is the
 * first that has them, and their pieces may be lost on their way from another process.
 */
export class UnsaidAnswer {
  #said = ''
  #isStreamed = false
  /** Whether the run was followed from its start. */
  #isWhole = false
  /** Whether a model call has spoken to the user. */
  #isSpoken = false

  add({ type, key, data }: MandateEvent): void {
    if (type === 'run-start') this.#isWhole = true
    else if (type === 'stream-reset' && key === ANSWER_KEY) this.#said = ''
    else if (type !== 'text-delta') return
    else if (key !== undefined && key !== ANSWER_KEY) this.#isSpoken ||= SPEAKING.test(key)
    else {
      this.#isStreamed = key === ANSWER_KEY
      // A text without a key is complete; the next one begins on a new line, as in the result.
      this.#said += key === undefined && this.#said !== '' ? `\n${data.text}` : data.text
    }
  }

  /** The events that listeners lack before the run's end. */
  before(end: MandateEvent<'run-end'>): MandateEvent[] {
    const { output } = end.data
    const text = isRecord(output) ? output['text'] : undefined
    if (typeof text !== 'string' || this.#isSpoken) return []
    if (text === this.#said || (this.#said !== '' && text.endsWith(`\n${this.#said}`))) return []
    // A resumed run has said its earlier texts before.
    const last = isRecord(output) && typeof output['lastText'] === 'string' ? output['lastText'] : text
    const whole = this.#isWhole ? text : last
    const isMore = whole.startsWith(this.#said)
    const rest = isMore ? whole.slice(this.#said.length) : whole
    const about = { ...end, seq: undefined, key: this.#isStreamed ? ANSWER_KEY : undefined }
    const data = { attempt: 1, reason: 'Pieces of the text were lost.' }
    return [
      ...(isMore || !this.#isStreamed ? [] : [{ ...about, type: 'stream-reset', data } as const]),
      // The line break before a text without a key follows from its being a text of its own.
      { ...about, type: 'text-delta', data: { text: this.#isStreamed || !isMore ? rest : rest.replace(/^\n/, '') } },
    ]
  }
}
