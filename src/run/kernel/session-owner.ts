import { MandateError, checkId } from '../../core/index.ts'
import { readStart } from '../../journal/index.ts'
import type { Identity, Journal, ListPlace, RunStartData, RunSummary } from '../../journal/index.ts'
import type { RunSpec } from '../lifecycle/create-run.ts'
import type { KernelHost } from './host.ts'

/** So many runs are looked at first: mostly one decides, and a few stand before it. */
const PAGE = 4

/** Where runs are kept, and whose the service is. */
interface SessionHost {
  readonly journal: Journal
  readonly identity: Identity
}

/** What a run that is given a session waits for before it is created. */
export function enterSession(
  host: KernelHost,
  { sessionId, identity }: RunSpec,
  attached: Promise<void>,
): Promise<void> {
  if (sessionId === undefined) return attached
  const entered = attached.then(() => checkSession(host, sessionId, identity))
  // Not read where a run of the same id is under way.
  entered.catch(() => {})
  return entered
}

/**
 * Throws unless a session is new, or the identity has it: whoever began its newest run. Whose it was is unknown once all runs are erased: then it is the
 * service's own.
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

/** The owner of a session; `null` if what its runs were has been erased, and `undefined` if it has no run. */
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
 * Whether its identity entered the session with a run. A fork or an import may be somebody else's copy of a run, and what the service does about a run, such as
 * to deliver a webhook, has its session too.
 */
function isBegun({ imported }: RunSummary, { forkOf, mind, identity }: RunStartData, service: Identity): boolean {
  return imported === undefined && forkOf === undefined && (mind !== 'program' || identity.id !== service.id)
}
