import { useQuery } from '@tanstack/react-query'
import { Suspense, lazy } from 'react'
import type { ReactNode } from 'react'
import { get, runPath } from '../../api/client.ts'
import { visible } from '../../parts/format.ts'
import { HiddenMark, JsonView, LongText } from '../../parts/json-view.tsx'
import { Problem } from '../../parts/message.tsx'
import type { TabProps } from './run.tsx'
import styles from './chat-tab.module.css'

const Markdown = lazy(() => import('../../parts/markdown/markdown.tsx').then((part) => ({ default: part.Markdown })))

interface Part {
  readonly type: string
  readonly text?: string
  readonly toolName?: string
  readonly name?: string
  readonly input?: unknown
  readonly output?: unknown
  readonly value?: unknown
}

interface Message {
  readonly role: string
  readonly content: string | readonly Part[]
}

/** The conversation of the run, and what a model is saying right now. */
export function ChatTab({ run }: TabProps): ReactNode {
  const turns = [...run.fold.effects.values()].filter(({ end }) => end !== undefined).length
  const { data, error } = useQuery({
    queryKey: ['messages', run.runId, turns],
    queryFn: ({ signal }) => get<{ messages: readonly Message[] }>(runPath(run.runId, '/messages'), {}, signal),
    placeholderData: (earlier) => earlier,
  })
  const live = [...run.texts.values()].join('')
  return (
    <div className={styles['chat']} role="log" aria-label="Conversation">
      {error === null ? null : <Problem of={error} />}
      {data?.messages.map((message, index) => (
        <article key={index} className={styles['message']} data-role={message.role}>
          <h2>{message.role}</h2>
          {typeof message.content === 'string' ? (
            <Said text={message.content} isMarkdown={message.role === 'assistant'} />
          ) : (
            message.content.map((part, place) => (
              <PartView key={place} part={part} isMarkdown={message.role === 'assistant'} />
            ))
          )}
        </article>
      ))}
      {live === '' ? null : (
        <article className={styles['message']} data-role="assistant" aria-live="off">
          <h2>assistant, speaking</h2>
          <Said text={live} isMarkdown />
        </article>
      )}
    </div>
  )
}

/** Longer texts are shown as they are: to read them as markdown would take too long while they come. */
const MARKDOWN_MAX = 40_000

function Said({ text, isMarkdown = false }: { readonly text: string; readonly isMarkdown?: boolean }): ReactNode {
  return (
    <>
      <HiddenMark text={text} />
      {isMarkdown && text.length <= MARKDOWN_MAX ? (
        <Suspense fallback={<p className={styles['text']}>{visible(text)}</p>}>
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

function PartView({ part, isMarkdown }: { readonly part: Part; readonly isMarkdown: boolean }): ReactNode {
  if (part.text !== undefined) return <Said text={part.text} isMarkdown={isMarkdown} />
  const { type, toolName, name, ...rest } = part
  return (
    <details className={styles['part']}>
      <summary>
        {type} <strong>{visible(toolName ?? name ?? '')}</strong>
      </summary>
      <JsonView value={rest} />
    </details>
  )
}
