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
import { useReady } from '../../parts/use-ready.ts'
import { decideAll } from './decide.ts'
import type { Decided } from './decide.ts'
import styles from './inbox.module.css'

interface BulkProps {
  readonly ref: Ref<HTMLDialogElement>
  /** The selected calls. Questions and calls in doubt are answered one by one. */
  readonly calls: readonly WaitingItem[]
  /** The number of other selected requests. */
  readonly others: number
  readonly done: () => void
  /** Announces a text to screen readers. */
  readonly say: (text: string) => void
}

/** Decides several calls at once. Each is answered by itself, and those that are refused are listed. The outcome stays until the dialog is closed. */
export function BulkDialog({ ref, calls, others, done, say }: BulkProps): ReactNode {
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const isReadOnly = useReadOnly()
  const because = reason.trim() === '' ? undefined : reason
  const [opened, setOpened] = useState(0)
  const isReady = useReady(opened)
  const decision = useMutation({
    mutationFn: (kind: 'approve' | 'reject') => decideAll(calls, kind, because),
    onSuccess: (results, kind) => say(bulkText(results, kind)),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['inbox'] })
      await queries.invalidateQueries({ queryKey: ['request'] })
    },
  })
  const isOff = isReadOnly || decision.isPending || !isReady || calls.length === 0
  const close = (): void => {
    if (decision.data !== undefined) done()
    decision.reset()
    setReason('')
  }
  return (
    <dialog
      ref={ref}
      aria-labelledby="bulk-title"
      onToggle={(event) => {
        if (event.newState === 'open') setOpened(opened + 1)
      }}
      onClose={close}
    >
      {decision.data === undefined ? (
        <div className="stack">
          <h2 id="bulk-title">
            Decide {calls.length} {calls.length === 1 ? 'call' : 'calls'}
          </h2>
          {others > 0 ? (
            <p className="muted">
              {others} more {others === 1 ? 'is' : 'are'} selected: questions and calls in doubt are answered one by
              one.
            </p>
          ) : null}
          <div role="region" aria-label="The calls" tabIndex={0} className={styles['calls']}>
            <ul className="stack">
              {calls.map(({ id, name, text, run, input }) => (
                <li key={id}>
                  <strong>{visible(name)}</strong> {visible(text)} <span className="muted mono">{run}</span>
                  <JsonView value={input} open={1} />
                </li>
              ))}
            </ul>
          </div>
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
            <button type="button" className="primary" disabled={isOff} onClick={() => decision.mutate('approve')}>
              Approve each once
            </button>
            <button type="button" className="danger" disabled={isOff} onClick={() => decision.mutate('reject')}>
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
      ) : (
        <Outcome results={decision.data} kind={decision.variables} calls={calls} />
      )}
    </dialog>
  )
}

/** Returns in words what became of several calls. */
function bulkText(results: readonly Decided[], kind: 'approve' | 'reject'): string {
  const recorded = results.filter(({ status }) => status !== 'refused').length
  const refused = results.length - recorded
  const done = `${recorded} ${recorded === 1 ? 'call' : 'calls'} ${kind === 'approve' ? 'approved' : 'denied'}`
  return refused === 0 ? `${done}; their runs go on.` : `${done}; ${refused} refused.`
}

interface OutcomeProps {
  readonly results: readonly Decided[]
  readonly kind: 'approve' | 'reject'
  readonly calls: readonly WaitingItem[]
}

function Outcome({ results, kind, calls }: OutcomeProps): ReactNode {
  const refused = results.filter(({ status }) => status === 'refused')
  return (
    <div className="stack">
      <h2 tabIndex={-1} ref={(head) => head?.focus()}>
        {bulkText(results, kind)}
      </h2>
      <ul className="stack">
        {refused.map(({ id, error }) => (
          <li key={id}>
            <strong>{visible(calls.find((call) => call.id === id)?.name ?? id)}</strong> <code>{error?.code}</code>{' '}
            {visible(error?.message ?? '')}
          </li>
        ))}
      </ul>
      <div className="line">
        <button type="button" onClick={(event) => event.currentTarget.closest('dialog')?.close()}>
          Close
        </button>
      </div>
    </div>
  )
}
