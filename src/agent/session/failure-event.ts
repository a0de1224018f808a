import type { MandateEvent } from '../../journal/index.ts'

/** The failure in an event; `undefined` for other events. */
export function failureIn({ type, data }: MandateEvent): { code: string; message: string } | undefined {
  if (type === 'run-end') {
    const { state, error } = data
    return state === 'failed' ? error : undefined
  }
  if (type !== 'effect-end') return undefined
  const { outcome } = data
  if (outcome.status === 'failed') return outcome.error
  return outcome.status === 'denied' ? { code: outcome.code, message: outcome.reason } : undefined
}
