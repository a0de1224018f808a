import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { FleetReport } from '../../../../src/engine/index.ts'
import { ApiError, get } from '../../api/client.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { duration, timeOf, visible } from '../../parts/format.ts'
import { Empty, Loading, Problem } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'
import { TableHeads } from '../../parts/table-heads.tsx'

const REFRESH_MS = 2_000

/** The workers on one database, the queues, and the runs that no worker can drive. */
export function Workers(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['workers'],
    queryFn: ({ signal }) => get<FleetReport>('/api/workers', {}, signal),
    refetchInterval: REFRESH_MS,
    retry: false,
  })
  // A store in a file or in memory has no workers: its runs are driven by the process that started them.
  if (error instanceof ApiError && error.status === 404) return <NoWorkers />
  if (error !== null)
    return (
      <div className="page">
        <Problem of={error} retry={() => void refetch()} />
      </div>
    )
  if (data === undefined) return <Loading />
  const { workers, queues, held } = data
  if (workers.length === 0 && queues.length === 0 && held.length === 0) return <NoWorkers />
  return (
    <div className="page">
      <h1>Workers</h1>
      <Table
        title="Members"
        columns={['Worker', 'State']}
        numbers={['Runs', 'Since', 'Last seen']}
        more={['Version', 'Queues', 'Drives']}
      >
        {workers.map(({ id, place, state, running, concurrency, startedAt, seenAt, version, queues: taken, minds }) => (
          <tr key={id}>
            <td>{visible(place)}</td>
            <td>
              <Status of={state} />
            </td>
            <td className="number">
              {running} of {concurrency}
            </td>
            <td className="number">{timeOf(startedAt)}</td>
            <td className="number">{timeOf(seenAt)}</td>
            <td>{visible(version)}</td>
            <td>{taken.map(visible).join(', ')}</td>
            <td>{minds.map(visible).join(', ')}</td>
          </tr>
        ))}
      </Table>
      <Table title="Queues" columns={['Queue']} numbers={['Waiting', 'Running', 'Delayed', 'Lag']}>
        {queues.map(({ name, queued, running, delayed, lagMs }) => (
          <tr key={name}>
            <td>{visible(name)}</td>
            <td className="number">{queued}</td>
            <td className="number">{running}</td>
            <td className="number">{delayed}</td>
            <td className="number">{duration(lagMs)}</td>
          </tr>
        ))}
      </Table>
      {held.length === 0 ? null : (
        <Table title="Runs that no worker can drive" columns={['Run', 'Why']} numbers={['Since']}>
          {held.map(({ run, reason, since }) => (
            <tr key={run}>
              <td>
                <Link to="/runs/$runId" params={{ runId: run }}>
                  {run}
                </Link>
              </td>
              <td>{visible(reason)}</td>
              <td className="number">{timeOf(since)}</td>
            </tr>
          ))}
        </Table>
      )}
      <CliTwin command="mandate workers" />
    </div>
  )
}

function NoWorkers(): ReactNode {
  return (
    <div className="page">
      <h1>Workers</h1>
      <Empty title="No workers">
        <div className="stack">
          <p>
            Runs of this store are driven by the process that starts them. With a Postgres database, any number of
            workers can drive them:
          </p>
          <CliTwin command="mandate worker --dir postgres://…" />
        </div>
      </Empty>
    </div>
  )
}

interface TableProps {
  readonly title: string
  readonly columns: readonly string[]
  readonly numbers: readonly string[]
  readonly more?: readonly string[]
  readonly children: ReactNode
}

function Table({ title, columns, numbers, more, children }: TableProps): ReactNode {
  return (
    <section className="panel part" aria-label={title}>
      <h2>{title}</h2>
      <div className="scroll" tabIndex={0}>
        <table>
          <TableHeads texts={columns} numbers={numbers} more={more} />
          <tbody>{children}</tbody>
        </table>
      </div>
    </section>
  )
}
