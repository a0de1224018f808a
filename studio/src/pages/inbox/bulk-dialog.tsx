import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode, Ref } from 'react'
import type { WaitingItem } from '../../api/types.ts'
import { CliTwin, word } from '../../parts/cli-twin.tsx'
import { visible } from '../../parts/format.ts'
import { Problem } from '../../parts/message.tsx'
import { ReadOnlyNote, useReadOnly } from '../../parts/read-only.tsx'
import { decide } from './decide.ts'

interface BulkProps {
  readonly ref: Ref<HTMLDialogElement>
  readonly requests: readonly WaitingItem[]
  readonly done: () => void
}

/** One decision about several calls: each is answered by itself, and those that are refused are listed. */
export function BulkDialog({ ref, requests, done }: BulkProps): ReactNode {
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const isReadOnly = useReadOnly()
  const calls = requests.filter((request) => request.reason === 'approval')
  const decision = useMutation({
    mutationFn: async (kind: 'approve' | 'reject') => {
      const because = reason === '' ? {} : { reason }
      const results = await Promise.allSettled(
        calls.map((request) =>
          decide(request, kind === 'approve' ? { kind, scope: 'once', ...because } : { kind, ...because }),
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
        {calls.length < requests.length ? (
          <p className="muted">Questions and calls in doubt are answered one by one.</p>
        ) : null}
        <ul>
          {calls.map(({ id, name, text }) => (
            <li key={id}>
              <strong>{visible(name)}</strong> {visible(text)}
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
        <CliTwin command={`mandate approve ${calls.map(({ id }) => word(id)).join(' ')}`} />
      </div>
    </dialog>
  )
}
