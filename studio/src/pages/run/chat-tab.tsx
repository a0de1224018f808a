import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense, lazy } from 'react'
import type { ReactNode } from 'react'
import { isEnded } from '../../../../src/journal/summary.ts'
import { get, runPath } from '../../api/client.ts'
import { visible } from '../../parts/format.ts'
import { HiddenMark, JsonView, LongText } from '../../parts/json-view.tsx'
import { Empty, Problem } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'
import type { RecordedAnswer, RunStore } from '../../journal/run-store.ts'
import { AnswerView } from './answer-view.tsx'
import type { TabProps } from './run.tsx'
import styles from './chat-tab.module.css'

const Markdown = lazy(() => import('../../parts/markdown/markdown.tsx').then((part) => ({ default: part.Markdown })))

interface Part {
  readonly type: string
  readonly toolCallId?: string
  /** The status of a call's outcome. */
  readonly status?: string
  readonly text?: string
  readonly toolName?: string
  readonly name?: string
  readonly input?: unknown
  readonly output?: unknown
  readonly value?: unknown
}

export interface Message {
  readonly role: string
  readonly content: string | readonly Part[]
}

interface Said {
  readonly seq: number
  readonly message: Message
  /** Whether it is of an earlier turn of the conversation, which the run was told. */
  readonly isEarlier?: boolean
}

interface ChatProps extends TabProps {
  /** What stands before the messages of the run, instead of those of earlier turns that it was told. */
  readonly before?: ReactNode
}

/** The conversation of the run up to the selected entry, with the requests open at that entry and the text being streamed. */
export function ChatTab({ run, at, before }: ChatProps): ReactNode {
  const { fold } = run
  const turns = [...fold.effects.values()].filter(({ end }) => end !== undefined).length
  const isLatest = at >= run.entries.length
  const { data, error } = useQuery({
    queryKey: ['said', run.runId, turns, fold.messages.size],
    queryFn: ({ signal }) => get<{ said: readonly Said[] }>(runPath(run.runId, '/said'), {}, signal),
    placeholderData: (earlier) => earlier,
  })
  const said =
    data?.said.filter(
      ({ seq, isEarlier }) => (isLatest || seq <= at) && (before === undefined || isEarlier !== true),
    ) ?? []
  const answers = run.answers.filter(({ seq }) => isLatest || seq <= at)
  const live = isLatest ? [...run.texts.values()].join('') : ''
  return (
    <div className={styles['chat']} role="log" aria-label="Conversation">
      {before}
      {error === null ? null : <Problem of={error} />}
      {data?.said.length === 0 && before === undefined && live === '' && fold.effects.size > 0 ? (
        <Empty title="Nobody said anything in this run">
          <p>Messages between users, agents and models appear here. The timeline shows what this run did.</p>
        </Empty>
      ) : null}
      {inOrder(said, answers).map((each, index) =>
        'message' in each ? (
          <MessageView key={index} message={each.message} />
        ) : (
          <AnswerView key={index} run={run} answer={each} name={fold.approvals.get(each.data.request)?.data.name} />
        ),
      )}
      {live === '' ? null : (
        <article className={styles['message']} data-role="assistant" aria-live="off">
          <h2>assistant, speaking</h2>
          <Text text={live} isMarkdown />
        </article>
      )}
      {waitingAt(run, at).map(({ seq, name, reason }) => (
        <p key={seq} className="line">
          <Status of={reason === 'in-doubt' ? 'doubt' : 'waits'} /> <strong>{visible(name)}</strong>
          <Link to="/inbox" search={{ item: `${run.runId}-ap${seq}` }}>
            decide
          </Link>
        </p>
      ))}
    </div>
  )
}

/** Puts each answer of a person before the first message that came after it. */
function inOrder(said: readonly Said[], answers: readonly RecordedAnswer[]): readonly (Said | RecordedAnswer)[] {
  const found: (Said | RecordedAnswer)[] = []
  let told = 0
  for (const each of said) {
    while (told < answers.length && answers[told]!.seq < each.seq) found.push(answers[told++]!)
    found.push(each)
  }
  return [...found, ...answers.slice(told)]
}

/** One message: its text as the user or the model wrote it, its calls and their results. */
export function MessageView({ message: { role, content } }: { readonly message: Message }): ReactNode {
  const isMarkdown = role === 'assistant'
  return (
    <article className={styles['message']} data-role={role}>
      <h2>{role}</h2>
      {typeof content === 'string' ? (
        <Text text={content} isMarkdown={isMarkdown} />
      ) : (
        content.map((part, place) => <PartView key={place} part={part} isMarkdown={isMarkdown} />)
      )}
    </article>
  )
}

interface Asked {
  readonly seq: number
  readonly name: string
  readonly reason: string
}

/** Returns the requests that were open when the entry was written. */
function waitingAt({ entries, state }: RunStore, at: number): readonly Asked[] {
  const open = new Map<number, Asked>()
  for (const { seq, type, data } of entries.slice(0, at)) {
    if (data === null) continue
    if (type === 'approval-request') open.set(seq, { seq, ...(data as Omit<Asked, 'seq'>) })
    else if (type === 'approval-response') open.delete((data as { readonly request: number }).request)
  }
  // Requests of a run that has ended are no longer open.
  return at >= entries.length && isEnded(state) ? [] : [...open.values()]
}

/** Maximum length of text rendered as Markdown; parsing longer text would be too slow during streaming. */
const MARKDOWN_MAX = 40_000

function Text({ text, isMarkdown = false }: { readonly text: string; readonly isMarkdown?: boolean }): ReactNode {
  return (
    <>
      <HiddenMark text={text} />
      {isMarkdown && text.length <= MARKDOWN_MAX ? (
        <Suspense
          fallback={
            <p className={styles['text']} aria-busy="true">
              {visible(text)}
            </p>
          }
        >
          <Markdown text={text} />
        </Suspense>
      ) : (
        <p className={styles['text']} dir="auto">
          <LongText text={text} />
        </p>
      )}
    </>
  )
}

/** Labels of message parts. */
const WORDS: Readonly<Record<string, string>> = { 'tool-call': 'calls', 'tool-result': 'result of' }
const BRIEF_MAX = 160

/** Returns the beginning of an input or output, as a hint whether to open it. */
function briefOf({ input, output, value = output ?? input }: Part): string {
  if (value === undefined) return ''
  return visible((typeof value === 'string' ? value : JSON.stringify(value)).slice(0, BRIEF_MAX))
}

function PartView({ part, isMarkdown }: { readonly part: Part; readonly isMarkdown: boolean }): ReactNode {
  if (part.text !== undefined) return <Text text={part.text} isMarkdown={isMarkdown} />
  const { type, toolName, name, toolCallId: _, status, ...rest } = part
  return (
    <details className={styles['part']}>
      <summary>
        {WORDS[type] ?? type} <strong>{visible(toolName ?? name ?? '')}</strong>{' '}
        {status === undefined || status === 'ok' ? null : <Status of={status} />}{' '}
        <span className={styles['brief']}>{briefOf(part)}</span>
      </summary>
      <JsonView value={rest} />
    </details>
  )
}
