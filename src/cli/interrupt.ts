import { kernelOf } from '../agent/index.ts'
import type { AgentService } from '../agent/index.ts'
import { systemClock } from '../core/index.ts'
import { exitCodeOfSignal } from './exit-codes.ts'
import type { StopSignal } from './exit-codes.ts'
import { note, releaseNotes } from './output.ts'
import { followRuns } from './terminal/run-status.ts'

/** What a run came to, and the signal that ended the waiting for it, if one did. */
interface Interruptible<T> {
  readonly ended: T
  readonly signal: StopSignal | undefined
}

/** Ctrl-C, what service managers and containers send, and what a closed terminal sends: all of them suspend. */
const STOP_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Calls back at each of the signals that ask the process to stop, until the returned function is called. */
function onStopSignal(fire: (signal: StopSignal) => void): () => void {
  // Each knows its own signal: one that is emitted by this process itself comes without its name.
  const listeners = STOP_SIGNALS.map((signal) => ({ signal, listener: () => fire(signal) }))
  for (const { signal, listener } of listeners) process.on(signal, listener)
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener)
  }
}

/**
 * Waits for a run. The first signal suspends it where it can be resumed; the second ends the process at once, and so does a store that does not take
 * the suspension in time.
 */
export async function untilInterrupted<T>(
  service: AgentService,
  runId: string,
  running: Promise<T>,
): Promise<Interruptible<T>> {
  let signal: StopSignal | undefined
  let stopTimer: (() => void) | undefined
  const onSignal = (next: StopSignal): void => {
    const code = exitCodeOfSignal(signal ?? next)
    if (signal !== undefined) process.exit(code)
    signal = next
    releaseNotes()
    note(`\nsuspending ${runId}; press Ctrl-C again to kill`)
    stopTimer = systemClock.timer(kernelOf(service).limits.stopTimeoutMs, () => process.exit(code))
    void kernelOf(service).interrupt(runId)
  }
  const ignore = onStopSignal(onSignal)
  const hideStatus = followRuns(service)
  try {
    const ended = await running
    return { ended, signal }
  } finally {
    hideStatus()
    stopTimer?.()
    // Once it was asked to stop, the process still ends at the next signal while it tidies up.
    if (signal === undefined) ignore()
  }
}

/** Does work that goes on until it ends by itself or by a signal, and says which it was. */
export async function untilStopped(
  work: (signal: AbortSignal) => Promise<void>,
): Promise<{ readonly signal: StopSignal | undefined }> {
  const stop = new AbortController()
  let signal: StopSignal | undefined
  // A process that only waits for news would end: stores keep none alive.
  const letGo = systemClock.timer(Number.MAX_SAFE_INTEGER, () => stop.abort())
  const ignore = onStopSignal((next) => {
    if (signal !== undefined) process.exit(exitCodeOfSignal(signal))
    signal = next
    stop.abort()
  })
  try {
    await work(stop.signal)
  } finally {
    letGo()
    ignore()
  }
  return { signal }
}
