import type { ApprovalResponseData, Identity } from './entry-data.ts'

/**
 * The run id of the journal in which a service keeps the approvals that hold beyond their runs (`scope: 'rule'`): a chain like that of any run,
 * which nothing executes. Its entries are notes: approvals and revocations.
 */
export const STANDING_JOURNAL = 'standing-approvals'

/** The run id of the journal in which a service keeps the generated graphs that were reviewed and registered. */
export const GRAPH_JOURNAL = 'graph-registrations'

/** Whether a journal is one of the service itself, and no run. */
export function isServiceJournal(run: string): boolean {
  return run === STANDING_JOURNAL || run === GRAPH_JOURNAL
}

/** The note of an approval that holds beyond its run; a run that made a call under it has the same note, as evidence. */
export const STANDING_NOTE = 'standing-approval'

/** The note that ends such an approval. */
export const REVOKED_NOTE = 'standing-approval-revoked'

/** An approval with the scope `rule`, as it was recorded in the run in which it was given. */
export interface StandingNote {
  /** The id of the request that was answered. */
  readonly id: string
  readonly run: string
  /** Hash of the call that was shown to the approver: the signature of the answer covers it. */
  readonly hash: string
  readonly response: ApprovalResponseData
}

export interface RevokedNote {
  readonly id: string
  readonly by: Identity
  readonly reason?: string | undefined
}
