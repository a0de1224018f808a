import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { isEnded } from '../../../../src/journal/summary.ts'
import { ApiError, get } from '../../api/client.ts'
import type { WaitingItem } from '../../api/types.ts'
import type { RecordedAnswer, RunStore } from '../../journal/run-store.ts'
import { useRun } from '../../journal/use-run.ts'
import { timeOf, visible } from '../../parts/format.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Empty, Loading, Problem } from '../../parts/message.tsx'
import { Risk, Status } from '../../parts/status.tsx'
import { AnswerView, answerWords } from '../run/answer-view.tsx'
import { RequestPanel } from './request-panel.tsx'
import styles from './inbox.module.css'

interface AskedProps {
  readonly id: string
  /** Whether it was answered on this page just now. */
  readonly isOwn: boolean
  /** Opens the next request that waits; undefined if there is none. */
  readonly next: (() => void) | undefined
  readonly decided: () => void
  /** Announces a text to screen readers. */
  readonly say: (text: string) => void
}

/** A request that is not in the list of what waits: answered here, answered before, or unknown. It is never replaced by another one. */
export function AskedBefore(props: AskedProps): ReactNode {
  const { id, next } = props
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['request', id],
    queryFn: ({ signal }) => get<WaitingItem>(`/api/approvals/${encodeURIComponent(id)}`, {}, signal),
  })
  if (isPending) return <Loading />
  if (error instanceof ApiError && error.status < 500 && error.status !== 0)
    return (
      <section className={styles['panel']} aria-label="The request">
        <Empty title="There is no such request">
          <div className="stack">
            <p>
              Nobody is asked under <code>{visible(id)}</code> here. Its run may have been deleted, or belong to another
              store.
            </p>
            <Next next={next} />
          </div>
        </Empty>
      </section>
    )
  if (error !== null)
    return (
      <section className={styles['panel']} aria-label="The request">
        <Problem of={error} retry={() => void refetch()} />
      </section>
    )
  return <Asked {...props} request={data} />
}

function Asked({ request, isOwn, next, decided, say }: AskedProps & { readonly request: WaitingItem }): ReactNode {
  const run = useRun(request.run)
  const seq = Number(/-ap(\d+)$/.exec(request.id)?.[1])
  const answer = run.answers.findLast(({ data }) => data.request === seq)
  // The answer is behind the request, which may be far into a long run.
  useEffect(() => run.want(answer === undefined ? Math.max(run.head, seq) : seq), [run, run.head, answer, seq])
  const text = outcomeText({ request, run, answer, isOwn })
  const head = useRef<HTMLHeadingElement>(null)
  const isKnown = answer !== undefined || isEnded(run.state)
  useEffect(() => {
    if (isOwn) head.current?.focus()
  }, [isOwn, isKnown])
  useEffect(() => {
    if (isOwn && isKnown) say(text)
  }, [isOwn, isKnown, text, say])
  if (!run.isLoaded || (isOwn && !isKnown && run.error === undefined)) return <Loading />
  // It waits, but is not in the list: beyond the listed ones, or it has just been asked.
  if (!isKnown && run.error === undefined) return <RequestPanel key={request.id} request={request} decided={decided} />
  return (
    <section className={styles['panel']} aria-label="The request">
      <div className="line">
        <h2 ref={head} tabIndex={-1}>
          {request.kind} {visible(request.name)}
        </h2>
        <Risk of={request.risk} />
        <Next next={next} />
      </div>
      <p className={styles['outcome']}>{text}</p>
      {run.error === undefined ? null : <Problem of={run.error} />}
      {answer === undefined ? null : <AnswerView run={run} answer={answer} />}
      <dl>
        <dt>WHAT</dt>
        <dd>
          <div className={styles['call']}>
            <JsonView value={request.input} open={4} />
          </div>
        </dd>
        <dt>RUN</dt>
        <dd className="line">
          <Status
            of={run.fold.suspend?.reason === 'in-doubt' ? 'doubt' : run.state}
            note={run.fold.suspend?.reason === 'in-doubt' ? undefined : run.fold.suspend?.reason}
          />
          <Link
            to="/runs/$runId"
            params={{ runId: request.run }}
            search={answer === undefined ? {} : { at: answer.seq }}
          >
            open the run {request.run}
          </Link>
        </dd>
      </dl>
    </section>
  )
}

function Next({ next }: { readonly next: (() => void) | undefined }): ReactNode {
  return next === undefined ? null : (
    <button type="button" className={styles['next']} onClick={next}>
      Next request <kbd>j</kbd>
    </button>
  )
}

/** What the run did since the answer, in words. */
const SINCE: Readonly<Record<RunStore['state'], string>> = {
  running: 'The run goes on.',
  suspended: 'The run went on, and waits again.',
  completed: 'The run went on, and has completed.',
  failed: 'The run went on, and has failed.',
  cancelled: 'The run was cancelled.',
}

interface Told {
  readonly request: WaitingItem
  readonly run: RunStore
  readonly answer: RecordedAnswer | undefined
  readonly isOwn: boolean
}

/** Returns in words what became of a request. */
function outcomeText({ request, run, answer, isOwn }: Told): string {
  const what = `${request.kind} ${visible(request.name)}`
  if (answer === undefined) return `Nobody answered ${what}, and its run has ended (${run.state}).`
  const words = answerWords(answer)
  if (!isOwn) return `Already ${words} by ${visible(answer.data.by.id)} at ${timeOf(answer.at)}.`
  const hasGoneOn = run.state !== 'suspended' || run.entries.length > answer.seq
  return `${words[0]!.toUpperCase()}${words.slice(1)}: ${what}. ${hasGoneOn ? SINCE[run.state] : 'The run still waits.'}`
}
