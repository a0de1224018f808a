import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode, RefObject } from 'react'
import { get, post, runPath } from '../../api/client.ts'
import type { RunInfo } from '../../api/types.ts'
import { useRun } from '../../journal/use-run.ts'
import { isEnded } from '../../../../src/journal/summary.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { command } from '../../parts/commands.ts'
import { money, visible } from '../../parts/format.ts'
import { Empty, Problem } from '../../parts/message.tsx'
import { ReadOnlyNote, useReadOnly } from '../../parts/read-only.tsx'
import { Status } from '../../parts/status.tsx'
import { useInbox } from '../../shell/live-lists.ts'
import { RequestPanel } from '../inbox/request-panel.tsx'
import { ChatTab } from '../run/chat-tab.tsx'
import { useAgents } from './agents.tsx'
import { Attachments, messageWith, tooLarge } from './attachments.tsx'
import { Opening } from './opening.tsx'
import styles from './agents.module.css'

/** Distance in pixels from the end of the conversation within which it scrolls along. */
const NEAR = 200

/** Events of scrolling by the user. */
const BY_HAND = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/** A conversation with an agent: each message is a run in one session. */
export function AgentChat(): ReactNode {
  const { agentId } = useParams({ from: '/agents/$agentId' })
  const { session } = useSearch({ from: '/agents/$agentId' })
  const navigate = useNavigate()
  const { data: agents } = useAgents()
  const [text, setText] = useState('')
  const [files, setFiles] = useState<readonly File[]>([])
  const isReadOnly = useReadOnly()
  const { data } = useQuery({
    queryKey: ['runs', 'session', session],
    enabled: session !== undefined,
    queryFn: ({ signal }) =>
      get<{ readonly runs: readonly RunInfo[] }>('/api/runs', { sessionId: session, limit: 200 }, signal),
  })
  const send = useMutation({
    mutationFn: async (prompt: string) =>
      post<{ readonly id: string; readonly sessionId: string }>('/api/runs', {
        agent: agentId,
        prompt: files.length === 0 ? prompt : await messageWith(prompt, files),
        ...(session === undefined ? {} : { sessionId: session }),
      }),
    onSuccess: ({ sessionId }) => {
      setText('')
      setFiles([])
      void navigate({
        to: '/agents/$agentId',
        params: { agentId },
        search: { session: sessionId },
        replace: session !== undefined,
      })
    },
  })
  useShortcuts({ back: () => void navigate({ to: '/agents' }) })
  const last = data?.runs.find(({ parent }) => parent === undefined)
  const isBusy = send.isPending || (last !== undefined && last.state === 'running')
  const submit = (): void => {
    if (text.trim() !== '' && !isBusy && !isReadOnly && tooLarge(files) === undefined) send.mutate(text)
  }
  if (agents !== undefined && !agents.agents.some(({ id }) => id === agentId))
    return (
      <div className="page">
        <Empty title={`There is no agent ${visible(agentId)} here`}>
          <p>
            It may have another name now, or belong to another project. See <Link to="/agents">all agents</Link>.
          </p>
        </Empty>
      </div>
    )
  return (
    <div className={styles['chat']}>
      <header className={`line ${styles['head']}`}>
        <h1 className="hidden-visually">Chat with {agentId}</h1>
        <label className="line">
          Agent
          <select
            value={agentId}
            onChange={(event) =>
              void navigate({
                to: '/agents/$agentId',
                params: { agentId: event.target.value },
                search: session === undefined ? {} : { session },
              })
            }
          >
            {(agents?.agents ?? [{ id: agentId, name: agentId }]).map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {session === undefined ? null : (
          <Link to="/agents/$agentId" params={{ agentId }} search={{}}>
            New conversation
          </Link>
        )}
        <CliTwin command={command('chat', [agentId], { session })} />
      </header>
      <div className={styles['log']}>
        {session === undefined ? <Opening agentId={agentId} /> : null}
        {last === undefined ? null : <Turn key={last.id} runId={last.id} />}
      </div>
      <form
        className={styles['write']}
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {send.error === null ? null : <Problem of={send.error} />}
        <ReadOnlyNote />
        <Attachments files={files} change={setFiles} />
        <textarea
          rows={2}
          aria-label="Message"
          placeholder="Write a message. Enter sends, Shift+Enter makes a new line."
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey) return
            event.preventDefault()
            submit()
          }}
        />
        <button
          className="primary"
          disabled={isReadOnly || isBusy || text.trim() === '' || tooLarge(files) !== undefined}
        >
          Send
        </button>
      </form>
    </div>
  )
}

/** The reason in the journal of a run that was cancelled here. */
const STOPPED = 'cancelled in the studio'

/** The conversation up to its last run, the state of that run, and its open requests. */
function Turn({ runId }: { readonly runId: string }): ReactNode {
  const run = useRun(runId)
  const { data } = useInbox()
  const asked = data?.requests.filter((request) => request.run === runId) ?? []
  const content = useStayingAtEnd()
  const { state, spent } = run.fold
  return (
    <div ref={content}>
      <ChatTab root={run} run={run} at={run.entries.length} filter="" select={() => {}} isFollowing isSelected />
      <div className={`line ${styles['turn']}`}>
        <Status of={state} note={run.fold.suspend?.reason} />
        <span className="muted">{money(spent.money ?? 0)}</span>
        <Link to="/runs/$runId" params={{ runId }}>
          open the run
        </Link>
        {isEnded(state) ? null : (
          <button type="button" onClick={() => void post(runPath(runId, '/cancel'), { reason: STOPPED })}>
            Stop
          </button>
        )}
        {isEnded(state) ? null : <CliTwin command={command('cancel', [runId, STOPPED])} />}
      </div>
      {asked.map((request) => (
        <RequestPanel key={request.id} request={request} decided={() => {}} />
      ))}
    </div>
  )
}

/** Keeps the end of a growing scroll container in view. If the user has scrolled up, the position stays. */
function useStayingAtEnd(): RefObject<HTMLDivElement | null> {
  const content = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const log = content.current?.parentElement
    if (!content.current || !log) return
    // Remembers the position before the content grew, because one message may be taller than the window. Only scrolling by the user leaves the end: content
    // that shrinks for a moment causes scroll events too.
    let isAtEnd = true
    let isByHand = false
    const onHand = (): void => void (isByHand = true)
    const onScroll = (): void => {
      const isNear = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR
      if (isNear) isByHand = false
      isAtEnd = isNear || (isAtEnd && !isByHand)
    }
    const grown = new ResizeObserver(() => {
      if (isAtEnd) log.scrollTop = log.scrollHeight
    })
    log.addEventListener('scroll', onScroll)
    for (const type of BY_HAND) log.addEventListener(type, onHand, { passive: true })
    grown.observe(content.current)
    return () => {
      log.removeEventListener('scroll', onScroll)
      for (const type of BY_HAND) log.removeEventListener(type, onHand)
      grown.disconnect()
    }
  }, [])
  return content
}
