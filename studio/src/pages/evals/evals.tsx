import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { EvalSummary } from '../../../../src/evals/index.ts'
import { get } from '../../api/client.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { count, duration, money, moneyDigits, timeOf, visible } from '../../parts/format.ts'
import { Empty, Loading, Problem } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'
import { Rate } from './rate.tsx'
import { TableHeads } from '../../parts/table-heads.tsx'
import styles from './evals.module.css'

/** The evals with stored reports, newest first. */
export function Evals(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['runs', 'evals'],
    queryFn: ({ signal }) => get<{ readonly evals: readonly EvalSummary[] }>('/api/evals', { limit: 200 }, signal),
  })
  if (error !== null)
    return (
      <div className="page">
        <Problem of={error} retry={() => void refetch()} />
      </div>
    )
  if (data === undefined) return <Loading />
  if (data.evals.length === 0)
    return (
      <div className="page">
        <h1>Evals</h1>
        <Empty title="No evals yet">
          <div className="stack">
            <p>The success rates of agents appear here. Run the tasks of a file, or create tasks from a run:</p>
            <CliTwin command="mandate eval tasks.eval.json" />
            <CliTwin command="mandate eval from-run <run>" />
          </div>
        </Empty>
      </div>
    )
  const digits = moneyDigits(data.evals.map(({ total }) => total.figures.cost ?? 0))
  return (
    <div className="page">
      <h1>Evals</h1>
      <section className={`panel scroll ${styles['list']}`} aria-label="Evals">
        <table>
          <TableHeads
            texts={['Eval', 'Came to', 'Agent', 'Success (95 %)']}
            numbers={['Steps', 'Tool errors', 'Tokens', 'Money', 'Time', 'When']}
          />
          <tbody>
            {data.evals.map((one) => (
              <EvalRow key={one.id} of={one} digits={digits} />
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}

function EvalRow({
  of: { id, name, agent, ok, replayed, regressions, total, finishedAt },
  digits,
}: {
  readonly of: EvalSummary
  readonly digits: number
}): ReactNode {
  const { steps, toolErrors, toolCalls, totalTokens, cost, durationMs } = total.figures
  const worse = regressions === null || regressions === 0 ? undefined : `${regressions} worse`
  return (
    <tr>
      <td>
        <Link to="/evals/$evalId" params={{ evalId: id }}>
          {visible(name)}
        </Link>
        {replayed ? <span className="muted"> from recordings</span> : null}
      </td>
      <td>
        <Status of={ok ? 'ok' : 'failed'} note={worse} />
      </td>
      <td>
        <Link to="/" search={{ filter: `agent:${agent}` }}>
          {visible(agent)}
        </Link>
      </td>
      <td>
        <Rate of={total} />
      </td>
      <td className="number">{steps.toFixed(1)}</td>
      <td className="number">
        {toolErrors} of {toolCalls}
      </td>
      <td className="number">{count(totalTokens)}</td>
      <td className="number">{money(cost, digits)}</td>
      <td className="number">{duration(durationMs.p50)}</td>
      <td className="number">{timeOf(Date.parse(finishedAt))}</td>
    </tr>
  )
}
