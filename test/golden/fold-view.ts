import type { RunFold, RunSummary } from '../../src/journal/index.ts'

/** The meaning of a run in plain data, written out field by field: a new field in the fold must not change what old journals mean. */
export interface FoldView {
  readonly summary: RunSummary
  readonly fold?: object | undefined
}

/** A run whose content was erased has a summary only. */
export function foldView(summary: RunSummary, fold: RunFold | undefined): FoldView {
  const plain = JSON.parse(JSON.stringify(summary)) as RunSummary
  if (fold === undefined) return { summary: plain }
  const effects = [...fold.effects].map(([key, record]) => ({
    key,
    started: record.start?.seq,
    ended: record.end?.seq,
    hash: record.start?.data.hash,
    outcome: record.end?.data.outcome,
    retries: record.attempts,
    approvals: record.approvals.map((approval) => [approval.seq, approval.response?.answer]),
  }))
  const view = {
    start: fold.start,
    startedAt: fold.startedAt,
    lastAt: fold.lastAt,
    seq: fold.seq,
    state: fold.state,
    end: fold.end,
    suspend: fold.suspend,
    activeMs: fold.activeMs,
    spent: fold.spent,
    effects,
    notes: [...fold.notes],
    messages: [...fold.messages],
    deliveries: fold.deliveries,
    approvals: [...fold.approvals].map(([seq, { key, data, response }]) => ({ seq, key, data, response })),
    pending: fold.pending().map(({ seq }) => seq),
    standing: fold.standing,
    open: [...fold.openStarts],
  }
  return { summary: plain, fold: JSON.parse(JSON.stringify(view)) as object }
}
