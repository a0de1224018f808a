import { errorInfo, tellOfHost } from '../../core/index.ts'
import type { Kernel } from './kernel.ts'

/** Emits that a run could not be woken. */
export function tellFault(kernel: Pick<Kernel, 'events' | 'clock'>, runId: string, error: unknown): void {
  const { code, message } = errorInfo(error)
  tellOfHost(kernel, 'engine-fault', runId, { code, message })
}
