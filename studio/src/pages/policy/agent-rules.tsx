import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { get } from '../../api/client.ts'
import { visible } from '../../parts/format.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Problem } from '../../parts/message.tsx'
import styles from './policy.module.css'

interface AgentMandate {
  readonly id: string
  readonly mandate: { readonly rules?: readonly Rule[] } & Readonly<Record<string, unknown>>
}

interface Rule {
  readonly id: string
  readonly when?: unknown
  readonly then?: unknown
  readonly reason?: string
}

/** The mandates of the agents, besides the mandate of the host: rules as text, other fields as JSON. */
export function AgentRules(): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['mandates'],
    retry: 0,
    queryFn: ({ signal }) => get<{ readonly agents: readonly AgentMandate[] }>('/api/studio/mandates', {}, signal),
  })
  const agents = data?.agents.filter(({ mandate }) => Object.keys(mandate).length > 0) ?? []
  return (
    <section className="panel part" aria-label="Rules of agents">
      <h2>Rules of agents</h2>
      {error === null ? null : <Problem of={error} />}
      {data !== undefined && agents.length === 0 ? (
        <p className="muted">No agent has its own mandate. The mandate of the host applies to all of them.</p>
      ) : null}
      {agents.map(({ id, mandate: { rules = [], ...rest } }) => (
        <details key={id} className={styles['agent']}>
          <summary>
            <strong>{visible(id)}</strong>{' '}
            <span className="muted">
              {[...rules.map((rule) => rule.id), ...Object.keys(rest)].map(visible).join(', ')}
            </span>
          </summary>
          {rules.map((rule) => (
            <p key={rule.id}>
              <code>{visible(rule.id)}</code> {visible(wordsOf(rule.then))} when{' '}
              <code>{visible(wordsOf(rule.when))}</code> <span className="muted">{visible(rule.reason ?? '')}</span>
            </p>
          ))}
          {Object.keys(rest).length === 0 ? null : <JsonView value={rest} open={2} />}
        </details>
      ))}
    </section>
  )
}

function wordsOf(part: unknown): string {
  return typeof part === 'string' ? part : (JSON.stringify(part) ?? 'always')
}
