import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { word } from '../../parts/commands.ts'
import { Empty, Loading, Problem } from '../../parts/message.tsx'
import { RunTable } from './run-table.tsx'
import { hasWords, readFilter, useRunFacts, useRuns } from './use-runs.ts'
import { SampleRun } from './sample-run.tsx'
import styles from './runs.module.css'

const READY = ['state:running', 'waiting', 'state:failed', 'state:completed'] as const

/** All runs, newest first. */
export function Runs(): ReactNode {
  const { filter } = useSearch({ from: '/' })
  const navigate = useNavigate()
  const { data, error, isPending, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useRuns(filter)
  const { words } = readFilter(filter)
  const loaded = data?.pages.flatMap(({ runs }) => runs) ?? []
  const facts = useRunFacts(loaded)
  const runs = loaded.filter((run) => hasWords(run, facts[run.id], words))
  const [marked, setMarked] = useState<string>()
  const set = (text: string): void =>
    void navigate({ to: '/', search: text === '' ? {} : { filter: text }, replace: true })
  const move = (by: number): void => {
    const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
    const focused = rows.findIndex((row) => row === document.activeElement)
    rows[Math.max(0, Math.min(rows.length - 1, focused + by))]?.focus()
  }
  const mark = (): void => {
    const id = (document.activeElement as HTMLElement | null)?.dataset['run']
    if (id === undefined || id === marked || marked === undefined) return setMarked(id === marked ? undefined : id)
    void navigate({ to: '/compare', search: { a: marked, b: id } })
  }
  useShortcuts({ nextRun: () => move(1), previousRun: () => move(-1), mark })
  return (
    <div className="page">
      <div className={styles['head']}>
        <h1>Runs</h1>
        <input
          type="search"
          aria-label="Filter runs"
          placeholder="Filter: state:failed agent:clerk waiting …"
          value={filter ?? ''}
          onChange={(event) => set(event.target.value)}
        />
        <div className={`line ${styles['ready']}`}>
          {READY.map((text) => (
            <button
              key={text}
              type="button"
              aria-pressed={filter === text}
              className="chip"
              onClick={() => set(filter === text ? '' : text)}
            >
              {text}
            </button>
          ))}
        </div>
        <CliTwin command="mandate runs" />
      </div>
      {error === null ? null : <Problem of={error} retry={() => void refetch()} />}
      {isPending ? <Loading /> : null}
      {isPending || error !== null ? null : loaded.length === 0 && filter === undefined ? (
        <NoRuns />
      ) : runs.length === 0 ? (
        <Empty title="No run matches">
          <p>
            {words.length === 0 ? 'No run of this store is ' : `None of ${loaded.length} runs has `}
            <code>{filter}</code>.{' '}
            <button type="button" onClick={() => set('')}>
              Clear the filter
            </button>
          </p>
        </Empty>
      ) : (
        <RunTable runs={runs} facts={facts} marked={marked} />
      )}
      {hasNextPage ? (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Older runs
        </button>
      ) : null}
    </div>
  )
}

function NoRuns(): ReactNode {
  return (
    <Empty title="No runs yet">
      <div className="stack">
        <p>Everything that an agent does is listed here as it happens. Start one:</p>
        <CliTwin command={`mandate run agent.ts ${word('Say hello.')}`} />
        <p>Or create a sample run: a scripted model answers, so it needs no key and costs nothing.</p>
        <SampleRun />
        <p>Or open a demo store with sample runs of every kind, kept in memory:</p>
        <CliTwin command="mandate studio --demo" />
      </div>
    </Empty>
  )
}
