/** Delay before a hidden tab closes its streams, so that a short switch of tabs does not reconnect. */
const GRACE_MS = 4_000

/**
 * Opens a resource while the tab is visible and closes it while the tab is hidden. A browser has six connections per server for all tabs together, which
 * background tabs must not hold. When the resource is reopened, it loads the missed data.
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
