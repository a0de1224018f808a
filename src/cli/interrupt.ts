import { kernelOf } from '../agent/index.ts'
import type { AgentService } from '../agent/index.ts'
import { systemClock } from '../core/index.ts'
import { exitCodeOfSignal } from './exit-codes.ts'
import type { StopSignal } from './exit-codes.ts'
import { note, releaseNotes } from './output.ts'
import { followRuns } from './terminal/run-status.ts'

/** The result of a run, and the signal that interrupted it, if any. */
interface Interruptible<T> {
  readonly ended: T
  readonly signal: StopSignal | undefined
}

/** The signals that suspend runs: Ctrl-C, the signal of service managers and containers, and the signal of a closed terminal. */
const STOP_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Calls `fire` for each signal that asks the process to stop, until the returned function is called. */
function onStopSignal(fire: (signal: StopSignal) => void): () => void {
  // Each listener has its signal's name, because signals that this process emits itself come without one.
  const listeners = STOP_SIGNALS.map((signal) => ({ signal, listener: () => fire(signal) }))
  for (const { signal, listener } of listeners) process.on(signal, listener)
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener)
  }
}

/**
 * Waits for a run. The first signal suspends the run if it can be resumed. The second signal ends the process at once, and so does a store that does not save
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
    // After a stop signal the listeners stay, so that another signal still ends the process during cleanup.
    if (signal === undefined) ignore()
  }
}

/** Runs work until it ends by itself or by a signal, and returns the signal. */
export async function untilStopped(
  work: (signal: AbortSignal) => Promise<void>,
): Promise<{ readonly signal: StopSignal | undefined }> {
  const stop = new AbortController()
  let signal: StopSignal | undefined
  // The timer keeps the process alive: open stores do not, so a process that only waits for events would end.
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
