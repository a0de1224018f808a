import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Fragment, useEffect, useRef, useState } from 'react'
import type { ReactNode, RefObject } from 'react'
import { ApiError } from '../../api/client.ts'
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
import { ChatTab, MessageView } from '../run/chat-tab.tsx'
import { useAgents } from './agents.tsx'
import { Attachments, messageWith, tooLarge } from './attachments.tsx'
import { beginConversation, partsOf, sendMessage, stopTurn, useConversation } from './conversation.ts'
import type { Shown, StoredConversation } from './conversation.ts'
import { Opening } from './opening.tsx'
import styles from './agents.module.css'

/** Distance in pixels from the end of the conversation within which it scrolls along. */
const NEAR = 200

/** The part that scrolls, which has the focus when a request is decided. */
const LOG = 'conversation'

/** Events of scrolling by the user. */
const BY_HAND = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/** A conversation with an agent, as the server keeps it: each message is a turn, and a run. The agent is told what was said before. */
export function AgentChat(): ReactNode {
  const { agentId } = useParams({ from: '/agents/$agentId' })
  const { session } = useSearch({ from: '/agents/$agentId' })
  const navigate = useNavigate()
  const { data: agents } = useAgents()
  const [text, setText] = useState('')
  const [files, setFiles] = useState<readonly File[]>([])
  const isReadOnly = useReadOnly()
  const queries = useQueryClient()
  const { data, error } = useConversation(session)
  // A conversation whose first message was refused is used for the next one.
  const begun = useRef<string>(undefined)
  const send = useMutation({
    mutationFn: async (prompt: string) => {
      const id = session ?? begun.current ?? (await beginConversation(agentId, prompt))
      begun.current = id
      await sendMessage(id, agentId, files.length === 0 ? prompt : await messageWith(prompt, files))
      return id
    },
    onSuccess: async (id) => {
      setText('')
      setFiles([])
      begun.current = undefined
      await queries.invalidateQueries({ queryKey: ['conversation'] })
      await navigate({
        to: '/agents/$agentId',
        params: { agentId },
        search: { session: id },
        replace: session !== undefined,
      })
    },
  })
  useShortcuts({ back: () => void navigate({ to: '/agents' }) })
  const isWaiting = data?.status === 'suspended'
  const isBusy = send.isPending || (session !== undefined && data?.status !== 'idle')
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
      <div id={LOG} className={styles['log']} tabIndex={0}>
        {session === undefined ? <Opening agentId={agentId} /> : null}
        {error === null ? null : <Unknown of={error} agentId={agentId} />}
        {data === undefined ? null : <Turns key={data.id} of={data} />}
      </div>
      <form
        className={styles['write']}
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {send.error === null ? null : <Problem of={send.error} />}
        {isWaiting ? (
          <p className={`muted ${styles['files']}`}>Answer what it asks before the next message, or stop it.</p>
        ) : null}
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

/** A conversation that cannot be shown. */
function Unknown({ of, agentId }: { readonly of: unknown; readonly agentId: string }): ReactNode {
  if (!(of instanceof ApiError && of.status === 404)) return <Problem of={of} />
  return (
    <div className={styles['opening']}>
      <Empty title="There is no such conversation here">
        <p>
          It was deleted, or belongs to somebody else.{' '}
          <Link to="/agents/$agentId" params={{ agentId }} search={{}}>
            Begin a new one
          </Link>
          .
        </p>
      </Empty>
    </div>
  )
}

/** All turns of a conversation. The last one is shown from its run, as it happens. */
function Turns({ of }: { readonly of: StoredConversation }): ReactNode {
  const { before, last, after } = partsOf(of)
  const earlier = <Messages of={before} />
  const content = useStayingAtEnd()
  return (
    <div ref={content}>
      {last === undefined ? (
        <div className={styles['messages']} role="log" aria-label="Conversation">
          {earlier}
        </div>
      ) : (
        <Turn key={last} id={of.id} runId={last} before={earlier} after={<Messages of={after} />} />
      )}
    </div>
  )
}

/** Messages of earlier turns, each answer with a link to its run. */
function Messages({ of }: { readonly of: readonly Shown[] }): ReactNode {
  return of.map(({ id, message, run }) => (
    <Fragment key={id}>
      <MessageView message={message} />
      {run !== undefined && id === `${run}.answer` ? (
        <Link to="/runs/$runId" params={{ runId: run }} search={{ tab: 'chat' }} className={styles['source']}>
          the run of this answer
        </Link>
      ) : null}
    </Fragment>
  ))
}

/** The reason in the journal of a run that was cancelled here. */
const STOPPED = 'cancelled in the studio'

interface TurnProps {
  /** The id of the conversation. */
  readonly id: string
  readonly runId: string
  readonly before: ReactNode
  readonly after: ReactNode
}

/** The last turn: what is said and written in its run, the state of that run, and its open requests. */
function Turn({ id, runId, before, after }: TurnProps): ReactNode {
  const run = useRun(runId)
  const queries = useQueryClient()
  const { data } = useInbox()
  const asked = data?.requests.filter((request) => request.run === runId) ?? []
  const stop = useMutation({
    mutationFn: () => stopTurn(id, STOPPED),
    onSettled: () => queries.invalidateQueries({ queryKey: ['conversation'] }),
  })
  const isReadOnly = useReadOnly()
  const { state, spent } = run.fold
  // The conversation is stored when the run has ended or waits.
  useEffect(() => void queries.invalidateQueries({ queryKey: ['conversation'] }), [queries, state])
  return (
    <>
      <ChatTab root={run} run={run} at={run.last} filter="" select={() => {}} isFollowing isSelected before={before} />
      <div className={`line ${styles['turn']}`}>
        <Status of={state} note={run.fold.suspend?.reason} />
        <span className="muted">{money(spent.money ?? 0)}</span>
        <Link to="/runs/$runId" params={{ runId }}>
          open the run
        </Link>
        {isEnded(state) ? null : (
          <button type="button" disabled={isReadOnly || stop.isPending} onClick={() => stop.mutate()}>
            Stop
          </button>
        )}
        {isEnded(state) ? null : <CliTwin command={command('cancel', [runId, STOPPED])} />}
        {stop.error === null ? null : <Problem of={stop.error} />}
      </div>
      {asked.map((request) => (
        <div key={request.id} className={styles['asked']}>
          {/* The answer is shown and announced in the conversation, where the focus goes. */}
          <RequestPanel request={request} decided={() => document.getElementById(LOG)?.focus()} />
        </div>
      ))}
      {after}
    </>
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
