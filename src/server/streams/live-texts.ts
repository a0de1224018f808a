import type { MandateEvent, RunEventBus } from '../../journal/index.ts'

/** The streamed text of one attempt of a model call. A retry, or a resume after a crash, creates a new one. */
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

const trackers = new WeakMap<RunEventBus, LiveTexts>()

/** Returns the texts of a service. They are recorded from the first call on, so call it before runs are started. */
export function liveTextsOf(events: RunEventBus): LiveTexts {
  let texts = trackers.get(events)
  if (texts === undefined) trackers.set(events, (texts = new LiveTexts(events)))
  return texts
}

/**
 * Keeps the text of model calls in progress, because a client that joins during a call needs the beginning, which is not in the journal yet. The text of a
 * call is dropped when the call ends: from then on the journal contains it.
 */
export class LiveTexts {
  readonly #byRun = new Map<string, StreamedText[]>()
  readonly #listeners = new Set<(text: StreamedText) => void>()

  constructor(events: RunEventBus) {
    const add = (event: Delta): void => {
      const text = this.#add(event)
      if (text !== undefined) for (const listener of this.#listeners) listener(text)
    }
    const drop = ({ runId, key }: MandateEvent): void => this.drop(runId, key)
    const dropAll = ({ runId }: MandateEvent): void => this.dropAll(runId)
    events.on('text-delta', add)
    events.on('reasoning-delta', add)
    events.on('stream-reset', drop)
    events.on('effect-end', drop)
    events.on('run-suspend', dropAll)
    events.on('run-end', dropAll)
  }

  /** Calls the listener when text was added. */
  onText(listener: (text: StreamedText) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Returns the texts in progress of a run. */
  of(run: string): readonly StreamedText[] {
    return this.#byRun.get(run) ?? []
  }

  #add({ type, runId: run, key, at, sessionId, agentId, data }: Delta): StreamedText | undefined {
    // A tool may emit any data under these names.
    const piece: unknown = data?.text
    if (typeof piece !== 'string' || piece === '') return undefined
    // A text without a key is complete: no model streamed it, and no call ends it.
    if (key === undefined) return { type, run, key, sessionId, agentId, at, text: piece }
    let texts = this.#byRun.get(run)
    if (texts === undefined) this.#byRun.set(run, (texts = []))
    let text = texts.find((one) => one.key === key && one.type === type)
    if (text === undefined) texts.push((text = { type, run, key, sessionId, agentId, at, text: '' }))
    text.text += piece
    text.at = at
    return text
  }

  /** Drops all texts of a run. */
  dropAll(run: string): void {
    this.#byRun.delete(run)
  }

  /** Drops the texts of a call that has ended: the journal contains them. */
  drop(run: string, key: string | undefined): void {
    const texts = this.#byRun.get(run)
    if (texts === undefined) return
    const left = texts.filter((text) => text.key !== key)
    if (left.length === texts.length) return
    if (left.length === 0) this.#byRun.delete(run)
    else this.#byRun.set(run, left)
  }
}
