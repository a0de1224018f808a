import { GENESIS, RunOutline, headOf } from '../journal/index.ts'
import type { EffectEndData, Entry, Head } from '../journal/index.ts'
import type { RunOutcome } from '../run/index.ts'
import { ReportFold } from './report.ts'
import type { Report, ToldEntry } from './report.ts'
import { agentResult } from './result.ts'
import type { Hiding } from './result.ts'
import type { AgentResult } from './result-types.ts'

/**
 * A run as its entries tell it, from the first to the latest: seen while it is live, or read back. The same entries give the same view.
 * Its outline is folded at once, its report when somebody looks at it: most callers want to know what came out, not every call on the way.
 */
export class RunView {
  readonly outline: RunOutline = new RunOutline()
  readonly #entries: ToldEntry[] = []
  #report: Report | undefined
  #isPriced = true
  run = ''
  head: Head = GENESIS

  static of(entries: Iterable<Entry>): RunView {
    const view = new RunView()
    for (const entry of entries) view.add(entry)
    return view
  }

  add(entry: Entry): void {
    const { run, seq, at, type, key, data } = entry
    this.run = run
    this.head = headOf(entry)
    this.outline.apply(entry)
    this.#entries.push({ run, seq, at, type, key, data })
    this.#report = undefined
    if (type === 'effect-end' && !isPriced(data as unknown as EffectEndData)) this.#isPriced = false
  }

  /** Whether it has seen the run from its first entry to its end. */
  get isWhole(): boolean {
    return this.outline.start !== undefined && this.outline.end !== undefined
  }

  get report(): Report {
    return (this.#report ??= ReportFold.of(this.#entries))
  }

  /** Every model call had a known price. */
  get isPriced(): boolean {
    return this.#isPriced
  }

  result(outcome?: RunOutcome, hiding?: Hiding): AgentResult {
    return agentResult(this, outcome, hiding)
  }
}

function isPriced({ spent }: EffectEndData): boolean {
  return spent.money !== undefined || (spent.totalTokens ?? 0) === 0
}
