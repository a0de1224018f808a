import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { get, post } from '../../api/client.ts'
import { CliTwin, word } from '../../parts/cli-twin.tsx'
import { visible } from '../../parts/format.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Problem } from '../../parts/message.tsx'
import { Risk } from '../../parts/status.tsx'
import { useAgents } from '../agents/agents.tsx'
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

/** What the gate would say to a call. Nothing is called. */
export function Policy(): ReactNode {
  const given = useSearch({ from: '/policy' })
  const { tool = '' } = given
  const navigate = useNavigate()
  const { data: agents } = useAgents()
  const { data: policy, error } = useQuery({
    queryKey: ['policy'],
    retry: 0,
    queryFn: ({ signal }) => get<{ readonly mandate: object | null; readonly hash: string }>('/api/policy', {}, signal),
  })
  const [agent, setAgent] = useState(given.agent ?? '')
  const [input, setInput] = useState(given.input ?? '{}')
  const [labels, setLabels] = useState(given.labels ?? '')
  const test = useMutation({
    mutationFn: () =>
      post<Explained>('/api/policy/test', {
        tool,
        input: JSON.parse(input) as unknown,
        ...(agent === '' ? {} : { agent }),
        ...(labels.trim() === '' ? {} : { labels: labels.split(',').map((label) => label.trim()) }),
      }),
  })
  const tools = [...new Set(agents?.agents.flatMap((each) => each.tools.map(({ name }) => name)) ?? [])]
  return (
    <div className="page">
      <h1>Policy</h1>
      <div className={styles['bench']}>
        <form
          className={`panel stack ${styles['form']}`}
          onSubmit={(event) => {
            event.preventDefault()
            test.mutate()
          }}
        >
          <h2>What would the gate say?</h2>
          <label>
            Tool
            <input
              type="text"
              list="tools"
              required
              value={tool}
              onChange={(event) =>
                void navigate({
                  to: '/policy',
                  search: { ...given, tool: event.target.value },
                  replace: true,
                })
              }
            />
            <datalist id="tools">
              {tools.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </label>
          <label>
            As a call of the agent
            <select value={agent} onChange={(event) => setAgent(event.target.value)}>
              <option value="">none: the mandate of the host alone</option>
              {agents?.agents.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            Input, as JSON
            <textarea rows={5} value={input} onChange={(event) => setInput(event.target.value)} />
          </label>
          <label>
            Made from (labels, with commas)
            <input
              type="text"
              placeholder="untrusted:web"
              value={labels}
              onChange={(event) => setLabels(event.target.value)}
            />
          </label>
          <button className="primary" disabled={test.isPending}>
            Ask the gate
          </button>
          <CliTwin
            command={`mandate policy test agent.ts ${word(tool === '' ? 'tool' : tool)} --input ${word(input)}`}
          />
        </form>
        <div className="stack">
          {test.error === null ? null : <Problem of={test.error} />}
          {test.data === undefined ? null : <Verdict of={test.data} />}
          <section className={`panel stack ${styles['form']}`}>
            <h2>The mandate of the host</h2>
            {error === null ? null : <Problem of={error} />}
            {policy === undefined ? null : policy.mandate === null ? (
              <p className="muted">None: what agents say of themselves holds.</p>
            ) : (
              <JsonView value={policy.mandate} open={3} />
            )}
          </section>
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
        <thead>
          <tr>
            <th scope="col">Guard</th>
            <th scope="col">Says</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
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
      <JsonView value={left} />
    </section>
  )
}
