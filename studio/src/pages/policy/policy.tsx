import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { get, post } from '../../api/client.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { policyCommand } from '../../parts/commands.ts'
import { visible } from '../../parts/format.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Problem } from '../../parts/message.tsx'
import { useAgentFile } from '../../parts/read-only.tsx'
import { Risk } from '../../parts/status.tsx'
import { typedJson } from '../../parts/typed-json.ts'
import { useAgents } from '../agents/agents.tsx'
import { AgentRules } from './agent-rules.tsx'
import { Denials } from './denials.tsx'
import { StandingApprovals } from './standing.tsx'
import { TableHeads } from '../../parts/table-heads.tsx'
import styles from './policy.module.css'

interface Explained {
  readonly decision: {
    readonly verdict: string
    readonly rule: string
    readonly reason: string
    readonly risk?: string
  }
  readonly opinions: readonly {
    readonly guard: string
    readonly level: number
    readonly verdict: string
    readonly reason?: string
  }[]
  readonly left: object
}

/** Tests what the gate would decide about a call, without making the call. */
export function Policy(): ReactNode {
  const given = useSearch({ from: '/policy' })
  const navigate = useNavigate()
  const file = useAgentFile()
  const { data: agents } = useAgents()
  const { data: policy, error } = useQuery({
    queryKey: ['policy'],
    retry: 0,
    queryFn: ({ signal }) => get<{ readonly mandate: object | null; readonly hash: string }>('/api/policy', {}, signal),
  })
  const [call, setCall] = useState({ tool: '', agent: '', input: '{}', labels: '', ...given })
  const { tool, agent, input, labels } = call
  const typed = typedJson(input)
  // Typed text is also kept in state: the value from the address is updated later, which would move the cursor.
  const change = (changes: Partial<typeof call>): void => {
    const next = { ...call, ...changes }
    setCall(next)
    const search = Object.fromEntries(Object.entries(next).filter(([, text]) => text !== ''))
    void navigate({ to: '/policy', search, replace: true })
  }
  const test = useMutation({
    mutationFn: () =>
      post<Explained>('/api/policy/test', {
        tool,
        input: typed.value,
        ...(agent === '' ? {} : { agent }),
        ...(labels.trim() === '' ? {} : { labels: labels.split(',').map((label) => label.trim()) }),
      }),
  })
  // The command uses the first agent that has the tool.
  const isSame = agents?.agents.find(({ tools: own }) => own.some(({ name }) => name === tool))?.id === agent
  const tools = [...new Set(agents?.agents.flatMap((each) => each.tools.map(({ name }) => name)) ?? [])]
  return (
    <div className="page">
      <h1>Policy</h1>
      <div className={styles['bench']}>
        <form
          className={`panel stack ${styles['form']}`}
          onSubmit={(event) => {
            event.preventDefault()
            if (typed.problem === undefined) test.mutate()
          }}
        >
          <h2>What would the gate decide?</h2>
          <label>
            Tool
            <input
              type="text"
              list="tools"
              required
              value={tool}
              onChange={(event) => change({ tool: event.target.value })}
            />
            <datalist id="tools">
              {tools.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </label>
          <label>
            As a call of the agent
            <select value={agent} onChange={(event) => change({ agent: event.target.value })}>
              <option value="">none: only the mandate of the host</option>
              {agents?.agents.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            Input, as JSON
            <textarea
              rows={5}
              value={input}
              aria-invalid={typed.problem !== undefined}
              onChange={(event) => change({ input: event.target.value })}
            />
            {typed.problem === undefined ? null : (
              <span role="alert">
                {typed.problem} Write the arguments of the tool as an object with names in double quotes, as in{' '}
                <code>{'{ "order": "A-17", "amount": 80 }'}</code>.
              </span>
            )}
          </label>
          <label>
            Made from (labels, with commas)
            <input
              type="text"
              placeholder="untrusted:web"
              value={labels}
              onChange={(event) => change({ labels: event.target.value })}
            />
          </label>
          <button className="primary" disabled={test.isPending || typed.problem !== undefined}>
            Ask the gate
          </button>
          {isSame && file !== undefined && typed.problem === undefined ? (
            <CliTwin command={policyCommand({ file, tool, input, labels })} />
          ) : null}
        </form>
        <div className="stack">
          {test.error === null ? null : <Problem of={test.error} />}
          {test.data === undefined ? null : <Verdict of={test.data} />}
          <section className={`panel stack ${styles['form']}`}>
            <h2>The mandate of the host</h2>
            {error === null ? null : <Problem of={error} />}
            {policy === undefined ? null : policy.mandate === null ? (
              <p className="muted">None. Only the mandates of agents apply.</p>
            ) : (
              <JsonView value={policy.mandate} open={3} />
            )}
          </section>
          <AgentRules />
          <StandingApprovals />
          <Denials />
        </div>
      </div>
    </div>
  )
}

function Verdict({ of: { decision, opinions, left } }: { readonly of: Explained }): ReactNode {
  return (
    <section className={`panel stack ${styles['form']}`} role="status" data-verdict={decision.verdict}>
      <div className="line">
        <h2>{decision.verdict}</h2>
        <Risk of={decision.risk} />
      </div>
      <p>{visible(decision.reason)}</p>
      <p className="muted">
        rule <code>{visible(decision.rule)}</code>
      </p>
      <table>
        <TableHeads texts={['Guard', 'Says', 'Why']} />
        <tbody>
          {opinions.map(({ guard, verdict, reason, level }, index) => (
            <tr key={index}>
              <td>
                {guard} <span className="muted">{level === 0 ? '' : `mandate ${level}`}</span>
              </td>
              <td>{verdict}</td>
              <td>{visible(reason ?? '')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h3>Budget that would be left</h3>
      {Object.keys(left).length === 0 ? (
        <p className="muted">No budget is set for such a call.</p>
      ) : (
        <JsonView value={left} />
      )}
    </section>
  )
}
