import type { MandateEvent } from '../../journal/index.ts'

/** The failure in an event; `undefined` for other events. */
function failureIn({ type, data }: MandateEvent): { code: string; message: string } | undefined {
  if (type === 'handler-error')
    return data.where !== 'onApproval'
      ? undefined
      : { code: data.code ?? 'MIND_FAILED', message: `onApproval: ${data.message}` }
  if (type === 'run-end') {
    const { state, error } = data
    return state === 'failed' ? error : undefined
  }
  if (type !== 'effect-end') return undefined
  const { outcome } = data
  if (outcome.status === 'failed') return outcome.error
  return outcome.status === 'denied' ? { code: outcome.code, message: outcome.reason } : undefined
}

/**
 * The same, each failure once: a failed call that ends its run would otherwise be told as the end of the call and as the end of the run. Has state, so
 * every listener needs its own.
 */
export function failuresOnce(): (event: MandateEvent) => { code: string; message: string } | undefined {
  const told = new Map<string, Set<string>>()
  return (event) => {
    const { type, runId } = event
    const failure = failureIn(event)
    const text = failure === undefined ? '' : `${failure.code}\n${failure.message}`
    const isTold = type === 'run-end' && told.get(runId)?.has(text) === true
    if (type === 'run-end' || type === 'run-suspend') told.delete(runId)
    else if (failure !== undefined) told.set(runId, (told.get(runId) ?? new Set()).add(text))
    return isTold ? undefined : failure
  }
}
