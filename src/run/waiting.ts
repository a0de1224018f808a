import type { Fault } from './attempt.ts'
import { plainError } from './failure.ts'
import type { Request } from './perform.ts'
import type { Parked } from './performer.ts'

/** Waits before the next attempt, and says whether there shall be one. */
export async function isWorthAnother({ run, key, performer }: Request, fault: Fault, number: number): Promise<boolean> {
  if (run.signal.aborted) return false
  const decision = await performer.retry?.(fault.error, number, fault.call)
  if (decision?.again !== true || run.signal.aborted) return false
  const reason = plainError(fault.error, 'INTERNAL').message
  run.writer.add('effect-retry', key, { attempt: number + 1, reason, waitMs: decision.waitMs })
  // Whoever showed the parts of the failed attempt must take them back.
  run.emit('stream-reset', { attempt: number + 1, reason }, key)
  await new Promise<void>((resolve) => {
    const stop = run.onClose(run.host.clock.timer(decision.waitMs, resolve))
    run.onAbort(() => (stop(), resolve()))
  })
  return true
}

/** Gives its slot to others while it waits for something outside. */
export async function wait({ run, key }: Request, parked: Parked): Promise<void> {
  run.slots.give()
  let stop: () => void = () => {}
  await new Promise<void>((resolve) => {
    stop = run.onClose(parked.wake(resolve))
    run.park({
      key,
      reason: parked.parked,
      pending: parked.pending,
      wakeAt: parked.wakeAt,
      live: false,
      release: () => resolve(),
    })
  })
  stop()
  run.unpark(key)
  await run.slots.take()
}
