import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef } from 'react'
import type { ReactNode } from 'react'
import type { LightEntry } from '../../journal/run-store.ts'
import { timeOf, visible } from '../../parts/format.ts'
import { isPreview } from '../../parts/json-view.tsx'
import type { TabProps } from './run.tsx'
import styles from './journal-tab.module.css'

const ROW_HEIGHT = 28

/** Every entry of the run in its order: the truth that the other views are made from. */
export function JournalTab({ run, at, filter, select }: TabProps): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const size = run.entries.length
  const entries = useMemo(() => matching(run.entries, filter), [run, size, filter])
  const list = useVirtualizer({
    count: entries.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  })
  const index = entries.findIndex(({ seq }) => seq === at)
  useEffect(() => {
    if (index >= 0) list.scrollToIndex(index, { align: 'auto' })
  }, [index, list])
  return (
    <div
      ref={box}
      className={styles['box']}
      tabIndex={0}
      role="listbox"
      aria-label="Entries"
      aria-activedescendant={index < 0 ? undefined : `entry-${at}`}
      onKeyDown={(event) => {
        const to =
          event.key === 'ArrowDown' ? entries[index + 1] : event.key === 'ArrowUp' ? entries[index - 1] : undefined
        if (to === undefined) return
        event.preventDefault()
        select(to.seq)
      }}
    >
      <div style={{ height: list.getTotalSize(), position: 'relative' }}>
        {list.getVirtualItems().map((item) => {
          const entry = entries[item.index]!
          return (
            <div
              key={entry.seq}
              id={`entry-${entry.seq}`}
              role="option"
              aria-selected={entry.seq === at}
              className={styles['row']}
              style={{ transform: `translateY(${item.start}px)` }}
              onClick={() => select(entry.seq)}
            >
              <span className="number muted">{entry.seq}</span>
              <span className="muted">{timeOf(entry.at)}</span>
              <code>{entry.type}</code>
              <code className="muted">{entry.key ?? ''}</code>
              <span className={styles['text']} dir="auto">
                {shortText(entry)}
              </span>
            </div>
          )
        })}
      </div>
    </div>
  )
}

const TEXT_MAX = 160

/** One line about what an entry says. */
export function shortText({ data }: LightEntry): string {
  if (data === null) return 'erased'
  const { name, kind, decision, outcome, state, reason, text, answer } = data as unknown as Record<string, unknown> & {
    decision?: { verdict: string; rule: string }
    outcome?: { status: string; value?: unknown; error?: { message: string }; reason?: string }
  }
  const said =
    outcome !== undefined
      ? `${outcome.status} ${outcome.error?.message ?? outcome.reason ?? (isPreview(outcome.value) ? outcome.value.$preview : (JSON.stringify(outcome.value) ?? ''))}`
      : [kind, name, decision && `${decision.verdict} by ${decision.rule}`, state, reason, text, answer]
          .filter(Boolean)
          .join(' ')
  return visible((said === '' ? JSON.stringify(data) : said).slice(0, TEXT_MAX))
}

function matching(entries: readonly LightEntry[], filter: string): readonly LightEntry[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return entries
  return entries.filter((entry) => {
    const text = `${entry.type} ${entry.key ?? ''} ${JSON.stringify(entry.data)}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
