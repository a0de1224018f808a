/** Calls something once when a signal aborts, at once where it has already. Returns what stops listening. */
export function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  if (signal?.aborted === true) call()
  signal?.addEventListener('abort', call, { once: true })
  return () => signal?.removeEventListener('abort', call)
}
