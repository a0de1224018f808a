import { useMutation } from '@tanstack/react-query'
import type { ReactNode, Ref } from 'react'
import { get, runPath } from '../../api/client.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { word } from '../../parts/commands.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Problem } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'

interface Replayed {
  readonly identical: boolean
  readonly complete: boolean
  readonly entries: number
  readonly effects: number
  readonly difference?: unknown
}

/** Verifies the run by replaying its journal. */
export function ReplayDialog({
  ref,
  runId,
}: {
  readonly ref: Ref<HTMLDialogElement>
  readonly runId: string
}): ReactNode {
  const replay = useMutation({ mutationFn: () => get<Replayed>(runPath(runId, '/replay')) })
  const { data } = replay
  return (
    <dialog ref={ref} aria-labelledby="replay-title" onClose={() => replay.reset()}>
      <div className="stack">
        <h2 id="replay-title">Replay</h2>
        <p>
          The run is executed again from its journal. <strong>Nothing is performed and nothing is spent</strong>; it
          ends with "identical", or with the first difference.
        </p>
        {replay.error === null ? null : <Problem of={replay.error} />}
        {data === undefined ? null : (
          <div className="stack" role="status">
            <p>
              <Status of={data.identical ? 'ok' : 'failed'} /> {data.identical ? 'Identical' : 'Different'}:{' '}
              {data.effects} effects of {data.entries} entries answered from the journal
              {data.complete ? '' : ', up to where the run stands'}.
            </p>
            {data.difference === undefined ? null : <JsonView value={data.difference} open={3} />}
          </div>
        )}
        <div className="line">
          <button
            type="button"
            className="primary"
            autoFocus
            disabled={replay.isPending}
            onClick={() => replay.mutate()}
          >
            Replay
          </button>
          <button type="button" onClick={(event) => event.currentTarget.closest('dialog')?.close()}>
            Close
          </button>
        </div>
        <CliTwin command={`mandate replay ${word(runId)}`} />
      </div>
    </dialog>
  )
}
