import { MandateError, checkId } from '../../core/index.ts'
import { readStart } from '../../journal/index.ts'
import type { Identity, Journal, ListPlace, RunStartData, RunSummary } from '../../journal/index.ts'
import type { RunSpec } from '../lifecycle/create-run.ts'
import type { KernelHost } from './host.ts'

/** Runs per page of the list. Usually the first run decides, or one of the few after it. */
const PAGE = 4

/** The journal of the runs, and the identity of the service. */
interface SessionHost {
  readonly journal: Journal
  readonly identity: Identity
}

/** Resolves when a run may be created in its session; rejects if the session belongs to another identity. */
export function enterSession(
  host: KernelHost,
  { sessionId, identity }: RunSpec,
  attached: Promise<void>,
): Promise<void> {
  if (sessionId === undefined) return attached
  const entered = attached.then(() => checkSession(host, sessionId, identity))
  // Not awaited if a run with the same id is already running.
  entered.catch(() => {})
  return entered
}

/**
 * Throws unless the session is new or belongs to the identity. The owner is the identity that started its newest run. Once all runs are erased the owner
 * is unknown, and only the service's own identity may continue.
 */
export async function checkSession(host: SessionHost, sessionId: string, by: Identity = host.identity): Promise<void> {
  checkId(sessionId, 'The session id')
  const owner = await ownerOf(host, sessionId)
  if (owner === undefined || owner === by.id) return
  if (owner === null && by.id === host.identity.id) return
  throw new MandateError(
    'NOT_FOUND',
    `There is no session "${sessionId}" of "${by.id}". Leave the id out to begin one.`,
  )
}

/** Returns the owner of a session; `null` if its runs have been erased, and `undefined` if it has no run. */
async function ownerOf({ journal, identity }: SessionHost, sessionId: string): Promise<string | null | undefined> {
  let other: string | null | undefined
  let after: ListPlace | undefined
  for (;;) {
    const page = await journal.list({ sessionId, parent: null, limit: PAGE, after })
    for (const run of page) {
      const start = await readStart(journal, run.run)
      if (start !== undefined && isBegun(run, start, identity)) return start.identity.id
      other ??= start?.identity.id ?? null
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return other
    after = { at: last.createdAt, run: last.run }
  }
}

/**
 * Whether a run decides about the owner. Forks and imports do not: they may be another identity's copy of a run. Nor do programs that the service itself
 * starts for a run, such as the delivery of a webhook, which have the session of that run.
 */
function isBegun({ imported }: RunSummary, { forkOf, mind, identity }: RunStartData, service: Identity): boolean {
  return imported === undefined && forkOf === undefined && (mind !== 'program' || identity.id !== service.id)
}
