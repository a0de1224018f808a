import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode, Ref } from 'react'
import { isEnded } from '../../../../src/journal/summary.ts'
import { post, runPath } from '../../api/client.ts'
import type { RunStore } from '../../journal/run-store.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { command } from '../../parts/commands.ts'
import { Problem } from '../../parts/message.tsx'
import { ReadOnlyNote, useReadOnly } from '../../parts/read-only.tsx'
import { Status } from '../../parts/status.tsx'
import { useReady } from '../../parts/use-ready.ts'

/** The reason in the journal where none is given. */
const NO_REASON = 'cancelled in the studio'

/** Ends a run that is under way or waits, after a question, and shows what became of it. */
export function CancelDialog({
  ref,
  run,
}: {
  readonly ref: Ref<HTMLDialogElement>
  readonly run: RunStore
}): ReactNode {
  const queries = useQueryClient()
  const [opened, setOpened] = useState(0)
  const [reason, setReason] = useState('')
  const isReady = useReady(opened)
  const isReadOnly = useReadOnly()
  const because = reason.trim() === '' ? NO_REASON : reason
  const cancel = useMutation({
    mutationFn: () => post(runPath(run.runId, '/cancel'), { reason: because }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['runs'] }),
  })
  const isOver = isEnded(run.state)
  const isSent = cancel.isPending || cancel.isSuccess
  const close = (event: { readonly currentTarget: HTMLElement }): void => event.currentTarget.closest('dialog')?.close()
  return (
    <dialog
      ref={ref}
      aria-labelledby="cancel-title"
      onToggle={(event) => {
        if (event.newState === 'open') setOpened(opened + 1)
      }}
      onClose={() => {
        cancel.reset()
        setReason('')
      }}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady && !isOver && !isReadOnly && !isSent) cancel.mutate()
        }}
      >
        <h2 id="cancel-title">Cancel this run?</h2>
        <p>
          What is in flight is aborted, and nothing more is begun. What has been done stays done. Its requests need no
          answer any more.
        </p>
        {!isSent && !isOver ? (
          <label>
            Why (recorded)
            <input
              type="text"
              autoFocus
              value={reason}
              placeholder={NO_REASON}
              onChange={(event) => setReason(event.target.value)}
              style={{ width: '100%' }}
            />
          </label>
        ) : null}
        {cancel.error === null ? null : <Problem of={cancel.error} />}
        <ReadOnlyNote />
        <p role="status" className="line">
          {isOver ? (
            <>
              <Status of={run.state} />{' '}
              {run.state === 'cancelled' ? 'The run is cancelled.' : `The run had already ended: ${run.state}.`}
            </>
          ) : isSent ? (
            'The run is being cancelled…'
          ) : null}
        </p>
        <div className="line">
          {isOver ? null : (
            <button className="danger" disabled={isReadOnly || !isReady || isSent}>
              Cancel the run
            </button>
          )}
          <button type="button" onClick={close}>
            {isOver ? 'Close' : 'Leave it as it is'}
          </button>
        </div>
        {isOver ? null : <CliTwin command={command('cancel', [run.runId, because])} />}
      </form>
    </dialog>
  )
}
