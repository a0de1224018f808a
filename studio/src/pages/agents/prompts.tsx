import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { get, put } from '../../api/client.ts'
import { Problem } from '../../parts/message.tsx'

interface PromptInfo {
  readonly id: string
  readonly version: string
  readonly text: string
  readonly engine?: string
  readonly createdBy?: string
  readonly createdAt?: string
}

/** The prompts of the store. A version never changes: an edit makes a new one. */
export function Prompts(): ReactNode {
  const { data } = useQuery({
    queryKey: ['prompts'],
    retry: 0,
    queryFn: ({ signal }) => get<{ readonly prompts: readonly PromptInfo[] }>('/api/prompts', {}, signal),
  })
  if (data === undefined || data.prompts.length === 0) return null
  return (
    <section className="stack">
      <h2>Prompts</h2>
      {data.prompts.map((prompt) => (
        <PromptView key={`${prompt.id}@${prompt.version}`} prompt={prompt} />
      ))}
    </section>
  )
}

function PromptView({ prompt }: { readonly prompt: PromptInfo }): ReactNode {
  const queries = useQueryClient()
  const [text, setText] = useState(prompt.text)
  const save = useMutation({
    mutationFn: () =>
      put(`/api/prompts/${encodeURIComponent(prompt.id)}`, {
        text,
        ...(prompt.engine === undefined ? {} : { engine: prompt.engine }),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['prompts'] }),
  })
  return (
    <details className="panel" style={{ padding: 'var(--space-2) var(--space-3)' }}>
      <summary>
        <strong>{prompt.id}</strong>{' '}
        <span className="muted">
          version {prompt.version} {prompt.createdBy === undefined ? '' : `by ${prompt.createdBy}`}
        </span>
      </summary>
      <div className="stack">
        <label>
          Text
          <textarea rows={8} value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        {save.error === null ? null : <Problem of={save.error} />}
        <button type="button" disabled={text === prompt.text || save.isPending} onClick={() => save.mutate()}>
          Save as a new version
        </button>
      </div>
    </details>
  )
}
