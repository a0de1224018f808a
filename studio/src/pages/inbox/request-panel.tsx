import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import type { WaitingItem } from '../../api/types.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { CliTwin, word } from '../../parts/cli-twin.tsx'
import { timeOf, visible } from '../../parts/format.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Problem } from '../../parts/message.tsx'
import { ReadOnlyNote, useReadOnly } from '../../parts/read-only.tsx'
import { Risk } from '../../parts/status.tsx'
import { typedJson } from '../../parts/typed-json.ts'
import { decide } from './decide.ts'
import type { Answer, Scope } from './decide.ts'
import styles from './inbox.module.css'

const SCOPES: readonly { readonly scope: Scope; readonly label: string }[] = [
  { scope: 'once', label: 'this call' },
  { scope: 'run', label: 'every call of this tool in this run' },
  { scope: 'rule', label: 'whatever the same rules ask about this tool, in all runs, for 30 days' },
]

/** One request: why it asks, who asks, what it would do, what happens after, and the decision. */
export function RequestPanel({
  request,
  next,
}: {
  readonly request: WaitingItem
  readonly next: () => void
}): ReactNode {
  const queries = useQueryClient()
  const [scope, setScope] = useState<Scope>('once')
  const [reason, setReason] = useState('')
  const [text, setText] = useState('')
  const [isEditing, setEditing] = useState(false)
  const [edit, setEdit] = useState(() => JSON.stringify(request.input, undefined, 2))
  const edited = typedJson(edit)
  const decision = useMutation({
    mutationFn: (answer: Answer) => decide(request, answer),
    onSuccess: async () => {
      next()
      await queries.invalidateQueries({ queryKey: ['inbox'] })
      await queries.invalidateQueries({ queryKey: ['runs'] })
    },
  })
  const isReadOnly = useReadOnly()
  const isCall = request.reason === 'approval'
  const because = reason.trim() === '' ? {} : { reason }
  const isChanged =
    isEditing && edited.value !== undefined && JSON.stringify(edited.value) !== JSON.stringify(request.input)
  const approve = (): void => {
    if (isCall && edited.problem === undefined)
      decision.mutate({ kind: 'approve', scope, ...because, ...(isChanged ? { edit: edited.value } : {}) })
  }
  const deny = (): void => decision.mutate({ kind: 'reject', ...because })
  useShortcuts(isReadOnly ? {} : { approve: isCall ? approve : undefined, deny })
  return (
    <section className={styles['panel']} aria-label="The request">
      <div className="line">
        <h2>
          {request.kind} {visible(request.name)}
        </h2>
        <Risk of={request.risk} />
      </div>
      <dl>
        <dt>WHY</dt>
        <dd>
          {visible(request.text)}
          {request.rule === undefined ? null : (
            <span className="muted">
              {' '}
              rule <code>{visible(request.rule)}</code>
            </span>
          )}
        </dd>
        <dt>WHO</dt>
        <dd>
          <Link to="/runs/$runId" params={{ runId: request.run }}>
            {request.run}
          </Link>{' '}
          <code className="muted">{visible(request.key)}</code>
        </dd>
        <dt>WHAT</dt>
        <dd>
          <div className={styles['call']}>
            <JsonView value={request.input} open={4} />
          </div>
          {isCall ? (
            <button type="button" className="quiet" aria-expanded={isEditing} onClick={() => setEditing(!isEditing)}>
              {isEditing ? 'leave the arguments as they are' : 'edit the arguments'}
            </button>
          ) : null}
          {isEditing ? (
            <label>
              Arguments that shall run instead
              <textarea
                rows={6}
                value={edit}
                aria-invalid={edited.problem !== undefined}
                onChange={(event) => setEdit(event.target.value)}
              />
              {edited.problem === undefined ? null : <span role="alert">{edited.problem}</span>}
            </label>
          ) : null}
        </dd>
        <dt>AFTER</dt>
        <dd>
          The run goes on from here
          {request.expiresAt === undefined ? '.' : `; unanswered, the request expires ${timeOf(request.expiresAt)}.`}
        </dd>
      </dl>
      {isCall ? (
        <fieldset>
          <legend>How far an approval reaches</legend>
          {SCOPES.map((each) => (
            <label key={each.scope} className="line">
              <input type="radio" name="scope" checked={scope === each.scope} onChange={() => setScope(each.scope)} />{' '}
              {each.label}
            </label>
          ))}
        </fieldset>
      ) : null}
      {request.reason === 'question' ? (
        <label>
          Your answer
          <textarea rows={3} value={text} onChange={(event) => setText(event.target.value)} />
        </label>
      ) : (
        <label>
          Why (it is recorded, and told to the model where you deny)
          <input
            type="text"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            style={{ width: '100%' }}
          />
        </label>
      )}
      {decision.error === null ? null : <Problem of={decision.error} />}
      <ReadOnlyNote />
      <div className="line">
        {isCall ? (
          <button
            type="button"
            className="primary"
            disabled={isReadOnly || decision.isPending || edited.problem !== undefined}
            onClick={approve}
          >
            Approve{isChanged ? ' as edited' : ''} <kbd>a</kbd>
          </button>
        ) : null}
        {request.reason === 'question' ? (
          <button
            type="button"
            className="primary"
            disabled={isReadOnly || decision.isPending || text === ''}
            onClick={() => decision.mutate({ kind: 'answer', value: text })}
          >
            Answer
          </button>
        ) : null}
        {request.reason === 'in-doubt'
          ? (['happened', 'not-happened', 'unknown'] as const).map((outcome) => (
              <button
                key={outcome}
                type="button"
                disabled={isReadOnly || decision.isPending}
                onClick={() => decision.mutate({ kind: 'settle', outcome })}
              >
                {outcome === 'happened'
                  ? 'It happened'
                  : outcome === 'not-happened'
                    ? 'It did not happen'
                    : 'Cannot be known'}
              </button>
            ))
          : null}
        {request.reason === 'in-doubt' ? null : (
          <button type="button" className="danger" disabled={isReadOnly || decision.isPending} onClick={deny}>
            Deny <kbd>d</kbd>
          </button>
        )}
      </div>
      {isCall ? (
        <CliTwin command={`mandate approve ${word(request.id)}${scope === 'once' ? '' : ` --scope ${scope}`}`} />
      ) : null}
    </section>
  )
}
