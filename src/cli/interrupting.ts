import type { AgentService } from '../agent/index.ts'
import { systemClock } from '../core/index.ts'
import { EXIT } from './exit-codes.ts'
import { note } from './output.ts'

/** What a run came to, and whether it was Ctrl-C that ended the waiting for it. */
export interface Interruptible<T> {
  readonly ended: T
  readonly isInterrupted: boolean
}

/** Waits for a run. The first Ctrl-C suspends it where it can be resumed; the second ends the process at once. */
export async function untilInterrupted<T>(
  service: AgentService,
  runId: string,
  running: Promise<T>,
): Promise<Interruptible<T>> {
  let isInterrupted = false
  const onInterrupt = (): void => {
    isInterrupted = true
    note(`\nsuspending ${runId}; press Ctrl-C again to kill`)
    process.once('SIGINT', () => process.exit(EXIT.interrupted))
    void service.kernel.interrupt(runId)
  }
  process.once('SIGINT', onInterrupt)
  try {
    const ended = await running
    return { ended, isInterrupted }
  } finally {
    process.off('SIGINT', onInterrupt)
  }
}

/** Does work that goes on until it ends by itself or by Ctrl-C, and says which it was. */
export async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<{ isInterrupted: boolean }> {
  const stop = new AbortController()
  const onInterrupt = (): void => stop.abort()
  // A process that only waits for news would end: stores keep none alive.
  const letGo = systemClock.timer(Number.MAX_SAFE_INTEGER, onInterrupt)
  process.once('SIGINT', onInterrupt)
  try {
    await work(stop.signal)
  } finally {
    letGo()
    process.off('SIGINT', onInterrupt)
  }
  return { isInterrupted: stop.signal.aborted }
}
