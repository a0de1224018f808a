import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ago, visible } from '../../parts/format.ts'
import { useRunFacts, useRuns } from '../runs/use-runs.ts'
import styles from './policy.module.css'

const SHOWN = 10

/** The latest calls that the gate denied in the latest runs. */
export function Denials(): ReactNode {
  const { data } = useRuns(undefined)
  const runs = data?.pages[0]?.runs ?? []
  const facts = useRunFacts(runs)
  const denials = runs
    .flatMap(({ id, name }) => (facts[id]?.denials ?? []).map((denial) => ({ ...denial, run: id, agent: name })))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, SHOWN)
  return (
    <section className="panel part" aria-label="Last denials">
      <h2>Last denials</h2>
      {denials.length === 0 ? (
        <p className="muted">
          {runs.length === 0
            ? 'Nothing has run yet.'
            : `The gate denied nothing in the latest ${runs.length === 1 ? 'run' : `${runs.length} runs`}.`}
        </p>
      ) : (
        <ul className={styles['denials']}>
          {denials.map(({ run, seq, at, agent, name, rule, reason }) => (
            <li key={`${run} ${seq}`}>
              <div className="line">
                <Link to="/runs/$runId" params={{ runId: run }} search={{ at: seq }}>
                  <strong>{visible(name)}</strong>
                </Link>
                <code className="muted">{visible(rule)}</code>
                <span className="muted">
                  {visible(agent)}, {ago(at)}
                </span>
              </div>
              <p>{visible(reason)}</p>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
