import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import type { Entry } from '../../../../src/journal/entry.ts'
import { get, post, runPath } from '../../api/client.ts'
import type { RunInfo } from '../../api/types.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { word } from '../../parts/commands.ts'
import { count, duration, visible } from '../../parts/format.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Empty, Problem } from '../../parts/message.tsx'
import { ReadOnlyNote, useReadOnly } from '../../parts/read-only.tsx'
import { Status } from '../../parts/status.tsx'
import { ChildLink } from './child-link.tsx'
import { staleCells } from './stale-cells.ts'
import type { CellFacts, Stale } from './stale-cells.ts'
import type { TabProps } from './run.tsx'
import styles from './notebook-tab.module.css'

/** A call of a tool, model, agent or graph. */
interface Called {
  readonly kind: string
  readonly name: string
  readonly status: string
}

interface CellOutput {
  readonly stdout?: string
  readonly value?: unknown
  readonly fuelUsed?: number
  readonly variablesChanged?: readonly string[]
  readonly calls?: readonly Called[]
  readonly error?: { readonly message: string }
}

/** The cells of the session of this run, in evaluation order. */
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
      <div className="page">
        <Empty title="This run has no cells">
          <div className="stack">
            <p>Sessions of cells show their code here, with the output, value and changes of each cell.</p>
            <CliTwin command="mandate repl" />
          </div>
        </Empty>
      </div>
    )
  const facts = cells.map((_, index) => factsOf(entries[index]?.data?.entries ?? []))
  const stale = staleCells(facts)
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
            stale={stale[index]}
            latest={cells.at(-1)?.id}
          />
        ))}
      </ol>
      {sessionId === undefined ? null : (
        <>
          <Variables facts={facts} stale={stale} />
          <NewCell sessionId={sessionId} />
          <div className="line">
            <a
              className="button"
              href={`data:text/javascript;charset=utf-8,${encodeURIComponent(scriptOf(facts))}`}
              download={`${sessionId}.js`}
              title="The code of all cells as one script"
            >
              export
            </a>
            <CliTwin command={`mandate repl ${word(sessionId)}`} />
          </div>
        </>
      )}
    </div>
  )
}

/** Joins all cells into one script, each under its number. */
export function scriptOf(cells: readonly CellFacts[]): string {
  return cells.map(({ source }, index) => `// [${index + 1}]\n${source.trimEnd()}\n`).join('\n')
}

interface VariablesProps {
  readonly facts: readonly CellFacts[]
  readonly stale: readonly (Stale | undefined)[]
}

/** The variables of the session, each with the cell that last changed it. */
function Variables({ facts, stale }: VariablesProps): ReactNode {
  const made = new Map(facts.flatMap(({ changed }, index) => changed.map((name) => [name, index] as const)))
  if (made.size === 0) return null
  return (
    <p aria-label="Variables" role="note">
      <span className="muted">variables</span>{' '}
      {[...made].map(([name, index]) => (
        <span key={name} className={styles['variable']}>
          <code>{visible(name)}</code> <span className="muted">[{index + 1}]</span>
          {stale[index] === undefined ? null : <span className={styles['stale']}>↻ stale</span>}
        </span>
      ))}
    </p>
  )
}

/** A form that evaluates a new cell with the current variables, with real effects. */
function NewCell({ sessionId }: { readonly sessionId: string }): ReactNode {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const isReadOnly = useReadOnly()
  const [source, setSource] = useState('')
  const evaluate = useMutation({
    mutationFn: () =>
      post<{ readonly run: string }>(`/api/cell-sessions/${encodeURIComponent(sessionId)}/cells`, { source }),
    onSuccess: async ({ run }) => {
      setSource('')
      await queries.invalidateQueries({ queryKey: ['runs', 'session', sessionId] })
      await navigate({ to: '/runs/$runId', params: { runId: run }, search: { tab: 'notebook' }, replace: true })
    },
  })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        evaluate.mutate()
      }}
    >
      <label>
        New cell
        <textarea
          rows={3}
          className="mono"
          spellCheck={false}
          placeholder="Variables of the cells above are there. Ctrl+Enter evaluates it."
          value={source}
          onChange={(event) => setSource(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
          }}
        />
      </label>
      <div className="line">
        <button disabled={isReadOnly || evaluate.isPending || source.trim() === ''}>
          {evaluate.isPending ? 'Evaluating…' : 'Evaluate'}
        </button>
        <span className="muted">It may perform effects and spend money.</span>
      </div>
      {evaluate.error === null ? null : <Problem of={evaluate.error} />}
      <ReadOnlyNote />
    </form>
  )
}

