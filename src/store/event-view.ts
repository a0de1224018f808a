import { EventBus } from '../core/index.ts'
import type { BusEvent } from '../core/index.ts'
import type { Entry, MandateEvent } from '../journal/index.ts'

/** Whose event an entry becomes. */
interface EventOrigin {
  readonly sessionId: string
  readonly agentId: string
}

/** Makes events of stored entries. They go through a bus of their own, so that they are cut down to sizes exactly as they were when they happened. */
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
