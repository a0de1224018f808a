import { useLayoutEffect, useState } from 'react'
import type { ReactNode } from 'react'
import type { RunStore } from '../../journal/run-store.ts'

/** Interval between announcements; announcing each entry would be too much. */
const EVERY_MS = 4_000

/** Periodically announces the number of new entries to screen readers while the run is followed. */
export function RunNews({ run, isFollowing }: { readonly run: RunStore; readonly isFollowing: boolean }): ReactNode {
  const [text, setText] = useState('')
  // Counts in a layout effect, when following starts, so that entries that arrive right afterwards count as new.
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
      // The end of the run may be known before its last entries are loaded.
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
