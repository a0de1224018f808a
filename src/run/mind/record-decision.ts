import { MandateError, toPlain } from '../../core/index.ts'
import type { ErrorInfo, Json, Label } from '../../core/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { RecordOptions } from './mind.ts'
import { beginDecision } from './open-decisions.ts'
import { inTime, withinLimit } from './strategy-time.ts'
import { countSteps } from './step-count.ts'
import { plainError } from '../lifecycle/failure.ts'
import type { Task } from './task.ts'

interface Strategy<T> {
  readonly name: string
  readonly decide: () => T | Promise<T>
  readonly options?: RecordOptions | undefined
}

/** `steps` are those a strategy took: it is not asked again, so they cannot be counted again by taking them. */
type Recorded = ({ readonly value: Json } | { readonly error: ErrorInfo }) & {
  readonly steps?: number | undefined
  /** What it was told on the way was made from these. */
  readonly labels?: readonly Label[] | undefined
}

/** Journals a decision under its key and hands it over in its turn. Effects that the strategy performs have keys below it. */
export function recordDecision<T extends Json | void>(
  run: ActiveRun,
  strand: Task,
  { name, decide, options }: Strategy<T>,
): Promise<T> {
  if (run.ended) return new Promise(() => {})
  const key = strand.path
  const known = run.fold.notes.get(key)
  if (known !== undefined && (typeof known.value !== 'object' || known.value === null)) return neverRecorded(run, key)
  return new Promise<T>((resolve, reject) => {
    const give = (note: Recorded): void => {
      run.fold.forget(key)
      run.shown.add(note.labels)
      if ('error' in note) reject(new MandateError(note.error.code, note.error.message, { info: note.error.info }))
      else resolve(note.value as T)
    }
    if (known !== undefined) {
      countSteps(run, strand, (known.value as unknown as Recorded).steps ?? 0)
      run.delivery.skipBelow(key)
      run.delivery.claim(key, () => give(known.value as unknown as Recorded))
      return
    }
    if (run.isReplay) {
      run.active += 1
      return run.onUndecided(key)
    }
    // While the process wants to stop, nothing new is decided: the run suspends with this still unasked.
    if (run.interrupted && !run.delivery.replaying) return run.delivery.pump()
    // After everything the strategy emitted: once the decision is recorded, the strategy is not called again.
    const before = run.shown.all
    const write = (note: Recorded): void => {
      over()
      // A strategy that is asked again may ask for less: what it leaves out has happened all the same, and others may have made use of it.
      if (run.delivery.replaying) run.delivery.skipBelow(key, (below) => run.shown.add(labelsOf(run, below)))
      run.pendingEntries.hold(() => {
        if (run.ended) return
        const value = {
          ...note,
          ...(strand.steps === 0 ? {} : { steps: strand.steps }),
          ...(run.shown.all === before ? {} : { labels: run.shown.all }),
        }
        const entry = run.writer.add('note', key, { name, value: value as Json })
        run.delivery.fill(run.delivery.reserve(entry.at), () => give(entry.data.value as unknown as Recorded))
      })
    }
    // Asked where it stands, also while recorded work is re-executed: what it asks for may depend on the time it sees. Inside a promise, so that one
    // that throws at once is recorded like one that rejects.
    const over = beginDecision(run, strand)
    const decided = new Promise<T>((start) => start(decide()))
    const inLimit =
      options?.timeoutMs === undefined
        ? inTime(run, strand.path, decided, () => strand.close())
        : withinLimit(run, strand, options, decided)
    inLimit.then(
      (given) => {
        const { value } = toPlain(given)
        return run.vault === undefined ? write({ value }) : run.vault.keep(value, run).then(() => write({ value }))
      },
      (error: unknown) => write({ error: plainError(error, 'MIND_FAILED') }),
    )
  })
}

/** What an effect or a decision of the journal was made from. */
function labelsOf({ fold }: ActiveRun, key: string): readonly Label[] | undefined {
  const outcome = fold.effects.get(key)?.end?.data.outcome
  if (outcome?.status === 'ok' || outcome?.status === 'failed') return outcome.labels
  return (fold.notes.get(key)?.value as Recorded | undefined)?.labels
}

/** A note under this key that no strategy's decision looks like; the run cannot go on from it. */
function neverRecorded(run: ActiveRun, key: string): Promise<never> {
  run.failUnlessLost(
    new MandateError('JOURNAL_DAMAGED', `Run "${run.id}" has a note under "${key}" that records no decision.`),
  )
  return new Promise(() => {})
}
