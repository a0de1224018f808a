import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { get, put } from '../../api/client.ts'
import { DiffView } from '../../parts/diff-view.tsx'
import { ago, visible } from '../../parts/format.ts'
import { Empty, Problem } from '../../parts/message.tsx'
import { ReadOnlyNote, useReadOnly } from '../../parts/read-only.tsx'
import { Status } from '../../parts/status.tsx'
import styles from './agents.module.css'

interface PromptInfo {
  readonly id: string
  readonly version: string
  readonly text: string
  readonly name?: string
  readonly engine?: string
  readonly requiredVars?: readonly string[]
  readonly createdBy?: string
  readonly createdAt?: string
}

interface Versions {
  readonly versions: readonly PromptInfo[]
  readonly labels: Readonly<Record<string, string>>
}

/** The prompts of the store. Versions are immutable: an edit creates a new version, and labels are moved. */
export function Prompts(): ReactNode {
  const { data, isPending } = useQuery({
    queryKey: ['prompts'],
    retry: 0,
    queryFn: ({ signal }) => get<{ readonly prompts: readonly PromptInfo[] }>('/api/prompts', {}, signal),
  })
  if (isPending) return null
  if (data === undefined || data.prompts.length === 0)
    return (
      <Empty title="No prompts in the store">
        <p>
          Prompts that are put into the store of the service (<code>service.putPrompt</code>) are listed here, with what
          changed from version to version, which one is in production, and which runs used it.
        </p>
      </Empty>
    )
  return (
    <section className="stack" aria-label="Prompts">
      {data.prompts.map((prompt) => (
        <PromptView key={prompt.id} id={prompt.id} name={prompt.name ?? prompt.id} newest={prompt.version} />
      ))}
    </section>
  )
}

const promptPath = (id: string, rest = ''): string => `/api/prompts/${encodeURIComponent(id)}${rest}`

function PromptView({
  id,
  name,
  newest,
}: {
  readonly id: string
  readonly name: string
  readonly newest: string
}): ReactNode {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={`panel ${styles['prompt']}`} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>{visible(name)}</strong> <code className="muted">{visible(id)}</code>{' '}
        <span className="muted">version {newest}</span>
      </summary>
      {isOpen ? <PromptVersions id={id} /> : null}
    </details>
  )
}

function PromptVersions({ id }: { readonly id: string }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['prompts', id],
    queryFn: ({ signal }) => get<Versions>(promptPath(id, '/versions'), {}, signal),
  })
  const [chosen, setChosen] = useState<string>()
  if (error !== null) return <Problem of={error} />
  if (data === undefined) return null
  const index = Math.max(
    0,
    chosen === undefined ? data.versions.length - 1 : data.versions.findIndex(({ version }) => version === chosen),
  )
  const shown = data.versions[index]!
  const before = data.versions[index - 1]
  return (
    <div className={styles['versions']}>
      <ol className="stack" aria-label="Versions">
        {data.versions.toReversed().map((each) => (
          <li key={each.version}>
            <button type="button" aria-current={each === shown} onClick={() => setChosen(each.version)}>
              version {each.version}
              {labelsOf(data, each.version).map((label) => (
                <span key={label} className={styles['tag']}>
                  {visible(label)}
                </span>
              ))}
              <span className="muted">
                {visible(each.createdBy ?? '')} {each.createdAt === undefined ? '' : ago(Date.parse(each.createdAt))}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <div className="stack">
        <Labels id={id} versions={data} version={shown.version} />
        {before === undefined ? null : (
          <section className="stack">
            <h3>Changed since version {before.version}</h3>
            <DiffView before={before.text} after={shown.text} />
          </section>
        )}
        <Editor key={shown.version} prompt={shown} />
        <RunsUsing id={id} version={shown.version} />
      </div>
    </div>
  )
}

function labelsOf({ labels }: Versions, version: string): readonly string[] {
  return Object.keys(labels).filter((label) => labels[label] === version)
}

/** The labels of a prompt. Moving a label to another version changes which version is used under that label from now on. */
function Labels({
  id,
  versions,
  version,
}: {
  readonly id: string
  readonly versions: Versions
  readonly version: string
}): ReactNode {
  const queries = useQueryClient()
  const isReadOnly = useReadOnly()
  const [name, setName] = useState('')
  const move = useMutation({
    mutationFn: (label: string) => put(promptPath(id, `/labels/${encodeURIComponent(label)}`), { version }),
    onSuccess: () => {
      setName('')
      return queries.invalidateQueries({ queryKey: ['prompts', id] })
    },
  })
  const others = Object.keys(versions.labels).filter((label) => versions.labels[label] !== version)
  return (
    <section className="stack" aria-label="Labels">
      <div className="line">
        {others.map((label) => (
          <button key={label} type="button" disabled={isReadOnly || move.isPending} onClick={() => move.mutate(label)}>
            Move <strong>{visible(label)}</strong> from {versions.labels[label]} to {version}
          </button>
        ))}
        <form
          className="line"
          onSubmit={(event) => {
            event.preventDefault()
            move.mutate(name)
          }}
        >
          <input
            type="text"
            aria-label="New label"
            placeholder="new label"
            size={12}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <button disabled={isReadOnly || move.isPending || name.trim() === ''}>Label version {version}</button>
        </form>
      </div>
      {move.error === null ? null : <Problem of={move.error} />}
      <ReadOnlyNote />
    </section>
  )
}

function Editor({ prompt }: { readonly prompt: PromptInfo }): ReactNode {
  const queries = useQueryClient()
  const isReadOnly = useReadOnly()
  const [text, setText] = useState(prompt.text)
  const save = useMutation({
    mutationFn: () => {
      const { name, engine, requiredVars } = prompt
      const kept = Object.entries({ name, engine, requiredVars }).filter(([, value]) => value !== undefined)
      return put(promptPath(prompt.id), { text, ...Object.fromEntries(kept) })
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['prompts'] }),
  })
  return (
    <section className="stack">
      <label>
        Text of version {prompt.version}
        <textarea rows={7} value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      {text === prompt.text ? null : <DiffView before={prompt.text} after={text} />}
      {save.error === null ? null : <Problem of={save.error} />}
      <div className="line">
        <button
          type="button"
          className="primary"
          disabled={isReadOnly || text === prompt.text || save.isPending}
          onClick={() => save.mutate()}
        >
          Save as a new version
        </button>
      </div>
    </section>
  )
}

interface PromptRun {
  readonly run: string
  readonly name: string
  readonly state: string
  readonly createdAt: number
  readonly version: string
}

function RunsUsing({ id, version }: { readonly id: string; readonly version: string }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['runs', 'prompt', id],
    queryFn: ({ signal }) => get<{ readonly runs: readonly PromptRun[] }>(promptPath(id, '/runs'), {}, signal),
  })
  const runs = data?.runs.filter((run) => run.version === version) ?? []
  return (
    <section className="stack" aria-label="Runs using this version">
      <h3>Runs using this version</h3>
      {error === null ? null : <Problem of={error} />}
      {data !== undefined && runs.length === 0 ? <p className="muted">None of the latest runs.</p> : null}
      <ul className="stack">
        {runs.map(({ run, name, state, createdAt }) => (
          <li key={run} className="line">
            <Link to="/runs/$runId" params={{ runId: run }}>
              {visible(name)} <span className="mono muted">{run}</span>
            </Link>
            <Status of={state} />
            <span className="muted">{ago(createdAt)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
