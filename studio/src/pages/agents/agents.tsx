import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { get } from '../../api/client.ts'
import type { AgentInfo } from '../../api/types.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
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
  const { tab } = useSearch({ from: '/agents' })
  const navigate = useNavigate()
  const { data, error, refetch } = useAgents()
  if (error !== null)
    return (
      <div className="page">
        <Problem of={error} retry={() => void refetch()} />
      </div>
    )
  return (
    <div className="page">
      <div className="line">
        <h1>Agents</h1>
        <div role="tablist" aria-label="Agents and prompts" className="line">
          {TABS.map(({ title, search }) => (
            <button
              key={title}
              type="button"
              role="tab"
              id={`tab-${title}`}
              aria-controls="agents-view"
              aria-selected={search.tab === tab}
              className="chip"
              onClick={() => void navigate({ to: '/agents', search })}
            >
              {title}
            </button>
          ))}
        </div>
      </div>
      <div id="agents-view" role="tabpanel" aria-labelledby={`tab-${tab === 'prompts' ? 'Prompts' : 'Agents'}`}>
        {tab === 'prompts' ? <Prompts /> : data?.agents.length === 0 ? <NoAgents /> : <Cards agents={data?.agents} />}
      </div>
    </div>
  )
}

const TABS: readonly { readonly title: string; readonly search: { readonly tab?: 'prompts' } }[] = [
  { title: 'Agents', search: {} },
  { title: 'Prompts', search: { tab: 'prompts' } },
]

function NoAgents(): ReactNode {
  return (
    <Empty title="No agents here">
      <div className="stack">
        <p>
          Agents of <code>mandate.config.ts</code>, or of a file that is given, are listed here. Make a project with
          one, or name a file:
        </p>
        <CliTwin command="mandate init" />
        <CliTwin command="mandate studio agent.ts" />
      </div>
    </Empty>
  )
}

function Cards({ agents = [] }: { readonly agents: readonly AgentInfo[] | undefined }): ReactNode {
  return (
    <ul className={styles['cards']}>
      {agents.map((agent) => (
        <li key={agent.id} className={`panel ${styles['card']}`}>
          <div className="line">
            <h2>{visible(agent.name)}</h2>
            <code className="muted">{agent.models.join(', ')}</code>
          </div>
          <p>
            {agent.description === '' ? <span className="muted">No description.</span> : visible(agent.description)}
          </p>
          <Tools of={agent} />
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
  )
}

/** The tools of an agent, each with its risk. */
export function Tools({ of: { tools } }: { readonly of: AgentInfo }): ReactNode {
  return (
    <ul className="line" aria-label="Tools">
      {tools.map((tool) => (
        <li key={tool.name} title={visible(tool.description)} className="line">
          <code>{visible(tool.name)}</code> <Risk of={tool.risk} />
        </li>
      ))}
    </ul>
  )
}
