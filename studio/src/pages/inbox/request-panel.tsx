import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import type { WaitingItem } from '../../api/types.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { decideCommand } from '../../parts/commands.ts'
import { DiffView } from '../../parts/diff-view.tsx'
import { visible } from '../../parts/format.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Problem } from '../../parts/message.tsx'
import { ReadOnlyNote, useReadOnly } from '../../parts/read-only.tsx'
import { Risk } from '../../parts/status.tsx'
import { typedJson } from '../../parts/typed-json.ts'
import { useReady } from '../../parts/use-ready.ts'
import { decide } from './decide.ts'
import type { Answer, Scope } from './decide.ts'
import { After, WhyAndWho } from './request-facts.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import styles from './inbox.module.css'

interface PanelProps {
  readonly request: WaitingItem
  /** Called once an answer is recorded. */
  readonly decided: () => void
}

/** One request: its reason and origin, the call, the effect of an answer, and the decision. */
export function RequestPanel({ request, decided }: PanelProps): ReactNode {
  // The edited arguments; undefined while they are unchanged.
  const [edit, setEdit] = useState<string>()
  return (
    <section className={styles['panel']} aria-label="The request">
      <div className="line">
        <h2>
          {request.kind} {visible(request.name)}
        </h2>
        <Risk of={request.risk} />
      </div>
      <dl>
        <WhyAndWho request={request} />
        <dt>WHAT</dt>
        <dd>
          <div className={styles['call']}>
            <JsonView value={request.input} open={4} />
          </div>
          {request.reason === 'approval' ? <Arguments request={request} edit={edit} setEdit={setEdit} /> : null}
        </dd>
        <After request={request} />
      </dl>
      {request.reason === 'approval' ? (
        <CallDecision request={request} decided={decided} edit={edit} />
      ) : request.reason === 'question' ? (
        <QuestionAnswer request={request} decided={decided} />
      ) : (
        <DoubtAnswer request={request} decided={decided} />
      )}
    </section>
  )
}

function textOf(input: unknown): string {
  return JSON.stringify(input, undefined, 2)
}

interface ArgumentsProps {
  readonly request: WaitingItem
  readonly edit: string | undefined
  readonly setEdit: (edit: string | undefined) => void
}

function Arguments({ request, edit, setEdit }: ArgumentsProps): ReactNode {
  const isEditing = edit !== undefined
  const { value, problem } = typedJson(edit ?? '{}')
  const proposed = textOf(request.input)
  return (
    <div className={styles['arguments']}>
      <button type="button" aria-expanded={isEditing} onClick={() => setEdit(isEditing ? undefined : proposed)}>
        {isEditing ? 'leave the arguments as they are' : 'edit the arguments'}
      </button>
      {isEditing ? (
        <label>
          Arguments to run instead
          <textarea
            rows={6}
            value={edit}
            aria-invalid={problem !== undefined}
            onChange={(event) => setEdit(event.target.value)}
          />
          {problem === undefined ? null : <span role="alert">{problem}</span>}
        </label>
      ) : null}
      {isEditing && problem === undefined ? <DiffView before={proposed} after={textOf(value)} /> : null}
    </div>
  )
}

/** Records an answer. `isOff` is true while none can be given: also while the request is so new that a press was meant for something else. */
function useDecision({ request, decided }: PanelProps) {
  const queries = useQueryClient()
  const isReady = useReady(request.id)
  const isReadOnly = useReadOnly()
  const decision = useMutation({
    mutationFn: (answer: Answer) => decide(request, answer),
    onSuccess: decided,
    // Also where it was refused: somebody else may have answered.
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['inbox'] })
      await queries.invalidateQueries({ queryKey: ['runs'] })
    },
  })
  return { ...decision, isReadOnly, isOff: isReadOnly || decision.isPending || decision.isSuccess, isReady }
}

/** The decision that Enter confirms after its key was pressed; undefined before. */
type Armed = 'approve' | 'reject' | undefined

