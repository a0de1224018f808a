import type { RunEventBus } from '../journal/index.ts'
import { checkFields } from '../core/index.ts'
import type { MandateEvent } from '../journal/index.ts'
import { assertSequence, isLike } from './sequence.ts'
import type { Pattern, SequenceOptions } from './sequence.ts'

/** The captured events, and assertions about them. */
export interface EventCapture {
  readonly events: readonly MandateEvent[]
  /** Returns the types of the events, in order. */
  types(): readonly string[]
  /** Returns the events that match a pattern: a type, or more than that. */
  of(pattern: Pattern<MandateEvent>): readonly MandateEvent[]
  /** Throws unless these events occurred in this order; others may occur in between. The error reports the missing ones, and what occurred instead. */
  expectSequence(expected: readonly Pattern<MandateEvent>[], options?: SequenceOptions): void
  /** Resolves with the first event that matches, also with one that has occurred already. */
  next(pattern: Pattern<MandateEvent>): Promise<MandateEvent>
  /** Discards the events captured so far. */
  clear(): void
  stop(): void
}

/**
 * Captures the events of a bus, or of an object with one as `events` (a service), from now on.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { scripted } from 'mandate/model'
 * import { captureEvents } from 'mandate/testing'
 * const service = new AgentService({ agents: [{ id: 'greeter', model: scripted(['Hello.']) }] })
 * const seen = captureEvents(service)
 * await service.run('greeter', 'Say hello.')
 * seen.expectSequence(['run-start', { type: 'effect-start', data: { kind: 'model' } }, 'run-end'])
 * ```
 */
export function captureEvents(
  source: RunEventBus | { readonly events: RunEventBus },
  options: { readonly runId?: string | undefined } = {},
): EventCapture {
  checkFields(options, 'an option of `captureEvents`', { runId: true })
  const bus = 'events' in source ? source.events : source
  const events: MandateEvent[] = []
  const waiting = new Set<(event: MandateEvent) => void>()
  const listener = (event: MandateEvent): void => {
    events.push(event)
    for (const look of waiting) look(event)
  }
  const stop = options.runId === undefined ? bus.on('*', listener) : bus.onRun(options.runId, listener)
  return {
    events,
    types: () => events.map(({ type }) => type),
    of: (pattern) => events.filter((event) => isLike(event, pattern)),
    expectSequence(expected, sequence) {
      checkFields(sequence, 'an option of `expectSequence`', { exact: true })
      assertSequence(events, expected, 'The sequence of events', sequence)
    },
    next: (pattern) =>
      new Promise((resolve) => {
        const there = events.find((event) => isLike(event, pattern))
        if (there !== undefined) return resolve(there)
        const look = (event: MandateEvent): void => {
          if (!isLike(event, pattern)) return
          waiting.delete(look)
          resolve(event)
        }
        waiting.add(look)
      }),
    clear: () => void (events.length = 0),
    stop,
  }
}
