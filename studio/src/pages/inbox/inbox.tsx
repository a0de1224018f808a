import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { ReactNode } from 'react'
import type { WaitingItem } from '../../api/types.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { ago, visible } from '../../parts/format.ts'
import { Empty, Problem } from '../../parts/message.tsx'
import { Risk, Status } from '../../parts/status.tsx'
import { useInbox } from '../../shell/live-lists.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { RequestPanel } from './request-panel.tsx'
import styles from './inbox.module.css'

/** Everything that waits for a person, longest first. */
export function Inbox(): ReactNode {
  const { item, filter = '' } = useSearch({ from: '/inbox' })
  const navigate = useNavigate()
  const { data, error, isPending, refetch } = useInbox()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const bulk = useRef<HTMLDialogElement>(null)
  const requests = (data?.requests ?? []).filter((request) => matches(request, filter))
  const index = Math.max(
    0,
    requests.findIndex(({ id }) => id === item),
  )
  const open = requests[index]
  const go = (id: string | undefined): void =>
    void navigate({
      to: '/inbox',
      search: { ...(id === undefined ? {} : { item: id }), ...(filter === '' ? {} : { filter }) },
      replace: true,
    })
  const toggle = (id: string): void => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  useShortcuts({
    nextRun: () => go(requests[index + 1]?.id ?? open?.id),
    previousRun: () => go(requests[index - 1]?.id ?? open?.id),
    select: () => open && toggle(open.id),
  })
  if (error !== null) return <Problem of={error} retry={() => void refetch()} />
  if (isPending) return null
  if (data.requests.length === 0)
    return (
      <Empty title="Nothing waits for you">
        <div className="stack">
          <p>
            Calls that a rule asks about, questions of agents, and calls in doubt after a crash come here. Each shows
            what it would do before you decide.
          </p>
          <CliTwin command="mandate inbox" />
        </div>
      </Empty>
    )
  const selected = requests.filter(({ id }) => chosen.has(id))
  return (
    <div className={styles['inbox']}>
      <section className={styles['list']} aria-label="What waits">
        <div className={styles['head']}>
          <h1>Inbox ({data.requests.length})</h1>
          <input
            type="search"
            aria-label="Filter what waits"
            placeholder="Filter: tool, run, rule …"
            value={filter}
            onChange={(event) =>
              void navigate({
                to: '/inbox',
                search: event.target.value === '' ? {} : { filter: event.target.value },
                replace: true,
              })
            }
          />
          {selected.length === 0 ? null : (
            <button type="button" className="primary" onClick={() => bulk.current?.showModal()}>
              Decide {selected.length} …
            </button>
          )}
        </div>
        <ul>
          {requests.map((request) => (
            <li key={request.id} className={styles['item']} data-open={request === open}>
              <input
                type="checkbox"
                aria-label={`Select ${request.name}`}
                checked={chosen.has(request.id)}
                onChange={() => toggle(request.id)}
              />
              <button
                type="button"
                className={styles['pick']}
                aria-current={request === open}
                onClick={() => go(request.id)}
              >
                <span className="line">
                  <strong>{visible(request.name)}</strong> <Risk of={request.risk} />
                  {request.reason === 'approval' ? null : (
                    <Status
                      of={request.reason === 'in-doubt' ? 'doubt' : 'waits'}
                      note={request.reason === 'in-doubt' ? undefined : request.reason}
                    />
                  )}
                </span>
                <span className={styles['text']}>{visible(request.text)}</span>
                <span className="muted mono">
                  {request.run} {request.at === undefined ? '' : ago(request.at)}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {data.unreadable.map(({ run, problem }) => (
          <p key={run} role="alert" className={styles['unreadable']}>
            {run}: {visible(problem)}
          </p>
        ))}
      </section>
      {open === undefined ? (
        <Empty title="Nothing matches">
          <p>0 of {data.requests.length} match.</p>
        </Empty>
      ) : (
        <RequestPanel key={open.id} request={open} next={() => go(requests[index + 1]?.id)} />
      )}
      <BulkDialog ref={bulk} requests={selected} done={() => setChosen(new Set())} />
    </div>
  )
}

function matches({ name, run, rule = '', text, kind }: WaitingItem, filter: string): boolean {
  const all = `${name} ${run} ${rule} ${text} ${kind}`.toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}
