import { MandateError } from '../../core/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { RecordOptions } from './mind.ts'
import type { Task } from './task.ts'

/**
 * Fails a strategy without any effect in progress for as long as a model may take. While effects are under way, their own limits apply. Cancellation
 * and interruption need no handling here, because a strategy is part of the mind.
 */
export function inTime<T>(run: ActiveRun, what: string, decided: Promise<T>, onLate?: () => void): Promise<T> {
  const limitMs = run.limits.modelTimeoutMs
  const isWaiting = (): boolean => run.active > 0 || run.parked.size > 0
  return watched(run, { limitMs, isWaiting }, decided, () => {
    onLate?.()
    return new MandateError('TIMEOUT', `"${what}" was not decided within ${limitMs} ms. ${ADVICE}`)
  })
}

const ADVICE = 'Look at why the strategy, hook or check behind it hangs, or raise `limits.modelTimeoutMs`.'

/** Fails a decision after its own time limit, and aborts its effects in flight. Waiting for people and timers does not count. */
export function withinLimit<T>(run: ActiveRun, task: Task, options: RecordOptions, decided: Promise<T>): Promise<T> {
  const { timeoutMs = Number.POSITIVE_INFINITY, late } = options
  if (timeoutMs === Number.POSITIVE_INFINITY) return decided
  const below = `${task.path}/`
  const isWaiting = (): boolean => [...run.parked.keys()].some((key) => key.startsWith(below))
  return watched(run, { limitMs: timeoutMs, isWaiting }, decided, () => {
    const error = new MandateError('TIMEOUT', late ?? `"${task.path}" did not end within ${timeoutMs} ms.`)
    task.close(error)
    return error
  })
}

interface Watch {
  readonly limitMs: number
  /** Whether something else takes the time: then the limit starts again. */
  readonly isWaiting: () => boolean
}

/** Rejects with the error of `onLate` when the time is over. */
function watched<T>(
  run: ActiveRun,
  { limitMs, isWaiting }: Watch,
  decided: Promise<T>,
  onLate: () => MandateError,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let stop: () => void = () => {}
    const watch = (): void => {
      stop = run.onClose(run.host.clock.timer(limitMs, giveUp))
    }
    const giveUp = (): void => {
      stop()
      if (isWaiting()) watch()
      else reject(onLate())
    }
    watch()
    decided.then(resolve, reject).finally(() => stop())
  })
}
