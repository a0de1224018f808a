import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useEntry } from '../../journal/use-run.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { budgetLeft } from '../../parts/budget.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { word } from '../../parts/commands.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { timeOf, visible } from '../../parts/format.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { hasPreview } from '../../parts/preview.ts'
import { Problem } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'
import { useSettled } from '../../parts/use-settled.ts'
import { childId } from '../../../../src/run/nested/child-id.ts'
import { runStore } from '../../journal/run-store.ts'
import type { RunStore } from '../../journal/run-store.ts'
import { hasRun } from './timeline-lines.ts'
import { AnswerView, AnswersView } from './answer-view.tsx'
import { DecisionView, decisionIn } from './decision-view.tsx'
import { entryParts } from './entry-parts.ts'
import { OutcomeView, isDenied, outcomeIn } from './outcome-view.tsx'
import { LabelPath } from './label-path.tsx'
import type { TabProps } from './run.tsx'
import styles from './entry-panel.module.css'

/** Time for which an entry must stay the last one before its details are shown. */
const SETTLED_MS = 300

/** The selected entry: its content, and the decision of the gate about its effect. */
export function EntryPanel({
  run,
  at,
  select,
  isFollowing,
  fork,
}: TabProps & { readonly fork: () => void }): ReactNode {
  const loaded = run.at(at)
  const [whole, setWhole] = useState('')
  // While entries arrive quickly only their names are shown, so that the layout does not jump for details that disappear at once.
  const isSettled = useSettled(`${run.runId} ${at}`, SETTLED_MS)
  const isPassing = isFollowing && run.state === 'running' && !isSettled
  const isWhole = whole === `${run.runId} ${at}`
  const { entry, error } = useEntry(run.runId, isPassing || at === 0 ? undefined : at, isWhole ? 'whole' : 'preview')
  // The last entry of a long run can be loaded before the entries between.
  const light = loaded ?? entry
  const effect = light?.key === undefined ? undefined : run.fold.effects.get(light.key)
  const asked = effect?.approvals.at(-1)
  const data = entry?.data ?? light?.data
  useShortcuts({ copyJson: () => void navigator.clipboard.writeText(JSON.stringify(entry, undefined, 2)) })
  if (light === undefined) return <aside className={styles['panel']} aria-label="Selected entry" />
  const head = (
    <div className="line">
      <h2>#{light.seq}</h2>
      <code>{light.type}</code>
      <span className="muted">{timeOf(light.at)}</span>
    </div>
  )
  if (isPassing)
    return (
      <aside className={styles['panel']} aria-label="Selected entry">
        {head}
      </aside>
    )
  const row = run.rows.atSeq(at)
  const decided = row?.decidedSeq === undefined ? undefined : run.at(row.decidedSeq)
  const child = row !== undefined && hasRun(row) ? runStore(childId(run.runId, row.key)) : undefined
  // The remaining budget is only known at the end of the run.
  const left = at >= run.entries.length && !run.isPartial ? budgetLeft(run.fold) : ''
  const decision = decisionIn(data) ?? decisionIn(decided?.data)
  return (
    <aside className={styles['panel']} aria-label="Selected entry">
      {head}
      {light.key === undefined ? null : <code className="muted">{visible(light.key)}</code>}
      {error === undefined ? null : <Problem of={error} />}
      {/* The decision shown below has the reason of the denial. */}
      {decision !== undefined && isDenied(data) ? null : <OutcomeView of={outcomeIn(data)} />}
      {decision === undefined ? null : <DecisionView decision={decision} run={run} seq={decided?.seq ?? light.seq} />}
      {light.key === undefined || light.type === 'message-append' ? null : <AnswersView run={run} of={light.key} />}
      {light.type === 'approval-response' ? <Answer run={run} seq={light.seq} /> : null}
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
      {asked !== undefined && asked.response === undefined && run.damage === undefined ? (
        <p>
          <Status of={asked.data.reason === 'in-doubt' ? 'doubt' : 'waits'} /> {visible(asked.data.text)}{' '}
          <Link to="/inbox" search={{ item: `${run.runId}-ap${asked.seq}` }}>
            open in the inbox <kbd>i</kbd>
          </Link>
        </p>
      ) : null}
      {light.type === 'run-suspend' && run.damage === undefined ? <Pending data={data} runId={run.runId} /> : null}
      {left === '' ? null : <p className="muted">Left of the budget: {left}.</p>}
      <EntryText data={data} />
      <section className="stack">
        {!isWhole && hasPreview(data) ? (
          <button type="button" onClick={() => setWhole(`${run.runId} ${at}`)}>
            load all of this entry
          </button>
        ) : null}
      </section>
      <div className="line">
        <button type="button" disabled={run.damage !== undefined} onClick={fork}>
          fork here <kbd>f</kbd>
        </button>
        <CopyButton text={() => JSON.stringify(entry ?? light, undefined, 2)} label="Copy the entry as JSON" />
      </div>
      <CliTwin command={`mandate show ${word(run.runId)}`} />
    </aside>
  )
}

/** The entry of an answer: what it was about, and what was answered. */
function Answer({ run, seq }: { readonly run: RunStore; readonly seq: number }): ReactNode {
  const answer = run.answers.find((each) => each.seq === seq)
  if (answer === undefined) return null
  return <AnswerView run={run} answer={answer} name={run.fold.approvals.get(answer.data.request)?.data.name} />
}

/** The input and output of an entry before its other fields; the recorded JSON is one click away. */
function EntryText({ data }: { readonly data: unknown }): ReactNode {
  const { main, facts } = entryParts(data)
  return (
    <>
      {main.map(([title, value]) => (
        <section key={title} className="stack" aria-label={title}>
          <h3 className="muted">{title}</h3>
          <JsonView value={value} open={3} />
        </section>
      ))}
      {Object.keys(facts).length === 0 ? null : (
        <section className="stack" aria-label="Facts">
          <h3 className="muted">Facts</h3>
          <JsonView value={facts} />
        </section>
      )}
      <details>
        <summary className="muted">As recorded</summary>
        <JsonView value={data} />
      </details>
    </>
  )
}

interface Waiting {
  readonly pending?: readonly { readonly approvalId?: string; readonly key: string; readonly reason: string }[]
}

/** The requests that a suspended run waits for, with links to answer them. */
function Pending({ data, runId }: { readonly data: unknown; readonly runId: string }): ReactNode {
  const { pending = [] } = (data ?? {}) as Waiting
  return (
    <ul className="stack">
      {pending.map(({ approvalId, key, reason }) => (
        <li key={key} className="line">
          <Status of={reason === 'in-doubt' ? 'doubt' : 'waits'} note={reason === 'in-doubt' ? undefined : reason} />
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
