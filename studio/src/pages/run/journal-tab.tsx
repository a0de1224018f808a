import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useMemo, useRef } from 'react'
import type { CSSProperties, ReactNode } from 'react'
import type { Json } from '../../../../src/core/index.ts'
import { spoken } from '../../../../src/server/studio/light-entry.ts'
import type { LightEntry, RunStore } from '../../journal/run-store.ts'
import { logTimeOf, timeOf, visible } from '../../parts/format.ts'
import { isPreview } from '../../parts/preview.ts'
import { oneLine } from '../../parts/markdown/one-line.ts'
import { useEndInSight, useScrolledToEnd } from '../../parts/use-scrolled-to.ts'
import { NoMatch } from './no-match.tsx'
import type { TabProps } from './run.tsx'
import styles from './journal-tab.module.css'

const ROW_HEIGHT = 28

/** All entries of the run in order; the other views are derived from them. */
export function JournalTab({ run, at, filter, select, isSelected, isFollowing }: TabProps): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const size = run.entries.length
  const entries = useMemo(() => matching(run, filter), [run, size, filter])
  const list = useVirtualizer({
    count: entries.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  })
  const index = useMemo(
    () => (isSelected ? entries.findLastIndex(({ seq }) => seq === at) : -1),
    [entries, size, at, isSelected],
  )
  useEffect(() => {
    if (index >= 0 && !isFollowing) list.scrollToIndex(index, { align: 'auto' })
  }, [index, list, isFollowing])
  useEndInSight(list, isFollowing)
  const items = list.getVirtualItems()
  useScrolledToEnd(box, entries.length, isFollowing)
  return (
    <div
      ref={box}
      className={styles['box']}
      style={{ '--digits': `${String(run.head).length}ch` } as CSSProperties}
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
        {items.map((item) => {
          const entry = entries[item.index]!
          return (
            <EntryRow
              key={entry.seq}
              entry={entry}
              top={item.start}
              isSelected={isSelected && entry.seq === at}
              select={select}
            />
          )
        })}
      </div>
      {entries.length > 0 || filter === '' || !run.isLoaded ? null : (
        <NoMatch of={size} things="entries" filter={filter} />
      )}
    </div>
  )
}

interface EntryRowProps {
  readonly entry: LightEntry
  readonly top: number
  readonly isSelected: boolean
  readonly select: (seq: number) => void
}

/** Memoized, because entries are immutable: a row renders only when it scrolls into view or its selection changes. */
const EntryRow = memo(function EntryRow({ entry, top, isSelected, select }: EntryRowProps): ReactNode {
  return (
    <div
      id={`entry-${entry.seq}`}
      role="option"
      aria-selected={isSelected}
      className={styles['row']}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => select(entry.seq)}
    >
      <span className="number muted">{entry.seq}</span>
      <span className="muted number" title={timeOf(entry.at)}>
        {logTimeOf(entry.at)}
      </span>
      <code>{entry.type}</code>
      <code className="muted">{entry.key ?? ''}</code>
      <span className={styles['text']} dir="auto">
        {shortText(entry)}
      </span>
    </div>
  )
})

const TEXT_MAX = 160

/** Returns a one-line summary of an entry. */
export function shortText({ data }: LightEntry): string {
  if (data === null) return 'erased'
  const { name, kind, decision, outcome, state, reason, text, answer, message } = data as unknown as Record<
    string,
    unknown
  > & {
    decision?: { verdict: string; rule: string }
    outcome?: { status: string; value?: unknown; error?: { message: string }; reason?: string }
  }
  const said =
    outcome !== undefined
      ? `${outcome.status} ${outcome.error?.message ?? outcome.reason ?? givenText(outcome.value)}`
      : [
          kind,
          name,
          decision && `${decision.verdict} by ${decision.rule}`,
          state,
          reason,
          text,
          answer,
          saidIn(message),
        ]
          .filter(Boolean)
          .join(' ')
  return visible((said === '' ? JSON.stringify(data) : said).slice(0, TEXT_MAX))
}

/** Formats the output of an effect: model text without Markdown, other values as JSON. */
function givenText(value: unknown): string {
  if (isPreview(value)) return /^[[{]/.test(value.$preview) ? value.$preview : oneLine(value.$preview)
  const words = spoken((value ?? null) as Json)
  return words === undefined ? (JSON.stringify(value) ?? '') : oneLine(words)
}

/** Returns the text of a message, or the names of the calls whose results it contains. */
function saidIn(message: unknown): string | undefined {
  if (message === undefined) return undefined
  const { results } = message as { readonly results?: readonly { readonly name?: string }[] }
  if (Array.isArray(results)) return `results of ${results.map(({ name = '' }) => name).join(', ')}`
  return isPreview(message) ? message.$preview : spoken({ message: message as Json })
}

/** Cache of the searched text of entries, which are immutable. */
const searched = new WeakMap<RunStore, string[]>()

function matching(run: RunStore, filter: string): readonly LightEntry[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return run.entries
  const texts = searched.get(run) ?? []
  searched.set(run, texts)
  for (let index = texts.length; index < run.entries.length; index += 1) {
    const { type, key = '', data } = run.entries[index]!
    texts.push(`${type} ${key} ${JSON.stringify(data)}`.toLowerCase())
  }
  return run.entries.filter((_, index) => words.every((word) => texts[index]!.includes(word)))
}
