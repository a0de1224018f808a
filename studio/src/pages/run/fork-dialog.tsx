import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode, Ref } from 'react'
import { post, runPath } from '../../api/client.ts'
import type { RunStore } from '../../journal/run-store.ts'
import { CliTwin, word } from '../../parts/cli-twin.tsx'
import { Problem } from '../../parts/message.tsx'
import { typedJson } from '../../parts/typed-json.ts'

interface ForkProps {
  readonly ref: Ref<HTMLDialogElement>
  readonly run: RunStore
  readonly at: number
}

/** Makes a new run that shares the beginning of this one. What happens then is real: it says so before. */
export function ForkDialog({ ref, run, at }: ForkProps): ReactNode {
  const navigate = useNavigate()
  const entry = run.at(at)
  const key = entry?.type === 'effect-end' ? entry.key : undefined
  const [edit, setEdit] = useState('')
  const [isResumed, setResumed] = useState(true)
  const wrong = edit.trim() === '' ? undefined : typedJson(edit).problem
  const fork = useMutation({
    mutationFn: async () => {
      const value = edit.trim() === '' || key === undefined ? undefined : (JSON.parse(edit) as unknown)
      const { id } = await post<{ id: string }>(runPath(run.runId, '/fork'), {
        at,
        ...(value === undefined ? {} : { edit: { key, value } }),
      })
      if (isResumed) await post(runPath(id, '/resume'))
      return id
    },
    onSuccess: (id) => {
      document.querySelector<HTMLDialogElement>('dialog[open]')?.close()
      void navigate({ to: '/runs/$runId', params: { runId: id } })
    },
  })
  const value = edit.trim() === '' || key === undefined ? '' : ` --key ${word(key)} --value ${word(edit)}`
  return (
    <dialog ref={ref} aria-labelledby="fork-title">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          fork.mutate()
        }}
      >
        <h2 id="fork-title">Fork at entry #{at}</h2>
        <p>
          A new run shares everything up to #{at} and goes on from there.{' '}
          <strong>It performs effects and spends money</strong>; this run stays as it is.
        </p>
        {key === undefined ? (
          <p className="muted">Select the end of a tool call to give it another result.</p>
        ) : (
          <label>
            What <code>{key}</code> gave instead, as JSON (empty: what it gave)
            <textarea
              rows={5}
              value={edit}
              aria-invalid={wrong !== undefined}
              onChange={(event) => setEdit(event.target.value)}
            />
            {wrong === undefined ? null : <span role="alert">{wrong}</span>}
          </label>
        )}
        <label className="line">
          <input type="checkbox" checked={isResumed} onChange={(event) => setResumed(event.target.checked)} /> Go on at
          once
        </label>
        {fork.error === null ? null : <Problem of={fork.error} />}
        <div className="line">
          <button className="primary" disabled={wrong !== undefined || fork.isPending}>
            Fork, and spend
          </button>
          <button type="button" onClick={(event) => event.currentTarget.closest('dialog')?.close()}>
            Cancel
          </button>
        </div>
        <CliTwin command={`mandate fork ${word(run.runId)} --at ${at}${value}`} />
      </form>
    </dialog>
  )
}
