import type { Json } from '../../core/index.ts'
import { GENESIS, RunOutline, headOf } from '../../journal/index.ts'
import type { EffectEndData, Entry, EntryType, Head } from '../../journal/index.ts'
import { ReportFold } from './report.ts'
import type { Report, ReportEntry } from './report.ts'
import { agentResult } from './result.ts'
import type { ResultParts } from './result.ts'
import type { AgentResult } from './result-types.ts'

/**
 * A view of a run from its entries, live or read back: the same entries give the same view. Its outline is folded at once, its report on demand,
 * because most callers only need the outcome.
 */
export class RunView {
  readonly outline: RunOutline = new RunOutline()
  /**
   * The members of each entry that the report needs, as slots of one array: type, key, milliseconds since the run began, data. Compact, because
   * thousands of runs may be live.
   */
  readonly #told: unknown[] = []
  #last: Entry | undefined
  #report: Report | undefined
  #isPriced = true

  static of(entries: Iterable<Entry>): RunView {
    const view = new RunView()
    for (const entry of entries) view.add(entry)
    return view
  }

  add(entry: Entry): void {
    const { type, key, data } = entry
    this.#last = entry
    this.outline.apply(entry)
    this.#told.push(type, key, entry.at - this.outline.startedAt, data)
    this.#report = undefined
    if (type === 'effect-end' && data !== null && !isPriced(data)) this.#isPriced = false
  }

  get run(): string {
    return this.#last?.run ?? ''
  }

  /** The number of the last entry. */
  get seq(): number {
    return this.#last?.seq ?? 0
  }

  get head(): Head {
    return this.#last === undefined ? GENESIS : headOf(this.#last)
  }

  /** Whether it contains the run from its first entry to its end. */
  get isWhole(): boolean {
    return this.outline.start !== undefined && this.outline.end !== undefined
  }

  get report(): Report {
    return (this.#report ??= this.#tell())
  }

  /** Every model call had a known price. */
  get isPriced(): boolean {
    return this.#isPriced
  }

  result(parts?: ResultParts): AgentResult<Json> {
    return agentResult(this, parts)
  }

  #tell(): Report {
    const { run, outline } = this
    const fold = new ReportFold()
    for (let place = 0; place < this.#told.length; place += 4) {
      const [type, key, after, data] = this.#told.slice(place, place + 4) as [
        EntryType,
        string | undefined,
        number,
        unknown,
      ]
      fold.add({ run, seq: place / 4 + 1, at: outline.startedAt + after, type, key, data } as ReportEntry)
    }
    return fold.report()
  }
}

function isPriced({ spent }: EffectEndData): boolean {
  return spent.money !== undefined || (spent.totalTokens ?? 0) === 0
}
