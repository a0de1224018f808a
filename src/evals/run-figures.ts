import { addSpend, readAll } from '../journal/index.ts'
import type { EffectEndData, EffectKind, Entry, Journal, RunSummary, Spend } from '../journal/index.ts'

/** Calls of one tool, or of models, in one run. */
interface CallFigures {
  readonly calls: number
  readonly errors: number
  /** The durations of the calls, in milliseconds. */
  readonly durations: readonly number[]
}

/** Figures of one run and its child runs, from their journals. */
export interface RunFigures {
  readonly run: string
  readonly name: string
  readonly state: RunSummary['state']
  /** Number of turns that agents began. */
  readonly steps: number
  /** The time in which it was driven, in milliseconds; waiting for people does not count. */
  readonly activeMs: number
  readonly tools: ReadonlyMap<string, CallFigures>
  readonly models: CallFigures
  readonly inputTokens: number
  readonly outputTokens: number
  /** In US dollars; absent when a price is unknown. */
  readonly cost?: number | undefined
}

/** Reads the journals of a run and its child runs, and aggregates them. */
export async function runFigures(journal: Journal, run: string): Promise<RunFigures> {
  const fold = new FiguresFold()
  await foldTree(journal, run, fold)
  const summary = await journal.summary(run)
  return fold.figures(run, summary?.name ?? 'unknown', summary?.state ?? 'running')
}

async function foldTree(journal: Journal, run: string, fold: FiguresFold): Promise<void> {
  const isRoot = fold.isEmpty
  for (const entry of await readAll(journal, run)) fold.add(entry, isRoot)
  for (const child of await journal.list({ parent: run, limit: Number.MAX_SAFE_INTEGER }))
    await foldTree(journal, child.run, fold)
}

interface OpenCalls {
  calls: number
  errors: number
  readonly durations: number[]
}

interface Started {
  readonly kind: EffectKind
  readonly name: string
}

/** Aggregates the entries of a tree of runs. */
class FiguresFold {
  readonly #started = new Map<string, Started>()
  readonly #turns = new Set<string>()
  readonly #tools = new Map<string, OpenCalls>()
  readonly #models: OpenCalls = newCalls()
  #spent: Spend = {}
  #unpriced = 0
  #activeMs = 0
  isEmpty = true

  add({ run, type, key = '', data }: Entry, isRoot: boolean): void {
    this.isEmpty = false
    if (data === null) return
    const turn = /^turn:\d+/.exec(key)?.[0]
    if (turn !== undefined) this.#turns.add(`${run} ${turn}`)
    const place = `${run} ${key}`
    if (type === 'effect-start') this.#started.set(place, data)
    else if (type === 'effect-end') this.#end(this.#started.get(place), data)
    else if (type === 'effect-retry') this.#spend(this.#started.get(place), data.spent ?? {})
    else if ((type === 'run-end' || type === 'run-suspend') && isRoot) this.#activeMs = data.activeMs
  }

  #end(started: Started | undefined, { outcome, spent, durationMs }: EffectEndData): void {
    // A refused call did not start, so it is no error of the tool.
    if (started === undefined) return
    this.#spend(started, spent)
    const calls = this.#callsOf(started)
    if (calls === undefined) return
    calls.calls += 1
    if (outcome.status !== 'ok') calls.errors += 1
    calls.durations.push(durationMs)
  }

  #callsOf({ kind, name }: Started): OpenCalls | undefined {
    if (kind === 'model') return this.#models
    if (kind !== 'tool') return undefined
    const calls = this.#tools.get(name) ?? newCalls()
    this.#tools.set(name, calls)
    return calls
  }

  /** Only models and embeddings are counted: the spend of child runs is counted from their own journals. */
  #spend(started: Started | undefined, spent: Spend): void {
    if (started?.kind !== 'model' && started?.kind !== 'embed') return
    this.#spent = addSpend(this.#spent, spent)
    if (spent.money === undefined) this.#unpriced += 1
  }

  figures(run: string, name: string, state: RunSummary['state']): RunFigures {
    const { inputTokens = 0, outputTokens = 0, money = 0 } = this.#spent
    return {
      run,
      name,
      state,
      steps: this.#turns.size,
      activeMs: this.#activeMs,
      tools: this.#tools,
      models: this.#models,
      inputTokens,
      outputTokens,
      ...(this.#unpriced === 0 ? { cost: money } : {}),
    }
  }
}

function newCalls(): OpenCalls {
  return { calls: 0, errors: 0, durations: [] }
}
