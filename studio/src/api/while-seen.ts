/** A tab that was left for a moment keeps its streams: coming back costs nothing. */
const GRACE_MS = 4_000

/**
 * Opens something while the tab is looked at, and closes it when it is not. A browser has six connections to a server for all tabs together: tabs in the
 * background must not hold them. What opens again loads what it has missed.
 */
export function whileSeen(open: () => () => void): () => void {
  let close: (() => void) | undefined
  let timer: number | undefined
  const look = (): void => {
    window.clearTimeout(timer)
    if (!document.hidden) close ??= open()
    else
      timer = window.setTimeout(() => {
        close?.()
        close = undefined
      }, GRACE_MS)
  }
  document.addEventListener('visibilitychange', look)
  look()
  return () => {
    document.removeEventListener('visibilitychange', look)
    window.clearTimeout(timer)
    close?.()
  }
}
