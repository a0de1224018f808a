import { lazyRouteComponent } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { ComponentType, ReactNode } from 'react'
import { hasLost, onBack } from '../api/connection.ts'
import { Empty, Problem } from '../parts/message.tsx'

/** The code of a page that could not be loaded. Browsers and the loader remember the failure, so only a new load of the whole page helps. */
class MissingCode extends Error {}

/** Returns the component of a page, whose code is loaded at its first use. */
export function lazyPage<N extends string>(
  load: () => Promise<Readonly<Record<N, ComponentType>>>,
  name: N,
): ReturnType<typeof lazyRouteComponent> {
  let failure: MissingCode | undefined
  return lazyRouteComponent(async () => {
    if (failure !== undefined) throw failure
    try {
      return { default: (await load())[name] }
    } catch (cause) {
      failure = new MissingCode('The code of this page could not be loaded.', { cause })
      hasLost()
      throw failure
    }
  })
}

const RELOADED = 'mandate-reloaded'
/** The time between two loads of a page whose code is missing although the server answers. */
const EVERY_MS = 10_000

/** What is shown instead of a page that failed. One whose code is missing opens by itself when the server answers. */
export function PageProblem({ error, reset }: { readonly error: unknown; readonly reset: () => void }): ReactNode {
  const isMissing = error instanceof MissingCode
  useEffect(() => {
    if (!isMissing) return undefined
    hasLost()
    let timer: number | undefined
    const leave = onBack(() => {
      const since = Date.now() - Number(sessionStorage.getItem(RELOADED) ?? 0)
      window.clearTimeout(timer)
      timer = window.setTimeout(reload, Math.max(0, EVERY_MS - since))
    })
    return () => {
      leave()
      window.clearTimeout(timer)
    }
  }, [isMissing])
  return (
    <div className="page">
      {isMissing ? (
        <Empty title="This page is not loaded yet">
          <div className="stack">
            <p role="status">The server does not answer. The page opens by itself when it does.</p>
            <button type="button" onClick={reload}>
              Load it now
            </button>
          </div>
        </Empty>
      ) : (
        <Problem of={error} retry={reset} />
      )}
    </div>
  )
}

function reload(): void {
  sessionStorage.setItem(RELOADED, String(Date.now()))
  location.reload()
}
