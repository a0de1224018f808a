import type { ReactNode } from 'react'
import type { Decision } from '../../../../src/journal/index.ts'
import { useEntry } from '../../journal/use-run.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { CliTwin, word } from '../../parts/cli-twin.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { timeOf } from '../../parts/format.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Problem } from '../../parts/message.tsx'
import { Risk, Status } from '../../parts/status.tsx'
import { LabelPath } from './label-path.tsx'
import type { TabProps } from './run.tsx'
import styles from './entry-panel.module.css'

/** The selected entry: what it says, and what the gate decided about the effect it belongs to. */
export function EntryPanel({ run, at, select, fork }: TabProps & { readonly fork: () => void }): ReactNode {
  const light = run.at(at)
  const { entry, error } = useEntry(run.runId, light === undefined ? undefined : at)
  const effect = light?.key === undefined ? undefined : run.fold.effects.get(light.key)
  const asked = effect?.approvals.at(-1)
  const data = entry?.data ?? light?.data
  useShortcuts({ copyJson: () => void navigator.clipboard.writeText(JSON.stringify(entry, undefined, 2)) })
  if (light === undefined) return <aside className={styles['panel']} aria-label="Selected entry" />
  const decided = run.entries.findLast(
    ({ key, data: said }) => light.key !== undefined && key === light.key && decisionIn(said) !== undefined,
  )
  const decision = decisionIn(data) ?? decisionIn(decided?.data)
  return (
    <aside className={styles['panel']} aria-label="Selected entry">
      <div className="line">
        <h2>#{light.seq}</h2>
        <code>{light.type}</code>
        <span className="muted">{timeOf(light.at)}</span>
      </div>
      {light.key === undefined ? null : <code className="muted">{light.key}</code>}
      {error === undefined ? null : <Problem of={error} />}
      {decision === undefined ? null : (
        <DecisionView decision={decision} runId={run.runId} seq={decided?.seq ?? light.seq} />
      )}
      <LabelPath {...{ run, at, select }} />
      {asked !== undefined && asked.response === undefined ? (
        <p>
          <Status of={asked.data.reason === 'in-doubt' ? 'doubt' : 'waits'} /> {asked.data.text}{' '}
          <a href={`/inbox?item=${encodeURIComponent(`${run.runId}-ap${asked.seq}`)}`}>open in the inbox</a>
        </p>
      ) : null}
      <section className="stack">
        <h3 className="muted">What it says</h3>
        <JsonView value={data} />
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

function decisionIn(data: unknown): Decision | undefined {
  return (data as { readonly decision?: Decision } | null | undefined)?.decision
}

/** Which rule decided, why, and how to ask what would change it. */
function DecisionView({
  decision,
  runId,
  seq,
}: {
  readonly decision: Decision
  readonly runId: string
  readonly seq: number
}): ReactNode {
  return (
    <section className={styles['decision']} data-verdict={decision.verdict}>
      <div className="line">
        <h3>Gate: {decision.verdict}</h3>
        <Risk of={decision.risk} />
      </div>
      <p>{decision.reason}</p>
      <p className="muted">
        rule <code>{decision.rule}</code>
        {decision.code === undefined ? null : <> · {decision.code}</>}
      </p>
      <CliTwin command={`mandate policy explain ${word(runId)} ${seq}`} />
    </section>
  )
}
