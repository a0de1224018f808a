import type { RunEventBus } from '../journal/index.ts'
import { checkFields } from '../core/index.ts'
import type { MandateEvent } from '../journal/index.ts'
import { assertSequence, isLike } from './sequence.ts'
import type { Pattern, SequenceOptions } from './sequence.ts'

/** What a listener saw, and assertions about it. */
export interface EventCapture {
  readonly events: readonly MandateEvent[]
  /** The types in their order. */
  types(): readonly string[]
  /** Those that fit: by type, or by more than that. */
  of(pattern: Pattern<MandateEvent>): readonly MandateEvent[]
  /** Throws unless these came in this order, others in between allowed; says which did not come and what came instead. */
  expectSequence(expected: readonly Pattern<MandateEvent>[], options?: SequenceOptions): void
  /** Resolves with the first that fits, also one that came already. */
  next(pattern: Pattern<MandateEvent>): Promise<MandateEvent>
  /** Forgets what was seen so far. */
  clear(): void
  stop(): void
}

/**
 * Listens to a bus, or to whatever has one as `events` (a service), from now on.
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
