import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode, Ref } from 'react'
import { post, runPath } from '../../api/client.ts'
import type { RunStore } from '../../journal/run-store.ts'
import { useEntry } from '../../journal/use-run.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { Problem } from '../../parts/message.tsx'
import { ReadOnlyNote, useReadOnly } from '../../parts/read-only.tsx'
import { changeOf, changesAt, commandOf } from './fork-change.ts'
import type { ChangeKind } from './fork-change.ts'

interface ForkProps {
  readonly ref: Ref<HTMLDialogElement>
  readonly run: RunStore
  readonly at: number
}

/** Creates a new run that shares the beginning of this one. The new run performs real effects; the dialog warns about that. */
export function ForkDialog({ ref, run, at }: ForkProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  return (
    <dialog ref={ref} aria-labelledby="fork-title" onToggle={(event) => setOpen(event.newState === 'open')}>
      {isOpen ? <ForkForm key={`${run.runId} ${at}`} run={run} at={at} /> : null}
    </dialog>
  )
}

function ForkForm({ run, at }: Omit<ForkProps, 'ref'>): ReactNode {
  const navigate = useNavigate()
  const isReadOnly = useReadOnly()
  const { entry } = useEntry(run.runId, at)
  const { entry: start } = useEntry(run.runId, 1)
  const changes = changesAt(entry, start)
  const [kind, setKind] = useState<ChangeKind>()
  const [texts, setTexts] = useState<Partial<Record<ChangeKind, string>>>({})
  const [isResumed, setResumed] = useState(true)
  const chosen = kind ?? (changes.some((change) => change.kind === 'result') ? 'result' : 'nothing')
  const form = useRef<HTMLFormElement>(null)
  // The dialog opens before its form is rendered, so the form has to move the focus from the dialog.
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input:checked')?.focus()
  }, [])
  const change = changes.find((each) => each.kind === chosen)
  const text = texts[chosen] ?? change?.text ?? ''
  const { body, problem } = changeOf(change, text)
  const fork = useMutation({
    mutationFn: async () => {
      const { id } = await post<{ id: string }>(runPath(run.runId, '/fork'), {
        ...(change?.isWhole ? {} : { at }),
        ...body,
      })
      if (isResumed) await post(runPath(id, '/resume'))
      return id
    },
    onSuccess: (id) => {
      document.querySelector<HTMLDialogElement>('dialog[open]')?.close()
      void navigate({ to: '/runs/$runId', params: { runId: id } })
    },
  })
  return (
    <form
      ref={form}
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        fork.mutate()
      }}
    >
      <h2 id="fork-title">Fork at entry #{at}</h2>
      <p>
        A new run shares everything up to #{change?.isWhole === true ? 1 : at} and goes on from there.{' '}
        <strong>It performs effects and spends money</strong>; this run stays as it is.
      </p>
      <fieldset>
        <legend>What should be different</legend>
        {changes.map((each) => (
          <label key={each.kind} className="line">
            <input type="radio" name="change" checked={each.kind === chosen} onChange={() => setKind(each.kind)} />{' '}
            {each.label}
          </label>
        ))}
      </fieldset>
      {change === undefined || change.kind === 'nothing' ? null : (
        <label>
          {change.field}
          <textarea
            rows={6}
            value={text}
            aria-invalid={problem !== undefined}
            onChange={(event) => setTexts({ ...texts, [chosen]: event.target.value })}
          />
          {problem === undefined ? null : <span role="alert">{problem}</span>}
        </label>
      )}
      <label className="line">
        <input type="checkbox" checked={isResumed} onChange={(event) => setResumed(event.target.checked)} /> Go on at
        once
      </label>
      {fork.error === null ? null : <Problem of={fork.error} />}
      <ReadOnlyNote />
      <div className="line">
        <button className="primary" disabled={problem !== undefined || fork.isPending || isReadOnly}>
          Fork, and spend
        </button>
        <button type="button" onClick={(event) => event.currentTarget.closest('dialog')?.close()}>
          Cancel
        </button>
      </div>
      {/* The command resumes the fork at once and cannot send a message. */}
      {isResumed && change?.kind !== 'message' ? <CliTwin command={commandOf(run.runId, change, text, at)} /> : null}
    </form>
  )
}
