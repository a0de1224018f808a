import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode, Ref } from 'react'
import type { WaitingItem } from '../../api/types.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { decideAllCommand } from '../../parts/commands.ts'
import { visible } from '../../parts/format.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Problem } from '../../parts/message.tsx'
import { ReadOnlyNote, useReadOnly } from '../../parts/read-only.tsx'
import { decide } from './decide.ts'

interface BulkProps {
  readonly ref: Ref<HTMLDialogElement>
  /** The selected calls. Questions and calls in doubt are answered one by one. */
  readonly calls: readonly WaitingItem[]
  /** The number of other selected requests. */
  readonly others: number
  readonly done: () => void
}

/** Decides several calls at once. Each is answered by a separate request, and those that fail are listed. */
export function BulkDialog({ ref, calls, others, done }: BulkProps): ReactNode {
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const isReadOnly = useReadOnly()
  const because = reason.trim() === '' ? undefined : reason
  const decision = useMutation({
    mutationFn: async (kind: 'approve' | 'reject') => {
      const recorded = because === undefined ? {} : { reason: because }
      const results = await Promise.allSettled(
        calls.map((request) =>
          decide(request, kind === 'approve' ? { kind, scope: 'once', ...recorded } : { kind, ...recorded }),
        ),
      )
      await queries.invalidateQueries({ queryKey: ['inbox'] })
      const refused = results.filter((result) => result.status === 'rejected')
      if (refused.length > 0)
        throw new Error(`${refused.length} of ${results.length} were refused: ${String(refused[0]!.reason)}`)
    },
    onSuccess: () => {
      document.querySelector<HTMLDialogElement>('dialog[open]')?.close()
      done()
    },
  })
  return (
    <dialog ref={ref} aria-labelledby="bulk-title">
      <div className="stack">
        <h2 id="bulk-title">
          Decide {calls.length} {calls.length === 1 ? 'call' : 'calls'}
        </h2>
        {others > 0 ? (
          <p className="muted">
            {others} more {others === 1 ? 'is' : 'are'} selected: questions and calls in doubt are answered one by one.
          </p>
        ) : null}
        <ul className="stack">
          {calls.map(({ id, name, text, run, input }) => (
            <li key={id}>
              <strong>{visible(name)}</strong> {visible(text)} <span className="muted mono">{run}</span>
              <JsonView value={input} open={1} />
            </li>
          ))}
        </ul>
        <label>
          Why
          <input
            type="text"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            style={{ width: '100%' }}
          />
        </label>
        <ReadOnlyNote />
        {decision.error === null ? null : <Problem of={decision.error} />}
        <div className="line">
          <button
            type="button"
            className="primary"
            disabled={isReadOnly || decision.isPending}
            onClick={() => decision.mutate('approve')}
          >
            Approve each once
          </button>
          <button
            type="button"
            className="danger"
            disabled={isReadOnly || decision.isPending}
            onClick={() => decision.mutate('reject')}
          >
            Deny all
          </button>
          <button type="button" onClick={(event) => event.currentTarget.closest('dialog')?.close()}>
            Cancel
          </button>
        </div>
        {calls.length === 0 ? null : (
          <>
            <CliTwin command={decideAllCommand(calls, 'approve', because)} />
            <CliTwin command={decideAllCommand(calls, 'reject', because)} />
          </>
        )}
      </div>
    </dialog>
  )
}
