import type { ReactNode } from 'react'
import { visible } from '../../parts/format.ts'
import { Empty } from '../../parts/message.tsx'
import { Tools, useAgents } from './agents.tsx'
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
    </div>
  )
}
