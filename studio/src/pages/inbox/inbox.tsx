import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { ago, visible } from '../../parts/format.ts'
import { Empty, Loading, Problem } from '../../parts/message.tsx'
import { Risk, Status } from '../../parts/status.tsx'
import { useNarrow } from '../../parts/use-narrow.ts'
import { useInbox, waitingText } from '../../shell/live-lists.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { matches } from './inbox-filter.ts'
import { RequestPanel } from './request-panel.tsx'
import styles from './inbox.module.css'

/** All requests that wait for a person, oldest first. */
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
  // In a narrow window only the list or the request fits. The list is shown until a request is opened, so that a key cannot decide a request that is not
  // visible.
  const isNarrow = useNarrow()
  const open = isNarrow && item === undefined ? undefined : requests[index]
  const go = (id: string | undefined): void =>
    void navigate({
      to: '/inbox',
      search: { ...(id === undefined ? {} : { item: id }), ...(filter === '' ? {} : { filter }) },
      replace: true,
    })
  const find = (text: string): void =>
    void navigate({ to: '/inbox', search: text === '' ? {} : { filter: text }, replace: true })
  const toggle = (id: string): void => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  const selected = requests.filter(({ id }) => chosen.has(id))
  const calls = selected.filter(({ reason }) => reason === 'approval')
  useShortcuts({
    nextRun: () => go(requests[index + 1]?.id ?? open?.id),
    previousRun: () => go(requests[index - 1]?.id ?? open?.id),
    select: () => open && toggle(open.id),
    decideSelected: calls.length === 0 ? undefined : () => bulk.current?.showModal(),
  })
  if (error !== null)
    return (
      <div className="page">
        <Problem of={error} retry={() => void refetch()} />
      </div>
    )
  if (isPending) return <Loading />
  if (data.requests.length === 0)
    return (
      <div className="page">
        <h1>Inbox</h1>
        <Empty title="Nothing waits for you">
          <div className="stack">
            <p>
              Calls that need an approval, questions of agents, and calls in doubt after a crash appear here. Each
              request shows what it would do before you decide.
            </p>
            <CliTwin command="mandate inbox" />
          </div>
        </Empty>
      </div>
    )
  return (
    <div className={styles['inbox']}>
      <section className={styles['list']} aria-label="What waits" hidden={isNarrow && open !== undefined}>
        <div className={styles['head']}>
          <h1>Inbox ({waitingText(data)})</h1>
          <input
            type="search"
            aria-label="Filter what waits"
            placeholder="Filter: rule:refunds older:1h …"
            title="Words, and rule: tool: run: risk: older: with a value, as in older:30m"
            value={filter}
            onChange={(event) => find(event.target.value)}
          />
          {calls.length === 0 ? null : (
            <button type="button" className="primary" onClick={() => bulk.current?.showModal()}>
              Decide {calls.length} {calls.length === 1 ? 'call' : 'calls'} … <kbd>A</kbd>
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
      {requests.length === 0 ? (
        <div className="page">
          <Empty title="Nothing matches">
            <p>
              0 of {waitingText(data)} match <code>{filter}</code>.{' '}
              <button type="button" onClick={() => find('')}>
                Clear the filter
              </button>
            </p>
          </Empty>
        </div>
      ) : null}
      {isNarrow && open !== undefined ? (
        <button type="button" className={`quiet ${styles['back']}`} onClick={() => go(undefined)}>
          ← Inbox ({waitingText(data)})
        </button>
      ) : null}
      {open === undefined ? null : (
        <RequestPanel key={open.id} request={open} next={() => go(requests[index + 1]?.id)} />
      )}
      <BulkDialog ref={bulk} calls={calls} others={selected.length - calls.length} done={() => setChosen(new Set())} />
    </div>
  )
}
