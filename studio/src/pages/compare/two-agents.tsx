import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { post } from '../../api/client.ts'
import { CliTwin, word } from '../../parts/cli-twin.tsx'
import { Problem } from '../../parts/message.tsx'
import { ReadOnlyNote, useReadOnly } from '../../parts/read-only.tsx'
import { useAgents } from '../agents/agents.tsx'

/** Gives one prompt to two agents, such as one with a large and one with a small model, and compares what they make of it. */
export function TwoAgents(): ReactNode {
  const navigate = useNavigate()
  const isReadOnly = useReadOnly()
  const { data } = useAgents()
  const [prompt, setPrompt] = useState('')
  const [chosen, setChosen] = useState<{ readonly a?: string; readonly b?: string }>({})
  const agents = data?.agents ?? []
  const { a = agents[0]?.id ?? '', b = agents[1]?.id ?? '' } = chosen
  const start = useMutation({
    mutationFn: async () => {
      const run = (agent: string): Promise<{ readonly id: string }> => post('/api/runs', { agent, prompt })
      return Promise.all([run(a), run(b)])
    },
    onSuccess: ([first, second]) => void navigate({ to: '/compare', search: { a: first.id, b: second.id } }),
  })
  if (agents.length === 0) return null
  return (
    <form
      className="panel stack"
      style={{ padding: 'var(--space-3) var(--space-4)', maxWidth: '48rem' }}
      onSubmit={(event) => {
        event.preventDefault()
        start.mutate()
      }}
    >
      <h2>One prompt, two agents</h2>
      <div className="line">
        {(['a', 'b'] as const).map((side) => (
          <label key={side} className="line">
            {side.toUpperCase()}
            <select value={side === 'a' ? a : b} onChange={(event) => setChosen({ a, b, [side]: event.target.value })}>
              {agents.map(({ id, name, models }) => (
                <option key={id} value={id}>
                  {name} ({models.join(', ')})
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
      <label>
        Prompt
        <textarea rows={3} required value={prompt} onChange={(event) => setPrompt(event.target.value)} />
      </label>
      <p>
        <strong>Both runs perform effects and spend money.</strong>
      </p>
      {start.error === null ? null : <Problem of={start.error} />}
      <ReadOnlyNote />
      <div className="line">
        <button className="primary" disabled={isReadOnly || start.isPending || prompt.trim() === ''}>
          Run both, and spend
        </button>
        <CliTwin command={`mandate run ${word(a)} ${word(prompt === '' ? 'prompt' : prompt)}`} />
      </div>
    </form>
  )
}
