import { RunFold } from '../journal/index.ts'
import type { Entry } from '../journal/index.ts'
import type { RunOutcome } from '../run/index.ts'
import { ReportFold } from './report.ts'
import { agentResult } from './result.ts'
import type { AgentResult } from './result-types.ts'

/** A run as its entries tell it, from the first to the latest: folded while it is live, or from what was read back. The same entries give the same view. */
export class RunView {
  readonly fold: RunFold = new RunFold()
  readonly report: ReportFold = new ReportFold()
  last: Entry | undefined

  static of(entries: Iterable<Entry>): RunView {
    const view = new RunView()
    for (const entry of entries) view.add(entry)
    return view
  }

  add(entry: Entry): void {
    this.last = { ...entry, data: null }
    this.fold.apply(entry)
    this.report.add(entry)
    if (entry.key === undefined) return
    // The report has what it needs of it; a view that is kept for as long as its run shall not grow with every word.
    if (entry.type !== 'effect-start') this.fold.forget(entry.key)
    this.fold.messages.delete(entry.key)
    this.fold.deliveries.length = 0
  }

  /** Whether it has seen the run from its first entry to its end. */
  get isWhole(): boolean {
    return this.fold.start !== undefined && this.fold.end !== undefined
  }

  result(outcome?: RunOutcome): AgentResult {
    return agentResult(this.fold, { report: this.report.report(), last: this.last!, outcome })
  }
}
