import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { get } from '../../api/client.ts'
import type { AgentInfo } from '../../api/types.ts'
import { visible } from '../../parts/format.ts'
import { Empty, Problem } from '../../parts/message.tsx'
import { Risk } from '../../parts/status.tsx'
import { Prompts } from './prompts.tsx'
import styles from './agents.module.css'

export function useAgents() {
  return useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => get<{ readonly agents: readonly AgentInfo[] }>('/api/agents', {}, signal),
  })
}

/** The agents that can be run here, and the prompts of the store. */
export function Agents(): ReactNode {
  const { data, error, refetch } = useAgents()
  if (error !== null) return <Problem of={error} retry={() => void refetch()} />
  return (
    <div className="page">
      <h1>Agents</h1>
      {data?.agents.length === 0 ? (
        <Empty title="No agents here">
          <p>
            Agents of <code>mandate.config.ts</code>, or of the file given with <code>--file</code>, are listed here.
          </p>
        </Empty>
      ) : null}
      <ul className={styles['cards']}>
        {data?.agents.map((agent) => (
          <li key={agent.id} className={`panel ${styles['card']}`}>
            <div className="line">
              <h2>{visible(agent.name)}</h2>
              <code className="muted">{agent.models.join(', ')}</code>
            </div>
            <p>
              {agent.description === '' ? <span className="muted">No description.</span> : visible(agent.description)}
            </p>
            <ul className="line" aria-label="Tools">
              {agent.tools.map((tool) => (
                <li key={tool.name} title={visible(tool.description)} className="line">
                  <code>{visible(tool.name)}</code> <Risk of={tool.risk} />
                </li>
              ))}
            </ul>
            <div className="line">
              <Link to="/agents/$agentId" params={{ agentId: agent.id }}>
                Chat
              </Link>
              <Link to="/" search={{ filter: `agent:${agent.id}` }}>
                Its runs
              </Link>
            </div>
          </li>
        ))}
      </ul>
      <Prompts />
    </div>
  )
}
