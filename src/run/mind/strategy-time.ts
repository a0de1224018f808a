import { MandateError } from '../../core/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { RecordOptions } from './mind.ts'
import type { Task } from './task.ts'

/**
 * A strategy that does nothing for as long as a model may take has failed. While effects are under way it is waiting for them, and they have limits of
 * their own. Cutting and interrupting the run need nothing here: a strategy is part of the mind.
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

/** A decision with a limit of its own: when it is over, what the decision has in flight is cut. Waiting for people and timers is not its doing. */
export function withinLimit<T>(run: ActiveRun, strand: Task, options: RecordOptions, decided: Promise<T>): Promise<T> {
  const { timeoutMs = Number.POSITIVE_INFINITY, late } = options
  if (timeoutMs === Number.POSITIVE_INFINITY) return decided
  const below = `${strand.path}/`
  const isWaiting = (): boolean => [...run.parked.keys()].some((key) => key.startsWith(below))
  return watched(run, { limitMs: timeoutMs, isWaiting }, decided, () => {
    const error = new MandateError('TIMEOUT', late ?? `"${strand.path}" did not end within ${timeoutMs} ms.`)
    strand.close(error)
    return error
  })
}

interface Watch {
  readonly limitMs: number
  /** Whether it is something else that takes the time: then the limit begins again. */
  readonly isWaiting: () => boolean
}

/** A decision that fails with what `onLate` gives when its time is over. */
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
