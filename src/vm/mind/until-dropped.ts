import { MandateError } from '../../core/index.ts'
import type { RunContext } from '../../run/index.ts'

/** Created once, because an error for every cell would cost more than the cell. */
const DROPPED = new MandateError('CANCELLED', 'The run is over, or rests.')

/** Aborts with the run, and also when the run is suspended: the result would be dropped. */
export function untilDropped(context: RunContext): AbortSignal {
  const { signal } = context
  const wanted = new AbortController()
  const stop = (): void => wanted.abort(signal.reason ?? DROPPED)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  context.onDrop(stop)
  return wanted.signal
}
