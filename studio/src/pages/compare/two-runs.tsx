import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { post } from '../../api/client.ts'
import type { AgentInfo } from '../../api/types.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { command } from '../../parts/commands.ts'
import { Problem } from '../../parts/message.tsx'
import { ReadOnlyNote, useReadOnly } from '../../parts/read-only.tsx'
import { useAgents } from '../agents/agents.tsx'
import styles from './compare.module.css'

/** An agent with its own model or another model of the service. */
interface Answerer {
  readonly agent: string
  /** Empty for the agent's own model. */
  readonly model: string
}

/** Sends one prompt to two agents, or to one agent with two models, and compares the runs. */
export function TwoRuns(): ReactNode {
  const navigate = useNavigate()
  const isReadOnly = useReadOnly()
  const { data } = useAgents()
  const [prompt, setPrompt] = useState('')
  const [chosen, setChosen] = useState<{ readonly a?: Answerer; readonly b?: Answerer }>({})
  const agents = data?.agents ?? []
  const models = [...new Set(agents.flatMap((agent) => agent.models))].toSorted()
  const a = chosen.a ?? { agent: agents[0]?.id ?? '', model: '' }
  const b = chosen.b ?? otherThan(a, agents, models)
  const start = useMutation({
    mutationFn: () => {
      const run = ({ agent, model }: Answerer): Promise<{ readonly id: string }> =>
        post('/api/runs', { agent, prompt, ...(model === '' ? {} : { model }) })
      return Promise.all([run(a), run(b)])
    },
    onSuccess: ([first, second]) => void navigate({ to: '/compare', search: { a: first.id, b: second.id } }),
  })
  if (agents.length === 0) return null
  return (
    <form
      className={`panel stack ${styles['twice']}`}
      onSubmit={(event) => {
        event.preventDefault()
        start.mutate()
      }}
    >
      <h2>One prompt, twice</h2>
      <p className="muted">Two models for one agent, or two agents: compare the results.</p>
      <div className={styles['sides']}>
        <Side name="A" of={a} {...{ agents, models }} choose={(side) => setChosen({ a: side, b })} />
        <Side name="B" of={b} {...{ agents, models }} choose={(side) => setChosen({ a, b: side })} />
      </div>
      <label className="stack">
        Prompt
        <textarea rows={3} required value={prompt} onChange={(event) => setPrompt(event.target.value)} />
      </label>
      <p>
        <strong>Both runs perform effects and spend money.</strong> They go through the same gate as every run.
      </p>
      {start.error === null ? null : <Problem of={start.error} />}
      <ReadOnlyNote />
      <div className="line">
        <button className="primary" disabled={isReadOnly || start.isPending || prompt.trim() === ''}>
          Run both, and spend
        </button>
      </div>
      <CliTwin command={[a, b].map((side) => commandOf(side, prompt)).join('; ')} />
    </form>
  )
}

interface SideProps {
  readonly name: string
  readonly of: Answerer
  readonly agents: readonly AgentInfo[]
  readonly models: readonly string[]
  readonly choose: (side: Answerer) => void
}

function Side({ name, of: { agent, model }, agents, models, choose }: SideProps): ReactNode {
  const own = agents.find(({ id }) => id === agent)?.models ?? []
  return (
    <fieldset className={`stack ${styles['chooser']}`}>
      <legend>{name}</legend>
      <label>
        Agent
        <select value={agent} onChange={(event) => choose({ agent: event.target.value, model: '' })}>
          {agents.map(({ id, name: title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label>
        Model
        <select value={model} onChange={(event) => choose({ agent, model: event.target.value })}>
          <option value="">its own ({own.join(', ') || 'none'})</option>
          {models.map((id) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  )
}

/** Returns the same agent with another model; if there is only one model, another agent. */
function otherThan(a: Answerer, agents: readonly AgentInfo[], models: readonly string[]): Answerer {
  const [own] = agents.find(({ id }) => id === a.agent)?.models ?? []
  const model = models.find((id) => id !== own)
  return model === undefined
    ? { agent: agents.find(({ id }) => id !== a.agent)?.id ?? a.agent, model: '' }
    : { agent: a.agent, model }
}

function commandOf({ agent, model }: Answerer, prompt: string): string {
  return command('run', [agent, prompt === '' ? 'prompt' : prompt], { model: model === '' ? undefined : model })
}
