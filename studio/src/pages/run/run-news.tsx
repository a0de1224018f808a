import { useLayoutEffect, useState } from 'react'
import type { ReactNode } from 'react'
import type { RunStore } from '../../journal/run-store.ts'

/** So often somebody who listens is told what has come; each entry by itself would never end. */
const EVERY_MS = 4_000

/** Says to screen readers, now and then, how much has come while the run is followed. */
export function RunNews({ run, isFollowing }: { readonly run: RunStore; readonly isFollowing: boolean }): ReactNode {
  const [text, setText] = useState('')
  // Counted when the page says that it follows: what comes right after that would otherwise be taken for known.
  useLayoutEffect(() => {
    if (!isFollowing) return
    const now = (): Counted => ({ entries: run.entries.length, errors: run.rows.problems.size })
    let told = now()
    const tell = (): void => {
      const next = now()
      if (next.entries > told.entries) setText(newsOf(told, next))
      told = next
    }
    const timer = setInterval(tell, EVERY_MS)
    return () => {
      clearInterval(timer)
      tell()
      // That a run is over may be known before its last entries are there.
      setTimeout(tell, EVERY_MS)
    }
  }, [run, isFollowing])
  return (
    <p role="status" aria-label="What has come" className="hidden-visually">
      {text}
    </p>
  )
}

interface Counted {
  readonly entries: number
  readonly errors: number
}

export function newsOf(before: Counted, now: Counted): string {
  const entries = now.entries - before.entries
  const errors = now.errors - before.errors
  const said = `${entries} new ${entries === 1 ? 'entry' : 'entries'}`
  return errors > 0 ? `${said}, ${errors} ${errors === 1 ? 'error' : 'errors'}` : said
}
