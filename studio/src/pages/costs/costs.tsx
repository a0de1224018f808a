import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { get } from '../../api/client.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { count, money, moneyDigits, visible } from '../../parts/format.ts'
import { Empty, Loading, Problem } from '../../parts/message.tsx'
import { dayOf, daysOf, sumOf, sumsBy } from './cost-sums.ts'
import type { Cost, Sum } from './cost-sums.ts'
import { DayChart } from './day-chart.tsx'
import styles from './costs.module.css'

const RUNS_SHOWN = 20

/** The costs of the latest runs: per day, model, agent and run. Costs are estimates from the price table. */
export function Costs(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['runs', 'costs'],
    queryFn: ({ signal }) =>
      get<{ readonly costs: readonly Cost[]; readonly runs: number; readonly unreadable: readonly string[] }>(
        '/api/costs',
        {},
        signal,
      ),
  })
  if (error !== null)
    return (
      <div className="page">
        <Problem of={error} retry={() => void refetch()} />
      </div>
    )
  if (data === undefined) return <Loading />
  const { costs, runs, unreadable } = data
  if (costs.length === 0)
    return (
      <div className="page">
        <h1>Costs</h1>
        <Empty title="Nothing was spent yet">
          <div className="stack">
            <p>The cost of model calls appears here, by day, model, agent and run. Start a run:</p>
            <CliTwin command="mandate run agent.ts 'Say hello.'" />
          </div>
        </Empty>
      </div>
    )
  const models = sumsBy(costs, ({ model }) => model)
  const names = models.map(({ name }) => name)
  const all = sumOf('all', costs)
  return (
    <div className="page">
      <h1>Costs</h1>
      <p className="muted">
        The latest {runs} runs spent {money(all.money)} in {count(all.calls)} calls of models: {count(all.inputTokens)}{' '}
        tokens in{all.cachedTokens === 0 ? '' : ` (${count(all.cachedTokens)} cached)`}, {count(all.outputTokens)} out.
        Estimated with the price table of this installation. Child runs are counted separately.
      </p>
      {unreadable.length === 0 ? null : (
        <p role="alert">Not counted, because they cannot be read: {unreadable.map(visible).join(', ')}.</p>
      )}
      <section className="panel part" aria-label="Per day">
        <h2>Per day</h2>
        <DayChart costs={costs} models={names} />
        <details>
          <summary>The same as a table</summary>
          <SumTable
            what="Day"
            sums={daysOf(costs).map((day) =>
              sumOf(
                day,
                costs.filter(({ at }) => dayOf(at) === day),
              ),
            )}
          />
        </details>
      </section>
      <div className={styles['two']}>
        <section className="panel part" aria-label="Per model">
          <h2>Per model</h2>
          <SumTable what="Model" sums={models} />
        </section>
        <section className="panel part" aria-label="Per agent">
          <h2>Per agent</h2>
          <SumTable
            what="Agent"
            sums={sumsBy(costs, ({ agent }) => agent)}
            link={(name) => (
              <Link to="/" search={{ filter: `agent:${name}` }}>
                {visible(name)}
              </Link>
            )}
          />
        </section>
      </div>
      <section className="panel part" aria-label="Dearest runs">
        <h2>Dearest runs</h2>
        <SumTable
          what="Run"
          sums={sumsBy(costs, ({ run }) => run).slice(0, RUNS_SHOWN)}
          link={(runId) => (
            <Link to="/runs/$runId" params={{ runId }} className="mono">
              {visible(runId)}
            </Link>
          )}
        />
      </section>
    </div>
  )
}

interface SumTableProps {
  readonly what: string
  readonly sums: readonly Sum[]
  readonly link?: (name: string) => ReactNode
}

function SumTable({ what, sums, link = visible }: SumTableProps): ReactNode {
  const most = Math.max(...sums.map(({ money: amount }) => amount), Number.MIN_VALUE)
  const digits = moneyDigits(sums.map(({ money: amount }) => amount))
  const isCached = sums.some(({ cachedTokens }) => cachedTokens > 0)
  return (
    <div className={`scroll ${styles['sums']}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{what}</th>
            {['Calls', 'In', ...(isCached ? ['Cached'] : []), 'Out', 'Money'].map((title) => (
              <th key={title} scope="col" className="number">
                {title}
              </th>
            ))}
            <th scope="col" className={styles['wide']}>
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {sums.map((sum) => (
            <tr key={sum.name}>
              <td>{link(sum.name)}</td>
              <td className="number">{count(sum.calls)}</td>
              <td className="number">{count(sum.inputTokens)}</td>
              {isCached ? <td className="number">{count(sum.cachedTokens)}</td> : null}
              <td className="number">{count(sum.outputTokens)}</td>
              <td className="number">{money(sum.money, digits)}</td>
              <td>
                <span className={`drawn ${styles['bar']}`} style={{ width: `${(sum.money / most) * 100}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
