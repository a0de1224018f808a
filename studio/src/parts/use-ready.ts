import { useEffect, useState } from 'react'

/** How long nothing may be pressed before a decision that has just appeared can be made. */
const QUIET_MS = 700

/**
 * Whether a decision may be made by now: it has been in sight, and no press has come, for a moment. A second click of a double click was meant for what was in
 * its place before. Every further press while waiting begins the wait anew, and so does a dialog that opens or closes over it. `of` names what is decided.
 */
export function useReady(of: unknown): boolean {
  const [ready, setReady] = useState<{ readonly of: unknown }>()
  useEffect(() => {
    let timer: number | undefined
    const wait = (): void => {
      window.clearTimeout(timer)
      timer = window.setTimeout(() => {
        removeEventListener('pointerdown', wait, true)
        setReady({ of })
      }, QUIET_MS)
    }
    const begin = (): void => {
      setReady(undefined)
      addEventListener('pointerdown', wait, true)
      wait()
    }
    const onToggle = ({ target }: Event): void => {
      if (target instanceof HTMLDialogElement) begin()
    }
    begin()
    document.addEventListener('toggle', onToggle, true)
    return () => {
      window.clearTimeout(timer)
      removeEventListener('pointerdown', wait, true)
      document.removeEventListener('toggle', onToggle, true)
    }
  }, [of])
  return ready !== undefined && ready.of === of
}
