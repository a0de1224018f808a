import { MandateError } from '../../core/index.ts'
import type { Label } from '../../core/index.ts'
import { readStart } from '../../journal/index.ts'
import type { Identity, ListPlace, RunStartData, RunSummary } from '../../journal/index.ts'
import type { Message } from '../../model/index.ts'
import type { AgentInput } from '../output/output-types.ts'
import type { ServiceHost } from './service-host.ts'

/** Runs per page of the list. Usually the newest run decides. */
const PAGE = 4

/** A session as the journal has it. */
export interface StoredSession {
  readonly agentId: string
  readonly sessionId: string
  readonly by: Identity
}

/** What was said in a session before a run of it. */
interface Said {
  readonly messages: readonly Message[]
  readonly labels: readonly Label[]
}

/**
 * Returns the run whose conversation the next run of a session continues: the newest one of the agent that is not under way. Forks and imports are copies of other runs, and nobody
 * went on from them here. Undefined if there is none.
 */
export async function newestRun(
  host: ServiceHost,
  { agentId, sessionId, by }: StoredSession,
): Promise<string | undefined> {
  const { journal } = host.kernel
  // The session of another identity must not be read; the start of the run would be refused as well, but only afterwards.
  await host.checkSession(sessionId, by)
  let newest: Candidate | undefined
  let after: ListPlace | undefined
  for (;;) {
    const page = await journal.list({ sessionId, name: agentId, parent: null, limit: PAGE, after })
    for (const summary of page) {
      if (newest !== undefined && summary.createdAt < newest.at) return newest.run
      const candidate = await candidateOf(host, summary)
      // Of runs that began in the same millisecond, the last one was told the most.
      if (candidate !== undefined && candidate.told > (newest?.told ?? -1)) newest = candidate
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return newest?.run
    after = { at: last.createdAt, run: last.run }
  }
}

interface Candidate {
  readonly run: string
  readonly at: number
  /** The number of messages that it was told. */
  readonly told: number
}

async function candidateOf({ kernel }: ServiceHost, summary: RunSummary): Promise<Candidate | undefined> {
  const { run, mind, state, imported, createdAt, sessionId } = summary
  if (mind !== 'agent' || imported !== undefined || state === 'running') return undefined
  if (summary.erased) throw erased(sessionId, run)
  const start = await readStart(kernel.journal, run)
  if (start === undefined || start.forkOf !== undefined) return undefined
  return { run, at: createdAt, told: inputOf(start).history?.length ?? 0 }
}

function inputOf({ input }: RunStartData): Partial<AgentInput> {
  return (input ?? {}) as Partial<AgentInput>
}

/** The history with which an existing run of this id began, so that the same start sent again is the same run. */
export async function historyOf(host: ServiceHost, runId: string): Promise<Said | undefined> {
  const start = await readStart(host.kernel.journal, runId)
  if (start?.mind !== 'agent') return undefined
  return { messages: inputOf(start).history ?? [], labels: start.labels ?? [] }
}

function erased(sessionId: string, run: string): MandateError {
  return new MandateError(
    'JOURNAL_ERASED',
    `The session "${sessionId}" cannot be continued: what was said in its last run (${run}) has been erased. Give \`history\` (\`[]\` begins anew), or another \`sessionId\`.`,
  )
}
