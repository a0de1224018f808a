import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { ago, visible } from '../../parts/format.ts'
import { Empty, Loading, Problem } from '../../parts/message.tsx'
import { Risk, Status } from '../../parts/status.tsx'
import { useNarrow } from '../../parts/use-narrow.ts'
import { useInbox, waitingText } from '../../shell/live-lists.ts'
import { AskedBefore } from './answered-request.tsx'
import { BulkDialog } from './bulk-dialog.tsx'
import { argumentsText, matches } from './inbox-filter.ts'
import { RequestPanel } from './request-panel.tsx'
import styles from './inbox.module.css'

/** All requests that wait for a person, oldest first. */
export function Inbox(): ReactNode {
  const { item, filter = '' } = useSearch({ from: '/inbox' })
  const navigate = useNavigate()
  const { data, error, isPending, refetch } = useInbox()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  // The requests that were answered on this page. Their outcome is shown until the user moves on.
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set())
  const [news, setNews] = useState('')
  const bulk = useRef<HTMLDialogElement>(null)
  const all = (data?.requests ?? []).filter(({ id }) => !answered.has(id))
  const requests = all.filter((request) => matches(request, filter))
  const index = requests.findIndex(({ id }) => id === item)
  // In a narrow window only the list or the request fits. The list is shown until a request is opened, so that a key cannot decide a request that is not
  // visible.
  const isNarrow = useNarrow()
  const open = all.find(({ id }) => id === item)
  const first = requests[0]?.id
  const go = (id: string | undefined): void =>
    void navigate({
      to: '/inbox',
      search: { ...(id === undefined ? {} : { item: id }), ...(filter === '' ? {} : { filter }) },
      replace: true,
    })
  const find = (text: string): void =>
    void navigate({ to: '/inbox', search: text === '' ? {} : { filter: text }, replace: true })
  // What is open is named in the address, so that a change of the list never puts another request in its place.
  useEffect(() => {
    if (!isNarrow && item === undefined && first !== undefined) go(first)
  })
  const say = useCallback((text: string) => setNews(text), [])
  const decided = (id: string): void => setAnswered(new Set(answered).add(id))
  const place = usePlace(requests, item)
  const beside = (by: 1 | -1): string | undefined =>
    index >= 0 ? requests[index + by]?.id : (requests[by > 0 ? place : place - 1] ?? requests.at(-1))?.id
  const next = beside(1)
  const toggle = (id: string): void => {
    const ids = new Set(chosen)
    if (!ids.delete(id)) ids.add(id)
    setChosen(ids)
  }
  const selected = requests.filter(({ id }) => chosen.has(id))
  const calls = selected.filter(({ reason }) => reason === 'approval')
  useShortcuts({
    nextRun: () => go(next ?? item),
    previousRun: () => go(beside(-1) ?? item),
    select: () => open && toggle(open.id),
    decideSelected: calls.length === 0 ? undefined : () => bulk.current?.showModal(),
  })
  if (error !== null && data === undefined)
    return (
      <div className="page">
        <Problem of={error} retry={() => void refetch()} />
      </div>
    )
  if (isPending) return <Loading />
  if (data.requests.length === 0 && item === undefined)
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
      <section className={styles['list']} aria-label="What waits" hidden={isNarrow && item !== undefined}>
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
          <div className="line">
            <label className="line">
              <input
                type="checkbox"
                checked={requests.length > 0 && selected.length === requests.length}
                disabled={requests.length === 0}
                ref={(box) => {
                  if (box !== null) box.indeterminate = selected.length > 0 && selected.length < requests.length
                }}
                onChange={({ target }) => setChosen(new Set(target.checked ? requests.map(({ id }) => id) : []))}
              />
              Select all {requests.length === all.length ? '' : `${requests.length} that match`}
            </label>
            <button
              type="button"
              className="primary"
              disabled={calls.length === 0}
              onClick={() => bulk.current?.showModal()}
            >
              {calls.length === 0 ? 'Decide' : `Decide ${calls.length} ${calls.length === 1 ? 'call' : 'calls'} …`}{' '}
              <kbd>A</kbd>
            </button>
          </div>
        </div>
        <ul>
          {requests.map((request) => (
            <li key={request.id} className={styles['item']} data-open={request === open}>
              <input
                type="checkbox"
                aria-label={`Select ${visible(request.name)} ${visible(argumentsText(request)).slice(0, LABEL_MAX)}`.trim()}
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
                <span className={styles['given']} dir="auto">
                  {visible(argumentsText(request).slice(0, LINE_MAX))}
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
      {isNarrow && item !== undefined ? <h1 className="hidden-visually">Inbox</h1> : null}
      {isNarrow && item !== undefined ? (
        <button type="button" className={`quiet ${styles['back']}`} onClick={() => go(undefined)}>
          ← Inbox ({waitingText(data)})
        </button>
      ) : null}
      {open !== undefined ? (
        <RequestPanel key={open.id} request={open} decided={() => decided(open.id)} />
      ) : item !== undefined ? (
        <AskedBefore
          key={item}
          id={item}
          isOwn={answered.has(item)}
          next={next === undefined ? undefined : () => go(next)}
          decided={() => decided(item)}
          say={say}
        />
      ) : null}
      <p role="status" aria-label="What became of it" className="hidden-visually">
        {news}
      </p>
      <BulkDialog
        ref={bulk}
        calls={calls}
        others={selected.length - calls.length}
        done={() => setChosen(new Set())}
        say={say}
      />
    </div>
  )
}

/** The length of arguments in a line, and in the name of its box. */
const LINE_MAX = 300
const LABEL_MAX = 80

/** Returns where in the list the open request is, or was before it was answered. */
function usePlace(requests: readonly { readonly id: string }[], item: string | undefined): number {
  const found = requests.findIndex(({ id }) => id === item)
  const [last, setLast] = useState(0)
  if (found >= 0 && found !== last) setLast(found)
  return found < 0 ? last : found
}
