import { errorInfo } from '../core/index.ts'
import type { Kernel } from './kernel.ts'

/** Tells whoever listens that a run could not be woken. */
export function tellFault({ events, clock }: Pick<Kernel, 'events' | 'clock'>, runId: string, error: unknown): void {
  const { code, message } = errorInfo(error)
  const at = clock.now()
  events.emit({ v: 1, type: 'engine-fault', at, runId, sessionId: '', agentId: '', data: { code, message } })
}
