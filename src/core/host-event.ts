import type { Clock } from './clock.ts'
import type { EventBus } from './events.ts'
import type { Json } from './json.ts'

/** Tells whoever listens of something that a host did or met, beside what its runs do; `runId` is empty where it is about none of them. */
export function tellOfHost(
  { events, clock }: { readonly events: EventBus; readonly clock: Clock },
  type: string,
  runId: string,
  data: Json,
): void {
  if (events.wants(type, runId)) events.emit({ v: 1, type, at: clock.now(), runId, sessionId: '', agentId: '', data })
}
