import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { get, runPath } from '../../api/client.ts'
import { useRun } from '../../journal/use-run.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { word } from '../../parts/commands.ts'
import { DiffView } from '../../parts/diff-view.tsx'
import { visible } from '../../parts/format.ts'
import { Problem } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'

interface Replayed {
  readonly identical: boolean
  readonly complete: boolean
  readonly entries: number
  readonly effects: number
  readonly difference?: { readonly key: string; readonly recorded: string; readonly replayed: string }
}

/** A run beside its replay: the current code with the recorded journal. No effect is performed and nothing is spent. */
export function ReplayBeside({ runId }: { readonly runId: string }): ReactNode {
  const run = useRun(runId)
  const { data, error, isPending } = useQuery({
    queryKey: ['replay', runId, run.head],
    enabled: run.isLoaded,
    retry: 0,
    queryFn: ({ signal }) => get<Replayed>(runPath(runId, '/replay'), {}, signal),
  })
  const difference = data?.difference
  const place = difference === undefined ? undefined : run.entries.find(({ key }) => key === difference.key)
  return (
    <section className="stack" aria-label="Replay">
      <p className="muted">
        The code of this server is executed over the journal of the run. Nothing is performed and nothing is spent.
      </p>
      {error === null ? null : <Problem of={error} />}
      {isPending && error === null ? <p className="muted">Replaying …</p> : null}
      {data === undefined ? null : (
        <p role="status">
          <Status of={data.identical ? 'ok' : 'failed'} />{' '}
          {data.identical ? `Identical: all ${data.effects} effects came out the same` : 'Different'}
          {data.complete ? '.' : ', up to where the run stands.'}
        </p>
      )}
      {difference === undefined ? null : (
        <div className="panel stack" style={{ padding: 'var(--space-3) var(--space-4)' }}>
          <h2>
            First difference: <code>{visible(difference.key)}</code>
          </h2>
          <DiffView before={difference.recorded} after={difference.replayed} />
          <p className="muted">
            Lines with − are what the journal has, lines with + what the code asks for now.{' '}
            {place === undefined ? null : (
              <Link to="/runs/$runId" params={{ runId }} search={{ at: place.seq }}>
                look at entry #{place.seq}
              </Link>
            )}
          </p>
        </div>
      )}
      <CliTwin command={`mandate replay ${word(runId)}`} />
    </section>
  )
}
