import type { Json } from '../../../core/index.ts'
import { readAll } from '../../../journal/index.ts'
import type { Entry, MandateEvent } from '../../../journal/index.ts'
import { HeardTexts } from '../../../run/index.ts'
import { ANSWER_KEY, SPEAKING } from '../../transcript/model-call-keys.ts'
import { UnsaidAnswer, isOwnSpeaker } from '../../transcript/unsaid-answer.ts'
import type { AiSdkStreamPart } from '../part-shapes.ts'
import { endingOf, errorParts, foldFor } from '../tool-calls.ts'
import type { Called } from '../tool-calls.ts'

/**
 * The parts of a live run, for a client that has lost its stream: all earlier ones, then the new ones. `events` are the run's entries from the first,
 * with the streamed events between them; they may begin in the middle of a model call, with all of its text so far.
 */
export async function* followParts(
  called: Called,
  runId: string,
  events: AsyncIterable<MandateEvent>,
): AsyncGenerator<AiSdkStreamPart> {
  const fold = foldFor(called, runId)
  const answered = lastAnswered(await readAll(called.service.journal, runId))
  const live = new LiveEvents(called)
  yield { type: 'start' }
  try {
    for await (const event of events) {
      yield* live.of(event).flatMap((one) => fold.add(one))
      if (event.type === 'run-end' || (event.type === 'run-suspend' && (event.seq ?? 0) > answered)) break
    }
    const result = await called.service.result(runId)
    yield* await endingOf(called, { fold, misfits: [], nested: new Set() }, result)
  } catch (error) {
    yield* errorParts(called, fold, error)
  }
}

/** The parts of a run that has ended or waits; none of a live one, because its stream repeats all of them. */
export async function* recordedParts(called: Called, runId: string): AsyncGenerator<AiSdkStreamPart> {
  const entries = await readAll(called.service.journal, runId)
  const last = entries.at(-1)
  if (last?.type !== 'run-end' && last?.type !== 'run-suspend') return
  const fold = foldFor(called, runId)
  const live = new LiveEvents(called)
  for (const { type, seq, at, key, data } of entries) {
    const event = { v: 1, type, seq, at, key, data, runId, sessionId: '', agentId: called.spec.id } as MandateEvent
    yield* live.of(event).flatMap((one) => fold.add(one))
  }
  yield* await endingOf(called, { fold, misfits: [], nested: new Set() }, await called.service.result(runId))
}

/** The seq of the last suspension after which the run continued. */
function lastAnswered(entries: readonly Entry[]): number {
  return entries.slice(0, -1).findLast(({ type }) => type === 'run-suspend')?.seq ?? 0
}

/** Converts entries to the events that a live listener would have received: with their steps, and with the text of each model call before its end. */
class LiveEvents {
  readonly #heard = new HeardTexts()
  readonly #unsaid: UnsaidAnswer | undefined
  readonly #started = new Set<string>()
  /** Text of a call whose start entry is not read yet: it is emitted after the entries before that. */
  #early: MandateEvent[] = []
  #turn = 0
  #pins: Json = null
  /** The text that a runner has streamed since the run started or was resumed. */
  #hasAnswer = false

  constructor({ spec }: Called) {
    if (isOwnSpeaker(spec)) this.#unsaid = new UnsaidAnswer()
  }

  of(event: MandateEvent): MandateEvent[] {
    if (event.data === null) return []
    const events = this.#of(event)
    for (const one of events) this.#unsaid?.add(one)
    return events
  }

  #of(event: MandateEvent): MandateEvent[] {
    const { type, key = '', data } = event
    switch (type) {
      case 'run-start':
        this.#pins = data.pins
        return [event]
      case 'step-start':
      case 'step-end':
        // Those events are emitted at once, but entries only when they are stored, so steps follow the entries.
        return []
      case 'text-delta':
      case 'reasoning-delta':
        return this.#delta(event)
      case 'stream-reset':
        this.#heard.add(event)
        this.#early = this.#early.filter((early) => early.key !== event.key)
        return [event]
      case 'run-suspend':
        return [...this.#suspended(event), event]
      case 'effect-start':
        return [...this.#stepOf(event, key), event, ...this.#begun(key)]
      case 'effect-end':
        return [...this.#unheard(event, key), event]
      case 'run-end':
        return [...(this.#unsaid?.before(event) ?? []), event]
      default:
        return [event]
    }
  }

  /** After a resume a runner streams its next text as a new one, or repeats the text of an interrupted call. */
  #suspended(event: MandateEvent): MandateEvent[] {
    if (!this.#hasAnswer) return []
    this.#hasAnswer = false
    const data = { attempt: 1, reason: 'The run was suspended.' }
    const reset = { ...event, seq: undefined, key: ANSWER_KEY, type: 'stream-reset', data } as const
    this.#heard.add(reset)
    return [reset]
  }

  /** Removes the part of a text that was already emitted, if it is sent again from its beginning. */
  #delta(event: MandateEvent<'text-delta' | 'reasoning-delta'>): MandateEvent[] {
    const { type, key, data } = event
    // Without a key the text is complete.
    if (key === undefined) return [event]
    const { offset = 0 } = data as { readonly offset?: number }
    const text = data.text.slice(Math.max(0, this.#heard.length(key, type) - offset))
    if (text === '') return []
    const more = { ...event, data: { text } }
    this.#heard.add(more)
    if (key === ANSWER_KEY) this.#hasAnswer = true
    if (!SPEAKING.test(key) || key === ANSWER_KEY || this.#started.has(key)) return [more]
    this.#early.push(more)
    return []
  }

  /** Emits the held text of a call that has started. */
  #begun(key: string): MandateEvent[] {
    this.#started.add(key)
    const early = this.#early.filter((event) => event.key === key)
    this.#early = this.#early.filter((event) => event.key !== key)
    return early
  }

  #stepOf(event: MandateEvent, key: string): MandateEvent[] {
    const turn = Number(/^turn:(\d+)\//.exec(key)?.[1] ?? 0)
    if (turn <= this.#turn) return []
    this.#turn = turn
    return [{ ...event, seq: undefined, key: undefined, type: 'step-start', data: { turn } }]
  }

  #unheard(event: MandateEvent<'effect-end'>, key: string): MandateEvent[] {
    const rest = SPEAKING.test(key) ? this.#heard.rest(key, event.data, this.#pins) : []
    this.#heard.add(event)
    return rest.map((unheard) => ({ ...event, seq: undefined, ...unheard }))
  }
}
