import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import type { RunInfo } from '../../api/types.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { CliTwin, word } from '../../parts/cli-twin.tsx'
import { ago, count, duration, timeOf, visible } from '../../parts/format.ts'
import { Empty, Problem } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'
import { readFilter, useRuns } from './use-runs.ts'
import styles from './runs.module.css'

const READY = ['state:running', 'waiting', 'state:failed', 'state:completed'] as const

/** All runs, newest first. */
export function Runs(): ReactNode {
  const { filter } = useSearch({ from: '/' })
  const navigate = useNavigate()
  const { data, error, isPending, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useRuns(filter)
  const { words } = readFilter(filter)
  const loaded = data?.pages.flatMap(({ runs }) => runs) ?? []
  const runs = loaded.filter(({ id, name }) => words.every((part) => `${id} ${name}`.toLowerCase().includes(part)))
  const [at, setAt] = useState(0)
  const set = (text: string): void =>
    void navigate({ to: '/', search: text === '' ? {} : { filter: text }, replace: true })
  const move = (by: number): void => {
    const next = Math.max(0, Math.min(runs.length - 1, at + by))
    setAt(next)
    document.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus()
  }
  useShortcuts({ nextRun: () => move(1), previousRun: () => move(-1) })
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
        <div className="line">
          {READY.map((text) => (
            <button
              key={text}
              type="button"
              aria-pressed={filter === text}
              className="quiet"
              onClick={() => set(filter === text ? '' : text)}
            >
              {text}
            </button>
          ))}
        </div>
        <CliTwin command="mandate runs" />
      </div>
      {error === null ? null : <Problem of={error} retry={() => void refetch()} />}
      {isPending || error !== null ? null : loaded.length === 0 && filter === undefined ? (
        <NoRuns />
      ) : runs.length === 0 ? (
        <Empty title="No run matches">
          <p>
            0 of {loaded.length} match <code>{filter}</code>.{' '}
            <button type="button" onClick={() => set('')}>
              Clear the filter
            </button>
          </p>
        </Empty>
      ) : (
        <RunTable runs={runs} />
      )}
      {hasNextPage ? (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Older runs
        </button>
      ) : null}
    </div>
  )
}

function RunTable({ runs }: { readonly runs: readonly RunInfo[] }): ReactNode {
  return (
    <div className={`panel ${styles['table']}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">State</th>
            <th scope="col">Kind</th>
            <th scope="col" className="number">
              Entries
            </th>
            <th scope="col" className="number">
              Took
            </th>
            <th scope="col">Started</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run, index) => (
            <tr key={run.id}>
              <td>
                <Link to="/runs/$runId" params={{ runId: run.id }} data-row={index} className={styles['name']}>
                  <strong>{visible(run.name)}</strong> <span className="mono muted">{run.id}</span>
                </Link>
              </td>
              <td>
                <Status
                  of={run.suspendReason === 'in-doubt' ? 'doubt' : run.state}
                  note={run.suspendReason === 'in-doubt' ? undefined : run.suspendReason}
                />
              </td>
              <td>{run.kind}</td>
              <td className="number">{count(run.entries)}</td>
              <td className="number">{duration(run.updatedAt - run.createdAt)}</td>
              <td title={new Date(run.createdAt).toISOString()}>
                {timeOf(run.createdAt)} <span className="muted">{ago(run.createdAt)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function NoRuns(): ReactNode {
  return (
    <Empty title="No runs yet">
      <div className="stack">
        <p>Whatever an agent does will be listed here as it happens. Start one:</p>
        <CliTwin command={`mandate run agent.ts ${word('Say hello.')}`} />
        <p>Or look at a dozen made-up runs, which need no key and cost nothing:</p>
        <CliTwin command="mandate studio --demo" />
      </div>
    </Empty>
  )
}
