import { readAll } from '../../../journal/index.ts'
import type { Entry, EventDataByType, MandateEvent } from '../../../journal/index.ts'
import type { ModelReply } from '../../../model/index.ts'
import { hiddenIntents } from '../../transcript/hidden-intents.ts'
import { SPEAKING } from '../../transcript/model-call-keys.ts'
import type { AiSdkStreamPart } from '../part-shapes.ts'
import { endingOf, errorParts, foldFor } from '../tool-calls.ts'
import type { Called } from '../tool-calls.ts'

/**
 * The parts of a run that is under way, for a client that has lost its stream: all that it would have got, then what happens. `events` are the run's entries from the first, with what is streamed between them; they may begin in the middle of a model call, with all of
 * its text so far.
 */
export async function* followParts(
  called: Called,
  runId: string,
  events: AsyncIterable<MandateEvent>,
): AsyncGenerator<AiSdkStreamPart> {
  const fold = foldFor(called, runId)
  const answered = lastAnswered(await readAll(called.service.journal, runId))
  const live = new LiveEvents()
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

/** The parts of a run that has ended or waits; none of one that is under way, because whoever follows that gets all of them. */
export async function* recordedParts(called: Called, runId: string): AsyncGenerator<AiSdkStreamPart> {
  const entries = await readAll(called.service.journal, runId)
  const last = entries.at(-1)
  if (last?.type !== 'run-end' && last?.type !== 'run-suspend') return
  const fold = foldFor(called, runId)
  const live = new LiveEvents()
  for (const { type, seq, at, key, data } of entries) {
    const event = { v: 1, type, seq, at, key, data, runId, sessionId: '', agentId: called.spec.id } as MandateEvent
    yield* live.of(event).flatMap((one) => fold.add(one))
  }
  yield* await endingOf(called, { fold, misfits: [], nested: new Set() }, await called.service.result(runId))
}

/** The seq of the last suspension after which the run went on. */
function lastAnswered(entries: readonly Entry[]): number {
  return entries.slice(0, -1).findLast(({ type }) => type === 'run-suspend')?.seq ?? 0
}

/** Entries as the events that a listener had got: with the steps they belong to, and what the model said before its call ended. */
class LiveEvents {
  readonly #said = new Map<string, number>()
  readonly #started = new Set<string>()
  /** What a call said before its entry came, which is told when it is stored: behind the entries of the call before it. */
  #early: MandateEvent[] = []
  #turn = 0
  #hides = false

  of(event: MandateEvent): MandateEvent[] {
    const { type, key = '', data } = event
    if (data === null) return []
    switch (type) {
      case 'run-start':
        this.#hides = (data.pins as { readonly intent?: unknown } | null)?.intent === 'hidden'
        return [event]
      case 'step-start':
      case 'step-end':
        // They are told at once, and entries when they are stored: where steps begin and end is known by the entries.
        return []
      case 'text-delta':
      case 'reasoning-delta':
        return this.#delta(event)
      case 'stream-reset':
        this.#said.clear()
        return [event]
      case 'effect-start':
        return [...this.#stepOf(event, key), event, ...this.#begun(key)]
      case 'effect-end':
        return [...this.#spoken(event, key, data), event]
      default:
        return [event]
    }
  }

  /** A text that is sent again from its beginning is taken from where the last piece ended. */
  #delta(event: MandateEvent<'text-delta' | 'reasoning-delta'>): MandateEvent[] {
    const { type, key = '', data } = event
    const { offset = 0 } = data as { readonly offset?: number }
    const name = `${type} ${key}`
    const had = this.#said.get(name) ?? 0
    const text = data.text.slice(Math.max(0, had - offset))
    this.#said.set(name, Math.max(had, offset + data.text.length))
    const events = text === '' ? [] : [{ ...event, data: { text } }]
    if (!SPEAKING.test(key) || this.#started.has(key)) return events
    this.#early.push(...events)
    return []
  }

  /** A call has begun: what it said already. */
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

  #spoken(event: MandateEvent, key: string, { outcome }: EventDataByType['effect-end']): MandateEvent[] {
    if (!SPEAKING.test(key) || outcome.status !== 'ok') return []
    const reply = (outcome.value as unknown as ModelReply).message
    const { content } = this.#hides ? hiddenIntents.message(reply) : reply
    return content.flatMap((part): MandateEvent[] => {
      if (part.type !== 'text' && part.type !== 'reasoning') return []
      const type = `${part.type}-delta` as const
      const isSaid = this.#said.has(`${type} ${key}`)
      return isSaid ? [] : [{ ...event, seq: undefined, type, data: { text: part.text } }]
    })
  }
}
