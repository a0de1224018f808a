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
  return new Promise((resolve, reject) => {
    let stop: () => void = () => {}
    const watch = (): void => {
      stop = run.onClose(run.host.clock.timer(limitMs, giveUp))
    }
    const giveUp = (): void => {
      stop()
      if (run.active > 0 || run.parked.size > 0) return watch()
      onLate?.()
      reject(new MandateError('TIMEOUT', `"${what}" was not decided within ${limitMs} ms. ${ADVICE}`))
    }
    watch()
    decided.then(resolve, reject).finally(() => stop())
  })
}

const ADVICE = 'Look at why the strategy, hook or check behind it hangs, or raise `limits.modelTimeoutMs`.'

/** A decision with a limit of its own: when it is over, what the decision has in flight is cut. Waiting for people and timers is not its doing. */
export function withinLimit<T>(run: ActiveRun, strand: Task, options: RecordOptions, decided: Promise<T>): Promise<T> {
  const { timeoutMs = Number.POSITIVE_INFINITY, late } = options
  if (timeoutMs === Number.POSITIVE_INFINITY) return decided
  const below = `${strand.path}/`
  return new Promise((resolve, reject) => {
    let stop: () => void = () => {}
    const watch = (): void => {
      stop = run.onClose(run.host.clock.timer(timeoutMs, giveUp))
    }
    const giveUp = (): void => {
      stop()
      if ([...run.parked.keys()].some((key) => key.startsWith(below))) return watch()
      const message = late ?? `"${strand.path}" did not end within ${timeoutMs} ms.`
      const error = new MandateError('TIMEOUT', message)
      strand.close(error)
      reject(error)
    }
    watch()
    decided.then(resolve, reject).finally(() => stop())
  })
}
