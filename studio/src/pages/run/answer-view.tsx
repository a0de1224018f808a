import { useState } from 'react'
import type { ReactNode } from 'react'
import type { RecordedAnswer, RunStore } from '../../journal/run-store.ts'
import { useEntry } from '../../journal/use-run.ts'
import { DiffView } from '../../parts/diff-view.tsx'
import { timeOf, visible } from '../../parts/format.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Problem } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'
import styles from './answer-view.module.css'

interface Look {
  /** Its state, as it is shown. */
  readonly status: string
  readonly note?: string
  readonly words: string
}

/** How each answer is shown, and said in a sentence. */
const ANSWERS: Readonly<Record<RecordedAnswer['data']['answer'], Look>> = {
  approve: { status: 'approved', words: 'approved' },
  reject: { status: 'denied', words: 'denied' },
  answer: { status: 'answered', words: 'answered' },
  happened: { status: 'answered', note: 'it happened', words: 'answered (it happened)' },
  'not-happened': { status: 'answered', note: 'it did not happen', words: 'answered (it did not happen)' },
  unknown: { status: 'unknown', note: 'it cannot be known', words: 'answered (it cannot be known)' },
  expire: { status: 'expired', words: 'expired' },
  withdraw: { status: 'withdrawn', words: 'withdrawn' },
}

/** Answers that the kernel gives: nobody is named for them. */
const BY_KERNEL: ReadonlySet<string> = new Set(['expire', 'withdraw'])

const SCOPES: Readonly<Record<string, string>> = {
  run: 'for every call of this tool in this run',
  rule: 'as a rule, for all runs',
}

/** Returns what an answer did, in words: `approved as edited`. */
export function answerWords({ data }: RecordedAnswer): string {
  const { words } = ANSWERS[data.answer]
  return data.edit === undefined ? words : `${words} as edited`
}

interface AnswerProps {
  readonly run: RunStore
  readonly answer: RecordedAnswer
  /** What it was about, where that is not shown around it. */
  readonly name?: string | undefined
}

/** What a person answered: who, when, why, how far it reaches, and what was edited. */
export function AnswerView({ run, answer, name }: AnswerProps): ReactNode {
  const { data, at } = answer
  const { status, note = data.edit === undefined ? undefined : 'as edited' } = ANSWERS[data.answer]
  const scope = SCOPES[data.scope ?? '']
  return (
    <section className={styles['answer']} data-status={status} aria-label="The answer of a person">
      <p>
        <Status of={status} note={note} /> {name === undefined ? null : <strong>{visible(name)} </strong>}
        {BY_KERNEL.has(data.answer) ? null : (
          <>
            by <strong>{visible(data.by.id)}</strong>
          </>
        )}{' '}
        <time dateTime={new Date(at).toISOString()}>{timeOf(at)}</time>
        {scope === undefined ? null : `, ${scope}`}
      </p>
      {data.text === undefined ? null : <p dir="auto">Reason: {visible(data.text)}</p>}
      {data.edit === undefined ? null : <Edited run={run} answer={answer} />}
      {data.value === undefined ? null : <JsonView value={data.value} open={3} />}
    </section>
  )
}

/** The arguments as they were asked about, and as they ran. Both are loaded whole, because lists have only their beginning. */
function Edited({ run, answer }: AnswerProps): ReactNode {
  const asked = useEntry(run.runId, answer.data.request)
  const given = useEntry(run.runId, answer.seq)
  const error = asked.error ?? given.error
  if (error !== undefined) return <Problem of={error} />
  if (asked.entry === undefined || given.entry === undefined) return null
  const before = (asked.entry.data as { readonly input?: unknown } | null)?.input
  const after = (given.entry.data as { readonly edit?: unknown } | null)?.edit
  return <DiffView before={JSON.stringify(before, undefined, 2)} after={JSON.stringify(after, undefined, 2)} />
}

/** Returns the answers that let an effect pass or kept it: those to its own requests, or else an earlier one that reaches it. */
export function answersFor(run: RunStore, key: string): readonly RecordedAnswer[] {
  const effect = run.fold.effects.get(key)
  if (effect === undefined) return []
  const own = new Set(effect.approvals.map(({ seq }) => seq))
  const answers = run.answers.filter(({ data }) => own.has(data.request))
  const { start } = effect
  if (answers.length > 0 || start?.data.decision.verdict !== 'ask') return answers
  // An approval of every call of the tool in this run was given at an earlier call.
  const earlier = run.answers.findLast(
    ({ seq, data }) =>
      seq < start.seq && data.scope === 'run' && run.fold.approvals.get(data.request)?.data.name === start.data.name,
  )
  return earlier === undefined ? [] : [earlier]
}

/** The answers to an effect, the last one first. All but the last are behind a click. */
export function AnswersView({ run, of }: { readonly run: RunStore; readonly of: string }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const answers = answersFor(run, of).toReversed()
  if (answers.length === 0) return null
  return (
    <>
      {answers.slice(0, isOpen ? undefined : 1).map((answer) => (
        <AnswerView key={answer.seq} run={run} answer={answer} />
      ))}
      {answers.length > 1 && !isOpen ? (
        <button type="button" className="quiet" onClick={() => setOpen(true)}>
          {answers.length - 1} earlier
        </button>
      ) : null}
    </>
  )
}
