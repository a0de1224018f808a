import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { EvalSummary } from '../../../../src/evals/index.ts'
import { get } from '../../api/client.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { count, duration, money, timeOf, visible } from '../../parts/format.ts'
import { Empty, Problem } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'
import { Rate } from './rate.tsx'
import styles from './evals.module.css'

/** The evals whose reports are kept, newest first. */
export function Evals(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['runs', 'evals'],
    queryFn: ({ signal }) => get<{ readonly evals: readonly EvalSummary[] }>('/api/evals', { limit: 200 }, signal),
  })
  if (error !== null) return <Problem of={error} retry={() => void refetch()} />
  if (data === undefined) return null
  if (data.evals.length === 0)
    return (
      <div className="page">
        <h1>Evals</h1>
        <Empty title="No evals yet">
          <div className="stack">
            <p>How often an agent does its tasks is shown here. Run the tasks of a file, or make some of a run:</p>
            <CliTwin command="mandate eval tasks.eval.json" />
            <CliTwin command="mandate eval from-run <run>" />
          </div>
        </Empty>
      </div>
    )
  return (
    <div className="page">
      <h1>Evals</h1>
      <section className={`panel ${styles['scroll']}`} aria-label="Evals">
        <table>
          <thead>
            <tr>
              {['Eval', 'Agent', 'Came to', 'Success (95 %)'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
              {['Steps', 'Tool errors', 'Tokens', 'Money', 'Time', 'When'].map((title) => (
                <th key={title} scope="col" className="number">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.evals.map((one) => (
              <EvalRow key={one.id} of={one} />
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}

function EvalRow({
  of: { id, name, agent, ok, replayed, regressions, total, finishedAt },
}: {
  readonly of: EvalSummary
}): ReactNode {
  const { steps, toolErrors, toolCalls, totalTokens, cost, durationMs } = total.figures
  const worse = regressions === null || regressions === 0 ? undefined : `${regressions} worse than the baseline`
  return (
    <tr>
      <td>
        <Link to="/evals/$evalId" params={{ evalId: id }}>
          {visible(name)}
        </Link>
        {replayed ? <span className="muted"> from recordings</span> : null}
      </td>
      <td>
        <Link to="/" search={{ filter: `agent:${agent}` }}>
          {visible(agent)}
        </Link>
      </td>
      <td>
        <Status of={ok ? 'ok' : 'failed'} note={worse} />
      </td>
      <td>
        <Rate of={total} />
      </td>
      <td className="number">{steps.toFixed(1)}</td>
      <td className="number">
        {toolErrors} of {toolCalls}
      </td>
      <td className="number">{count(totalTokens)}</td>
      <td className="number">{money(cost)}</td>
      <td className="number">{duration(durationMs.p50)}</td>
      <td className="number">{timeOf(Date.parse(finishedAt))}</td>
    </tr>
  )
}
