import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ago, visible } from '../../parts/format.ts'
import { Empty } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'
import { Tools, useAgents } from './agents.tsx'
import { useConversations } from './conversation.ts'
import styles from './agents.module.css'

/** The introduction before the first message: the agent and its tools. */
export function Opening({ agentId }: { readonly agentId: string }): ReactNode {
  const { data } = useAgents()
  const agent = data?.agents.find(({ id }) => id === agentId)
  if (agent === undefined) return null
  return (
    <div className={styles['opening']}>
      <Empty title={`A new conversation with ${visible(agent.name)}`}>
        <div className="stack">
          {agent.description === '' ? null : <p>{visible(agent.description)}</p>}
          {agent.tools.length === 0 ? <p>It has no tools.</p> : <Tools of={agent} />}
          <p>Each message is a run. It passes the gate, and requests for your approval appear here.</p>
        </div>
      </Empty>
      <Earlier agentId={agentId} />
    </div>
  )
}

const SHOWN = 10

/** The last conversations with the agent, to go on with. */
function Earlier({ agentId }: { readonly agentId: string }): ReactNode {
  const { data = [] } = useConversations(agentId)
  if (data.length === 0) return null
  return (
    <section className={styles['earlier']} aria-labelledby="earlier">
      <h2 id="earlier">Earlier conversations</h2>
      <ul>
        {data.slice(0, SHOWN).map(({ id, metadata, updatedAt, status }) => (
          <li key={id}>
            <Link to="/agents/$agentId" params={{ agentId }} search={{ session: id }}>
              {visible(metadata?.title ?? id)}
            </Link>{' '}
            <span className="muted">{ago(updatedAt)}</span> {status === 'idle' ? null : <Status of={status} />}
          </li>
        ))}
      </ul>
    </section>
  )
}
