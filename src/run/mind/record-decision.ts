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

/** `steps` are those that the strategy took: it is not executed again, so they are counted from here. */
type Recorded = ({ readonly value: Json } | { readonly error: ErrorInfo }) & {
  readonly steps?: number | undefined
  /** The labels of what the strategy was shown. */
  readonly labels?: readonly Label[] | undefined
}

/** Journals a decision under its key and delivers it in its turn. Effects that the strategy performs have keys below it. */
export function recordDecision<T extends Json | void>(
  run: ActiveRun,
  task: Task,
  { name, decide, options }: Strategy<T>,
): Promise<T> {
  if (run.ended) return new Promise(() => {})
  const key = task.path
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
      countSteps(run, task, (known.value as unknown as Recorded).steps ?? 0)
      run.delivery.skipBelow(key)
      run.delivery.claim(key, () => give(known.value as unknown as Recorded))
      return
    }
    if (run.isReplay) {
      run.active += 1
      return run.onUndecided(key)
    }
    // While the process is stopping, nothing new is decided: the run suspends with this decision unasked.
    if (run.interrupted && !run.delivery.replaying) return run.delivery.pump()
    // Written after everything the strategy emitted, because a strategy with a recorded decision is not executed again.
    const before = run.shown.all
    const write = (note: Recorded): void => {
      over()
      // A strategy that is executed again may request less than before. The outcomes it leaves out have still been recorded, and others may have used
      // them.
      if (run.delivery.replaying) run.delivery.skipBelow(key, (below) => run.shown.add(labelsOf(run, below)))
      run.pendingEntries.hold(() => {
        if (run.ended) return
        const value = {
          ...note,
          ...(task.steps === 0 ? {} : { steps: task.steps }),
          ...(run.shown.all === before ? {} : { labels: run.shown.all }),
        }
        const entry = run.writer.add('note', key, { name, value: value as Json })
        run.delivery.fill(run.delivery.reserve(entry.at), () => give(entry.data.value as unknown as Recorded))
      })
    }
    // The strategy is started at its place in the delivery order, also in a re-execution, because its requests may depend on the current time of the run.
    const over = beginDecision(run, task)
    const decided = new Promise<T>((start) => start(decide()))
    const inLimit =
      options?.timeoutMs === undefined
        ? inTime(run, task.path, decided, () => task.close())
        : withinLimit(run, task, options, decided)
    inLimit.then(
      (given) => {
        const { value } = toPlain(given)
        return run.vault === undefined ? write({ value }) : run.vault.keep(value, run).then(() => write({ value }))
      },
      (error: unknown) => write({ error: plainError(error, 'MIND_FAILED') }),
    )
  })
}

/** The labels of a recorded effect or decision. */
function labelsOf({ fold }: ActiveRun, key: string): readonly Label[] | undefined {
  const outcome = fold.effects.get(key)?.end?.data.outcome
  if (outcome?.status === 'ok' || outcome?.status === 'failed') return outcome.labels
  return (fold.notes.get(key)?.value as Recorded | undefined)?.labels
}

/** Reports an entry under this key that is no decision of a strategy; the run cannot continue from it. */
function neverRecorded(run: ActiveRun, key: string): Promise<never> {
  run.failUnlessLost(
    new MandateError('JOURNAL_DAMAGED', `Run "${run.id}" has a note under "${key}" that records no decision.`),
  )
  return new Promise(() => {})
}
