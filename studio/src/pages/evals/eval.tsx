import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { EvalAttempt, EvalReport } from '../../../../src/evals/index.ts'
import { get } from '../../api/client.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { command } from '../../parts/commands.ts'
import { count, duration, money, moneyDigits, timeOf, visible } from '../../parts/format.ts'
import { oneLine } from '../../parts/markdown/one-line.ts'
import { Loading, Problem } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'
import { Rate } from './rate.tsx'
import { TableHeads } from '../../parts/table-heads.tsx'
import styles from './evals.module.css'

/** Maximum characters shown of an answer; the linked run has all of it. */
const ANSWER_MAX = 400

/** One eval: its tasks, the differences from the baseline, and each attempt with the results of its checks. */
export function Eval(): ReactNode {
  const { evalId } = useParams({ from: '/evals/$evalId' })
  const { data, error, refetch } = useQuery({
    queryKey: ['evals', evalId],
    queryFn: ({ signal }) => get<EvalReport>(`/api/evals/${encodeURIComponent(evalId)}`, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const navigate = useNavigate()
  useShortcuts({ back: () => void navigate({ to: '/evals' }) })
  if (error !== null)
    return (
      <div className="page">
        <Crumbs>{visible(evalId)}</Crumbs>
        <Problem of={error} retry={() => void refetch()} />
      </div>
    )
  if (data === undefined) return <Loading />
  const { name, ok, total, left, judge, agent, finishedAt } = data
  return (
    <div className="page">
      <Crumbs>{visible(name)}</Crumbs>
      <div className="line">
        <Status of={ok ? 'ok' : 'failed'} />
        <span>
          <Link to="/" search={{ filter: `agent:${agent}` }}>
            {visible(agent)}
          </Link>{' '}
          <span className="muted">{timeOf(Date.parse(finishedAt))}</span>
        </span>
        <Rate of={total} />
        <CliTwin command={command('eval', ['show', evalId])} />
      </div>
      {left === 0 ? null : <p role="alert">It was cut short: {left} attempts were not made.</p>}
      {judge === undefined ? null : (
        <p className="muted">
          Judging took {count(judge.totalTokens)} tokens, {money(judge.cost)}.
        </p>
      )}
      <Differences of={data} />
      <Tasks of={data} />
      <Tools of={data} />
      <section className="panel part" aria-label="Attempts">
        <h2>Attempts</h2>
        <div className="scroll" tabIndex={0}>
          <table>
            <TableHeads texts={['Attempt', 'Came to', 'Checks', 'Answer']} numbers={['Steps', 'Tokens', 'Time']} />
            <tbody>
              {data.attempts.map((attempt) => (
                <AttemptRow key={attempt.run} of={attempt} />
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </div>
  )
}

/** The breadcrumb: a link to the list and the title. */
function Crumbs({ children }: { readonly children: string }): ReactNode {
  return (
    <div className={styles['crumbs']}>
      <Link to="/evals">Evals</Link>
      <span aria-hidden="true">/</span>
      <h1>{children}</h1>
    </div>
  )
}

/** Regressions and improvements compared with the baseline. */
function Differences({ of: { comparison } }: { readonly of: EvalReport }): ReactNode {
  if (comparison === undefined) return null
  const { regressions, improvements, added, missing } = comparison
  const rows = [
    ...regressions.map((one) => ({ ...one, tone: 'failed', word: 'worse' })),
    ...improvements.map((one) => ({ ...one, tone: 'ok', word: 'better' })),
  ]
  return (
    <section className="panel part" aria-label="Against the baseline">
      <h2>Against the baseline</h2>
      {rows.length === 0 ? <p>Nothing got worse or better beyond chance.</p> : null}
      <ul className={styles['why']}>
        {rows.map(({ task, what, before, now, word }) => (
          <li key={`${task} ${what}`}>
            {visible(task)}: {what} {word}, {Number(before.toPrecision(3))} → {Number(now.toPrecision(3))}
          </li>
        ))}
        {added.length === 0 ? null : <li>New tasks: {added.map(visible).join(', ')}</li>}
        {missing.length === 0 ? null : <li>Not run: {missing.map(visible).join(', ')}</li>}
      </ul>
    </section>
  )
}

function Tasks({ of: { tasks } }: { readonly of: EvalReport }): ReactNode {
  const digits = moneyDigits(tasks.map(({ figures }) => figures.cost ?? 0))
  return (
    <section className="panel part" aria-label="Tasks">
      <h2>Tasks</h2>
      <div className="scroll" tabIndex={0}>
        <table>
          <TableHeads
            texts={['Task', 'Success (95 %)']}
            numbers={['Score', 'Steps', 'Tool errors', 'Tokens', 'Money', 'Time']}
          />
          <tbody>
            {tasks.map((task) => (
              <tr key={task.task}>
                <td>
                  {visible(task.task)} <span className="muted">{task.tags.map(visible).join(' ')}</span>
                </td>
                <td>
                  <Rate of={task} />
                </td>
                <td className="number">{task.score.toFixed(2)}</td>
                <td className="number">{task.figures.steps.toFixed(1)}</td>
                <td className="number">
                  {task.figures.toolErrors} of {task.figures.toolCalls}
                </td>
                <td className="number">{count(task.figures.totalTokens)}</td>
                <td className="number">{money(task.figures.cost, digits)}</td>
                <td className="number">{duration(task.figures.durationMs.p50)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** The figures of models and tools over all attempts. */
function Tools({ of: { total } }: { readonly of: EvalReport }): ReactNode {
  const rows = [...Object.entries(total.figures.tools), ['models', total.figures.models] as const]
  return (
    <section className="panel part" aria-label="Models and tools">
      <h2>Models and tools</h2>
      <div className="scroll" tabIndex={0}>
        <table>
          <TableHeads texts={['Called']} numbers={['Calls', 'Errors', 'Latency p50', 'p95']} />
          <tbody>
            {rows.map(([name, { calls, errors, latencyMs }]) => (
              <tr key={name}>
                <td>{visible(name)}</td>
                <td className="number">{count(calls)}</td>
                <td className="number">{count(errors)}</td>
                <td className="number">{duration(latencyMs.p50)}</td>
                <td className="number">{duration(latencyMs.p95)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function AttemptRow({
  of: { task, attempt, passed, checks, answer, steps, tokens, durationMs },
}: {
  readonly of: EvalAttempt
}): ReactNode {
  const failed = checks.filter((check) => !check.passed)
  return (
    <tr>
      <td>
        {visible(task)} #{attempt}
      </td>
      <td>
        <Status of={passed ? 'ok' : 'failed'} />
      </td>
      <td>
        {failed.length === 0 ? (
          <span className="muted">{checks.length} passed</span>
        ) : (
          <ul className={styles['why']}>
            {failed.map(({ name, reason = 'failed' }) => (
              <li key={name}>
                {visible(name)}: {visible(reason)}
              </li>
            ))}
          </ul>
        )}
      </td>
      <td className={styles['answer']}>{visible(oneLine(answer.slice(0, ANSWER_MAX)))}</td>
      <td className="number">{steps}</td>
      <td className="number">{count(tokens)}</td>
      <td className="number">{duration(durationMs)}</td>
    </tr>
  )
}
