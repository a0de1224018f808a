import { freezeDeep } from '../../core/index.ts'
import { isErased } from '../../journal/index.ts'
import type { Entry, RunStartData } from '../../journal/index.ts'
import type { KernelHost } from './host.ts'

/** Publishes an entry to the listeners in this process. */
export function announce({ events }: KernelHost, start: RunStartData | undefined, entry: Entry): void {
  if (start === undefined || isErased(entry) || !events.wants(entry.type, entry.run)) return
  const { sessionId, name } = start
  events.emit({
    v: 1,
    type: entry.type,
    at: entry.at,
    runId: entry.run,
    sessionId,
    agentId: name,
    seq: entry.seq,
    key: entry.key,
    // Listeners get the frozen entry that the run holds.
    data: freezeDeep(entry.data),
  })
}