function CallDecision({ request, decided, edit }: PanelProps & { readonly edit: string | undefined }): ReactNode {
  const [scope, setScope] = useState<Scope>('once')
  const [reason, setReason] = useState('')
  const [armed, arm] = useState<Armed>()
  const reach = useRef<HTMLInputElement>(null)
  const why = useRef<HTMLInputElement>(null)
  const decision = useDecision({ request, decided })
  const { isReadOnly, isOff, isReady } = decision
  const because = reason.trim() === '' ? {} : { reason }
  const edited = typedJson(edit ?? '{}')
  const isChanged = edit !== undefined && JSON.stringify(edited.value) !== JSON.stringify(request.input)
  const answers = {
    approve: { kind: 'approve', scope, ...because, ...(isChanged ? { edit: edited.value } : {}) },
    reject: { kind: 'reject', ...because },
  } as const satisfies Record<string, Answer>
  const isApprovable = !isOff && edited.problem === undefined
  const ask = (what: Armed, field: HTMLInputElement | null): void => {
    arm(what)
    field?.focus()
  }
  useShortcuts(
    isReadOnly ? {} : { approve: () => ask('approve', reach.current), deny: () => ask('reject', why.current) },
  )
  const onKey = (event: KeyboardEvent<HTMLElement>): void => {
    // A key that is held down was pressed once.
    if (armed === undefined || event.repeat || !(event.target instanceof HTMLInputElement)) return
    if (event.key === 'Escape') {
      arm(undefined)
      event.target.blur()
    } else if (event.key === 'Enter' && (armed === 'reject' ? !isOff : isApprovable)) decision.mutate(answers[armed])
    else return
    event.preventDefault()
  }
  return (
    <div className={styles['decision']} onKeyDown={onKey}>
      <ScopeChoice request={request} scope={scope} choose={setScope} ref={reach} />
      <label>
        Reason (recorded; the model sees it if you deny)
        <input
          ref={why}
          type="text"
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          style={{ width: '100%' }}
        />
      </label>
      {decision.error === null ? null : <Problem of={decision.error} />}
      <ReadOnlyNote />
      <div className={`line ${styles['decide']}`}>
        <button
          type="button"
          className="primary"
          disabled={!isApprovable || !isReady}
          onClick={() => decision.mutate(answers.approve)}
        >
          Approve{isChanged ? ' as edited' : ''} <kbd>a</kbd>
        </button>
        <button
          type="button"
          className="danger"
          disabled={isOff || !isReady}
          onClick={() => decision.mutate(answers.reject)}
        >
          Deny <kbd>d</kbd>
        </button>
        <p role="status" className="muted">
          {armed === undefined
            ? null
            : `Enter ${armed === 'approve' ? 'approves' : 'denies'} it, Escape leaves it undecided.`}
        </p>
      </div>
      {edited.problem === undefined ? <CliTwin command={decideCommand(request, answers.approve)} /> : null}
      <CliTwin command={decideCommand(request, answers.reject)} />
    </div>
  )
}

function QuestionAnswer({ request, decided }: PanelProps): ReactNode {
  const [text, setText] = useState('')
  const decision = useDecision({ request, decided })
  const isOff = decision.isOff || !decision.isReady
  return (
    <>
      <label>
        Your answer
        <textarea rows={3} value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      {decision.error === null ? null : <Problem of={decision.error} />}
      <ReadOnlyNote />
      <div className={`line ${styles['decide']}`}>
        <button
          type="button"
          className="primary"
          disabled={isOff || text === ''}
          onClick={() => decision.mutate({ kind: 'answer', value: text })}
        >
          Answer
        </button>
        <button type="button" className="danger" disabled={isOff} onClick={() => decision.mutate({ kind: 'reject' })}>
          Leave it unanswered
        </button>
      </div>
      <CliTwin command={decideCommand(request, text === '' ? { kind: 'reject' } : { kind: 'answer', value: text })} />
    </>
  )
}

const OUTCOMES = [
  { outcome: 'happened', label: 'It happened' },
  { outcome: 'not-happened', label: 'It did not happen' },
  { outcome: 'unknown', label: 'Cannot be known' },
] as const

function DoubtAnswer({ request, decided }: PanelProps): ReactNode {
  const decision = useDecision({ request, decided })
  const isOff = decision.isOff || !decision.isReady
  return (
    <>
      {decision.error === null ? null : <Problem of={decision.error} />}
      <ReadOnlyNote />
      <div className={`line ${styles['decide']}`}>
        {OUTCOMES.map(({ outcome, label }) => (
          <button
            key={outcome}
            type="button"
            disabled={isOff}
            onClick={() => decision.mutate({ kind: 'settle', outcome })}
          >
            {label}
          </button>
        ))}
      </div>
      {OUTCOMES.map(({ outcome }) => (
        <CliTwin key={outcome} command={decideCommand(request, { kind: 'settle', outcome })} />
      ))}
    </>
  )
}
