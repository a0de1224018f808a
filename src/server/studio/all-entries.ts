import type { Entry } from '../../journal/index.ts'
import type { Call } from '../http/route.ts'

/** Returns all entries of a run; each is verified against the previous one. */
export async function allEntries(service: Call['service'], run: string): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for await (const entry of service.entries(run)) entries.push(entry)
  return entries
}
