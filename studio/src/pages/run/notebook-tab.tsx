import { useQueries, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Entry } from '../../../../src/journal/entry.ts'
import { get, runPath } from '../../api/client.ts'
import type { RunInfo } from '../../api/types.ts'
import { CliTwin, word } from '../../parts/cli-twin.tsx'
import { count, duration, visible } from '../../parts/format.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Empty } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'
import { ChildLink } from './child-link.tsx'
import type { TabProps } from './run.tsx'
import styles from './notebook-tab.module.css'

interface CellOutput {
  readonly stdout?: string
  readonly value?: unknown
  readonly fuelUsed?: number
  readonly variablesChanged?: readonly string[]
  readonly calls?: readonly unknown[]
  readonly error?: { readonly message: string }
}

/** The cells of the session that this run belongs to, in the order in which they were evaluated. */
export function NotebookTab({ run }: TabProps): ReactNode {
  const { start } = run.fold
  const sessionId = start?.sessionId
  const { data } = useQuery({
    queryKey: ['runs', 'session', sessionId],
    enabled: sessionId !== undefined,
    queryFn: ({ signal }) => get<{ runs: readonly RunInfo[] }>('/api/runs', { sessionId, limit: 200 }, signal),
  })
  const cells = (data?.runs ?? []).filter(({ kind }) => kind === 'cell').toReversed()
  const entries = useQueries({
    queries: cells.map((cell) => ({
      queryKey: ['cell', cell.id, cell.entries],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        get<{ entries: readonly Entry[] }>(runPath(cell.id, '/entries'), { limit: 1_000 }, signal),
    })),
  })
  if (data !== undefined && cells.length === 0)
    return (
      <Empty title="This run is no cell">
        <div className="stack">
          <p>Sessions of cells show their code here, with what each printed, gave and changed.</p>
          <CliTwin command="mandate repl" />
        </div>
      </Empty>
    )
  return (
    <div className={styles['book']}>
      <ol>
        {cells.map((cell, index) => (
          <CellView
            key={cell.id}
            cell={cell}
            number={index + 1}
            isHere={cell.id === run.runId}
            entries={entries[index]?.data?.entries ?? []}
          />
        ))}
      </ol>
      {sessionId === undefined ? null : <CliTwin command={`mandate repl ${word(sessionId)}`} />}
    </div>
  )
}

interface CellProps {
  readonly cell: RunInfo
  readonly number: number
  readonly isHere: boolean
  readonly entries: readonly Entry[]
}

function CellView({ cell, number, isHere, entries }: CellProps): ReactNode {
  const start = entries[0]?.data as { input?: { source?: string } } | undefined
  const end = entries.findLast(({ type }) => type === 'run-end')?.data as
    | { output?: CellOutput; activeMs?: number }
    | undefined
  const { stdout, value, fuelUsed, variablesChanged = [], error } = end?.output ?? {}
  return (
    <li className={styles['cell']} data-here={isHere}>
      <div className="line">
        <span className="muted">[{number}]</span>
        <ChildLink runId={cell.id}>{cell.id}</ChildLink>
        <Status of={cell.state} note={cell.suspendReason} />
        <span className="muted">
          {end?.activeMs === undefined ? '' : duration(end.activeMs)}{' '}
          {fuelUsed === undefined ? '' : `fuel ${count(Math.round(fuelUsed * 1_000))}`}
        </span>
      </div>
      <pre className={styles['source']} dir="ltr">
        {visible(start?.input?.source ?? '')}
      </pre>
      {stdout === undefined || stdout === '' ? null : <pre className={styles['out']}>{visible(stdout)}</pre>}
      {value === undefined ? null : (
        <div className={styles['out']}>
          <JsonView value={value} />
        </div>
      )}
      {error === undefined ? null : <p className={styles['error']}>{visible(error.message)}</p>}
      {variablesChanged.length === 0 ? null : <p className="muted">changed: {variablesChanged.join(', ')}</p>}
    </li>
  )
}
