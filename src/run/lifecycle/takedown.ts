import type { MandateError } from '../../core/index.ts'
import type { ActiveRun } from './active-run.ts'
import { CANCEL_NOTE, LIMIT_NOTE } from './prior-interruptions.ts'

/**
 * Cancels a run, and records that before the ends of its aborted calls: after a crash, the next owner must know why they ended so, and cancel the run
 * too. The entry consumes the signal that requested it.
 */
export function takeDown(run: ActiveRun, reason: MandateError, by: string, signalId?: string): void {
  if (run.ended || run.signal.aborted) return consume(run, signalId)
  const name = reason.code === 'CANCELLED' ? CANCEL_NOTE : LIMIT_NOTE
  const data = { name, value: { by, reason: reason.message } }
  const consumed = signalId === undefined ? undefined : [signalId]
  run.pendingEntries.hold(() => void run.writer.add('note', undefined, data, consumed))
  run.abort(reason)
}

/** Records a repeated request for a cancellation that is in progress; it has no other effect. */
function consume(run: ActiveRun, signalId: string | undefined): void {
  if (run.ended || signalId === undefined) return
  run.pendingEntries.hold(
    () => void run.writer.add('note', undefined, { name: 'cancel-repeated', value: null }, [signalId]),
  )
}
