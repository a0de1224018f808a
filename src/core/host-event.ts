import type { Clock } from './time/clock.ts'
import type { EventBus } from './events.ts'

/** Emits an event of the host itself; `runId` is empty if it is about no run. */
export function tellOfHost(
  { events, clock }: { readonly events: Pick<EventBus, 'wants' | 'emit'>; readonly clock: Clock },
  type: string,
  runId: string,
  data: object,
): void {
  if (events.wants(type, runId)) events.emit({ v: 1, type, at: clock.now(), runId, sessionId: '', agentId: '', data })
}
