import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useEntry } from '../../journal/use-run.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { CliTwin, word } from '../../parts/cli-twin.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { timeOf, visible } from '../../parts/format.ts'
import { JsonView, hasPreview } from '../../parts/json-view.tsx'
import { Problem } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'
import { childId } from '../../../../src/run/nested/child-id.ts'
import { runStore } from '../../journal/run-store.ts'
import { hasRun } from './timeline-lines.ts'
import { DecisionView, decisionIn } from './decision-view.tsx'
import { LabelPath } from './label-path.tsx'
import type { TabProps } from './run.tsx'
import styles from './entry-panel.module.css'

/** The selected entry: what it says, and what the gate decided about the effect it belongs to. */
export function EntryPanel({
  run,
  at,
  select,
  isFollowing,
  fork,
}: TabProps & { readonly fork: () => void }): ReactNode {
  const light = run.at(at)
  const [whole, setWhole] = useState('')
  // While entries pass by, each is gone before its details would be there.
  const isPassing = isFollowing && run.state === 'running'
  const isWhole = whole === `${run.runId} ${at}`
  const { entry, error } = useEntry(
    run.runId,
    light === undefined || isPassing ? undefined : at,
    isWhole ? 'whole' : 'preview',
  )
  const effect = light?.key === undefined ? undefined : run.fold.effects.get(light.key)
  const asked = effect?.approvals.at(-1)
  const data = entry?.data ?? light?.data
  useShortcuts({ copyJson: () => void navigator.clipboard.writeText(JSON.stringify(entry, undefined, 2)) })
  if (light === undefined) return <aside className={styles['panel']} aria-label="Selected entry" />
  const decided = run.entries.findLast(
    ({ key, data: said }) => light.key !== undefined && key === light.key && decisionIn(said) !== undefined,
  )
  const row = run.rows.atSeq(at)
  const child = row !== undefined && hasRun(row) ? runStore(childId(run.runId, row.key)) : undefined
  const decision = decisionIn(data) ?? decisionIn(decided?.data)
  return (
    <aside className={styles['panel']} aria-label="Selected entry">
      <div className="line">
        <h2>#{light.seq}</h2>
        <code>{light.type}</code>
        <span className="muted">{timeOf(light.at)}</span>
      </div>
      {light.key === undefined ? null : <code className="muted">{visible(light.key)}</code>}
      {error === undefined ? null : <Problem of={error} />}
      {decision === undefined ? null : <DecisionView decision={decision} run={run} seq={decided?.seq ?? light.seq} />}
      <LabelPath {...{ run, at, select }} />
      {child === undefined ? null : (
        <p>
          <button
            type="button"
            className="quiet"
            onClick={() => select(Math.max(1, child.entries.length), child.runId)}
          >
            look into its run {child.runId}
          </button>
        </p>
      )}
      {asked !== undefined && asked.response === undefined ? (
        <p>
          <Status of={asked.data.reason === 'in-doubt' ? 'doubt' : 'waits'} /> {visible(asked.data.text)}{' '}
          <Link to="/inbox" search={{ item: `${run.runId}-ap${asked.seq}` }}>
            open in the inbox
          </Link>
        </p>
      ) : null}
      {light.type === 'run-suspend' ? <Pending data={data} runId={run.runId} /> : null}
      <section className="stack">
        <h3 className="muted">What it says</h3>
        <JsonView value={data} />
        {!isWhole && hasPreview(data) ? (
          <button type="button" onClick={() => setWhole(`${run.runId} ${at}`)}>
            load all of this entry
          </button>
        ) : null}
      </section>
      <div className="line">
        <button type="button" onClick={fork}>
          fork here <kbd>f</kbd>
        </button>
        <CopyButton text={() => JSON.stringify(entry ?? light, undefined, 2)} label="Copy the entry as JSON" />
      </div>
      <CliTwin command={`mandate show ${word(run.runId)}`} />
    </aside>
  )
}

interface Waiting {
  readonly pending?: readonly { readonly approvalId?: string; readonly key: string; readonly reason: string }[]
}

/** What a suspended run waits for, with where it is answered. */
function Pending({ data, runId }: { readonly data: unknown; readonly runId: string }): ReactNode {
  const { pending = [] } = (data ?? {}) as Waiting
  return (
    <ul className="stack">
      {pending.map(({ approvalId, key, reason }) => (
        <li key={key} className="line">
          <Status of={reason === 'in-doubt' ? 'doubt' : 'waits'} note={reason} />
          <code>{visible(key)}</code>
          {approvalId === undefined ? null : (
            <Link to="/inbox" search={{ item: approvalId }}>
              {reason === 'in-doubt' ? 'say whether it happened' : 'decide in the inbox'}
            </Link>
          )}
          {approvalId === undefined ? <CliTwin command={`mandate resume ${word(runId)}`} /> : null}
        </li>
      ))}
    </ul>
  )
}
