import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { get, runPath } from '../../api/client.ts'
import type { RunInfo } from '../../api/types.ts'
import { count, money } from '../../parts/format.ts'
import { Empty } from '../../parts/message.tsx'
import { useRuns } from '../runs/use-runs.ts'
import styles from './costs.module.css'

interface Spent {
  readonly cost?: number
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly totalTokens: number }
}

/** What the latest runs spent, by agent and by run. Money is worked out from the table of prices: an estimate. */
export function Costs(): ReactNode {
  const { data } = useRuns('parent:none')
  const runs = (data?.pages[0]?.runs ?? []).filter(({ kind }) => kind === 'agent')
  const results = useQueries({
    queries: runs.map((run) => ({
      queryKey: ['result', run.id, run.entries],
      staleTime: Number.POSITIVE_INFINITY,
      queryFn: ({ signal }: { signal: AbortSignal }) => get<Spent>(runPath(run.id, '/result'), {}, signal),
    })),
  })
  const lines = runs.flatMap((run, index) =>
    results[index]?.data === undefined ? [] : [{ run, spent: results[index].data }],
  )
  if (data !== undefined && runs.length === 0)
    return (
      <Empty title="Nothing was spent yet">
        <p>What runs cost is shown here, by agent and by run.</p>
      </Empty>
    )
  const byAgent = Object.entries(Object.groupBy(lines, ({ run }) => run.name)).map(([name, group = []]) => ({
    name,
    runs: group.length,
    money: sum(group.map(({ spent }) => spent.cost ?? 0)),
    tokens: sum(group.map(({ spent }) => spent.usage.totalTokens)),
  }))
  const most = Math.max(1, ...byAgent.map(({ tokens }) => tokens))
  return (
    <div className="page">
      <h1>Costs</h1>
      <p className="muted">
        The latest {lines.length} runs: {money(sum(lines.map(({ spent }) => spent.cost ?? 0)))} and{' '}
        {count(sum(lines.map(({ spent }) => spent.usage.totalTokens)))} tokens, by the table of prices of this
        installation.
      </p>
      <section className="panel">
        <table>
          <caption className="hidden-visually">By agent</caption>
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col" className="number">
                Runs
              </th>
              <th scope="col" className="number">
                Money
              </th>
              <th scope="col" className="number">
                Tokens
              </th>
              <th scope="col" className={styles['wide']}>
                Share
              </th>
            </tr>
          </thead>
          <tbody>
            {byAgent.map((agent) => (
              <tr key={agent.name}>
                <td>
                  <Link to="/" search={{ filter: `agent:${agent.name}` }}>
                    {agent.name}
                  </Link>
                </td>
                <td className="number">{agent.runs}</td>
                <td className="number">{money(agent.money)}</td>
                <td className="number">{count(agent.tokens)}</td>
                <td>
                  <span className={styles['bar']} style={{ width: `${(agent.tokens / most) * 100}%` }} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <RunCosts lines={lines} />
    </div>
  )
}

function RunCosts({
  lines,
}: {
  readonly lines: readonly { readonly run: RunInfo; readonly spent: Spent }[]
}): ReactNode {
  return (
    <section className="panel">
      <table>
        <caption className="hidden-visually">By run</caption>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col" className="number">
              In
            </th>
            <th scope="col" className="number">
              Out
            </th>
            <th scope="col" className="number">
              Money
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ run, spent }) => (
            <tr key={run.id}>
              <td>
                <Link to="/runs/$runId" params={{ runId: run.id }}>
                  {run.name} <span className="mono muted">{run.id}</span>
                </Link>
              </td>
              <td className="number">{count(spent.usage.inputTokens)}</td>
              <td className="number">{count(spent.usage.outputTokens)}</td>
              <td className="number">{money(spent.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
