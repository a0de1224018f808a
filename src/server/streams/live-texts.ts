import type { MandateEvent, RunEventBus } from '../../journal/index.ts'

/** The text of one attempt of a model call, as far as it was streamed. A retry, or a resume after a crash, has another one. */
export interface StreamedText {
  readonly type: 'text-delta' | 'reasoning-delta'
  readonly run: string
  readonly key: string | undefined
  readonly sessionId: string
  readonly agentId: string
  at: number
  text: string
}

type Delta = MandateEvent<StreamedText['type']>

/**
 * Keeps the text of the model calls that are under way, because a client that joins in the middle of one needs its beginning, which no journal has yet.
 * What it keeps of a call is dropped when the call ends: from then on the journal has the text.
 */
export class LiveTexts {
  readonly #byRun = new Map<string, StreamedText[]>()
  readonly #stops: readonly (() => void)[]

  /** `onText` is called when there is more of a text, `onReset` when an attempt is void. */
  constructor(events: RunEventBus, onText: (text: StreamedText) => void) {
    const add = (event: Delta): void => {
      const text = this.#add(event)
      if (text !== undefined) onText(text)
    }
    const drop = ({ runId, key }: MandateEvent): void => this.#drop(runId, key)
    const dropAll = ({ runId }: MandateEvent): void => void this.#byRun.delete(runId)
    this.#stops = [
      events.on('text-delta', add),
      events.on('reasoning-delta', add),
      events.on('stream-reset', drop),
      events.on('effect-end', drop),
      events.on('run-suspend', dropAll),
      events.on('run-end', dropAll),
    ]
  }

  /** What is being said in a run. */
  of(run: string): readonly StreamedText[] {
    return this.#byRun.get(run) ?? []
  }

  stop(): void {
    for (const stop of this.#stops) stop()
    this.#byRun.clear()
  }

  #add({ type, runId: run, key, at, sessionId, agentId, data }: Delta): StreamedText | undefined {
    // A tool may emit anything under these names.
    const piece: unknown = data?.text
    if (typeof piece !== 'string' || piece === '') return undefined
    // Without a key the text is whole: no model streamed it, and no call will end it.
    if (key === undefined) return { type, run, key, sessionId, agentId, at, text: piece }
    let texts = this.#byRun.get(run)
    if (texts === undefined) this.#byRun.set(run, (texts = []))
    let text = texts.find((one) => one.key === key && one.type === type)
    if (text === undefined) texts.push((text = { type, run, key, sessionId, agentId, at, text: '' }))
    text.text += piece
    text.at = at
    return text
  }

  #drop(run: string, key: string | undefined): void {
    const texts = this.#byRun.get(run)
    if (texts === undefined) return
    const left = texts.filter((text) => text.key !== key)
    if (left.length === texts.length) return
    if (left.length === 0) this.#byRun.delete(run)
    else this.#byRun.set(run, left)
  }
}
