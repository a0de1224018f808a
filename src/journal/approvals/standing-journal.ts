import type { ApprovalResponseData, Identity } from '../entry-data.ts'

/**
 * The run id of the journal in which a service keeps the approvals that reach beyond their runs (`scope: 'rule'`): a hash chain like that of a run,
 * which nothing executes. Its entries are notes: approvals and revocations.
 */
export const STANDING_JOURNAL = 'standing-approvals'

/** The run id of the journal in which a service keeps generated graphs that were reviewed and registered. */
export const GRAPH_JOURNAL = 'graph-registrations'

/** Whether a journal belongs to the service itself and is not a run. */
export function isServiceJournal(run: string): boolean {
  return run === STANDING_JOURNAL || run === GRAPH_JOURNAL
}

/** The name of the runs that keep the reports of evals: records, which did no work that anybody asked for. */
export const EVAL_REPORT = 'mandate-eval'

/** The note of an approval that reaches beyond its run. A run that made a call under it has a copy, as evidence. */
export const STANDING_NOTE = 'standing-approval'

/** The note that revokes such an approval. */
export const REVOKED_NOTE = 'standing-approval-revoked'

/** An approval with the scope `rule`, as recorded in the run in which it was given. */
export interface StandingNote {
  /** The id of the request that was answered. */
  readonly id: string
  readonly run: string
  /** Hash of the call that was shown to the approver; the signature of the answer covers it. */
  readonly hash: string
  readonly response: ApprovalResponseData
}

export interface RevokedNote {
  readonly id: string
  readonly by: Identity
  readonly reason?: string | undefined
}
