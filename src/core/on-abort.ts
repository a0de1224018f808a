/** Calls `call` once when a signal aborts, or at once if it has already. Returns the function that unsubscribes. */
export function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  if (signal?.aborted === true) call()
  signal?.addEventListener('abort', call, { once: true })
  return () => signal?.removeEventListener('abort', call)
}
