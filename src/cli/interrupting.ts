import type { AgentService } from '../agent/index.ts'
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
