import { EventBus } from '../core/index.ts'
import type { BusEvent } from '../core/index.ts'
import type { Entry, MandateEvent } from '../journal/index.ts'

/** The run and session of an entry's event. */
interface EventOrigin {
  readonly sessionId: string
  readonly agentId: string
}

/** Converts stored entries to events. They pass through an event bus, so that payloads are reduced to sizes exactly as in live events. */
export function eventView(includePayloads: boolean): (entry: Entry, origin: EventOrigin) => MandateEvent {
  let seen: BusEvent | undefined
  const bus = new EventBus()
  bus.addSink({ name: 'view', includePayloads, write: (event) => void (seen = event) })
  return (entry, { sessionId, agentId }) => {
    const { type, at, run: runId, seq, key, data } = entry
    bus.emit({ v: 1, type, at, runId, sessionId, agentId, seq, key, data })
    return seen as MandateEvent
  }
}
