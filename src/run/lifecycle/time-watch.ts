import { MandateError } from '../../core/index.ts'
import { describeLimit } from '../../gate/index.ts'
import type { ActiveRun } from './active-run.ts'
import { takeDown } from './takedown.ts'

/** Ends a run at its time limit. Time is the one limit that can be exceeded without an effect, so it needs a timer. */
export function watchTime(run: ActiveRun): void {
  let stop: () => void = () => {}
  const arm = (): void => {
    const left = run.budget.timeLeft()
    if (left !== undefined) stop = run.host.clock.timer(left, look)
  }
  const look = (): void => {
    const hit = run.budget.check({ timeMs: 0 })
    if (hit?.unit === 'timeMs')
      takeDown(run, new MandateError('LIMIT_EXCEEDED', describeLimit(hit), { info: hit }), 'clock')
    // Timers may fire early, and clocks may be set back: then the limit is not reached yet.
    else arm()
  }
  if (run.ended) return
  run.onClose(() => stop())
  arm()
}
