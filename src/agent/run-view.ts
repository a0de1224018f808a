import { GENESIS, RunOutline, headOf } from '../journal/index.ts'
import type { Entry, Head } from '../journal/index.ts'
import type { RunOutcome } from '../run/index.ts'
import { ReportFold } from './report.ts'
import { agentResult } from './result.ts'
import type { AgentResult } from './result-types.ts'

/** A run as its entries tell it, from the first to the latest: folded while it is live, or from what was read back. The same entries give the same view. */
export class RunView {
  readonly outline: RunOutline = new RunOutline()
  readonly report: ReportFold = new ReportFold()
  run = ''
  head: Head = GENESIS

  static of(entries: Iterable<Entry>): RunView {
    const view = new RunView()
    for (const entry of entries) view.add(entry)
    return view
  }

  add(entry: Entry): void {
    this.run = entry.run
    this.head = headOf(entry)
    this.outline.apply(entry)
    this.report.add(entry)
  }

  /** Whether it has seen the run from its first entry to its end. */
  get isWhole(): boolean {
    return this.outline.start !== undefined && this.outline.end !== undefined
  }

  result(outcome?: RunOutcome): AgentResult {
    return agentResult(this.outline, { run: this.run, report: this.report.report(), head: this.head, outcome })
  }
}