function factsOf(entries: readonly Entry[]): CellFacts {
  const end = entries.findLast(({ type }) => type === 'run-end')?.data as { output?: CellOutput } | undefined
  return { source: sourceOf(entries), changed: end?.output?.variablesChanged ?? [] }
}

function sourceOf(entries: readonly Entry[]): string {
  return (entries[0]?.data as { input?: { source?: string } } | undefined)?.input?.source ?? ''
}

interface CellProps {
  readonly cell: RunInfo
  readonly number: number
  readonly isHere: boolean
  readonly entries: readonly Entry[]
  readonly stale: Stale | undefined
  /** The last cell of the session, which has the current variables. */
  readonly latest: string | undefined
}

function CellView({ cell, number, isHere, entries, stale, latest }: CellProps): ReactNode {
  const source = sourceOf(entries)
  const end = entries.findLast(({ type }) => type === 'run-end')?.data as
    | { output?: CellOutput; activeMs?: number }
    | undefined
  const { stdout, value, fuelUsed, variablesChanged = [], calls = [], error } = end?.output ?? {}
  return (
    <li className={styles['cell']} data-here={isHere}>
      <div className="line">
        <span className="muted">[{number}]</span>
        <ChildLink runId={cell.id}>{cell.id}</ChildLink>
        <Status of={cell.state} note={cell.suspendReason} />
        <span className="muted">
          {[
            ...(end?.activeMs === undefined ? [] : [duration(end.activeMs)]),
            ...(fuelUsed === undefined ? [] : [`fuel ${count(Math.round(fuelUsed * 1_000))}`]),
          ].join(' · ')}
        </span>
        {stale === undefined ? null : (
          <span className={styles['stale']}>
            ↻ stale: [{stale.by}] changed <code>{visible(stale.variable)}</code>
          </span>
        )}
        <RunAsFork source={source} sessionId={cell.sessionId} at={latest} />
      </div>
      <pre className={styles['source']} dir="ltr">
        {visible(source)}
      </pre>
      {stdout === undefined || stdout === '' ? null : <pre className={styles['out']}>{visible(stdout)}</pre>}
      {value === undefined ? null : (
        <div className={styles['out']}>
          <JsonView value={value} />
        </div>
      )}
      {error === undefined ? null : <p className={styles['error']}>{visible(error.message)}</p>}
      {calls.length === 0 ? null : <p className="muted">called: {visible(calledText(calls))}</p>}
      {variablesChanged.length === 0 ? null : <p className="muted">changed: {visible(variablesChanged.join(', '))}</p>}
    </li>
  )
}

/** Lists the calls of a cell, with counts. */
function calledText(calls: readonly Called[]): string {
  const counts = new Map<string, number>()
  for (const { kind, name, status } of calls) {
    const call = `${kind} ${name}${status === 'ok' ? '' : ` (${status})`}`
    counts.set(call, (counts.get(call) ?? 0) + 1)
  }
  return [...counts].map(([call, times]) => (times === 1 ? call : `${call} ×${times}`)).join(', ')
}

interface ForkProps {
  readonly source: string
  readonly sessionId: string
  readonly at: string | undefined
}

/** Evaluates a cell again with the current variables in a forked session. This session does not change. */
function RunAsFork({ source, sessionId, at }: ForkProps): ReactNode {
  const navigate = useNavigate()
  const isReadOnly = useReadOnly()
  const path = (id: string, rest: string): string => `/api/cell-sessions/${encodeURIComponent(id)}/${rest}`
  const fork = useMutation({
    mutationFn: async () => {
      const { id } = await post<{ readonly id: string }>(path(sessionId, 'fork'), at === undefined ? {} : { at })
      await post(path(id, 'cells'), { source })
      return get<{ runs: readonly RunInfo[] }>('/api/runs', { sessionId: id, limit: 1 })
    },
    onSuccess: ({ runs }) => {
      if (runs[0] !== undefined)
        void navigate({ to: '/runs/$runId', params: { runId: runs[0].id }, search: { tab: 'notebook' } })
    },
  })
  if (source === '') return null
  return (
    <>
      <button
        type="button"
        className={`quiet ${styles['fork']}`}
        disabled={isReadOnly || fork.isPending}
        title={
          isReadOnly
            ? 'This server is read-only.'
            : 'Evaluates the cell again in a new session with the variables as they are now. It may perform effects and spend money.'
        }
        onClick={() => fork.mutate()}
      >
        run as fork
      </button>
      {fork.error === null ? null : <Problem of={fork.error} />}
    </>
  )
}
