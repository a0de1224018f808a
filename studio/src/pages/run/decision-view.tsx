import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { allLabels } from '../../../../src/core/labels.ts'
import type { Decision, EffectRequest } from '../../../../src/journal/index.ts'
import { post } from '../../api/client.ts'
import type { RunStore } from '../../journal/run-store.ts'
import { useEntry } from '../../journal/use-run.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { word } from '../../parts/commands.ts'
import { visible } from '../../parts/format.ts'
import { Problem } from '../../parts/message.tsx'
import { Risk } from '../../parts/status.tsx'
import styles from './entry-panel.module.css'

export function decisionIn(data: unknown): Decision | undefined {
  return (data as { readonly decision?: Decision } | null | undefined)?.decision
}

interface DecisionProps {
  readonly decision: Decision
  readonly run: RunStore
  readonly seq: number
}

/** The rule and reason of a decision; when opened, the current decision about the same call, and how to change it. */
export function DecisionView({ decision, run, seq }: DecisionProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  return (
    <section className={styles['decision']} data-verdict={decision.verdict}>
      <div className="line">
        <h3>Gate: {decision.verdict}</h3>
        <Risk of={decision.risk} />
      </div>
      <p>{visible(decision.reason)}</p>
      <p className="muted">
        rule <code>{visible(decision.rule)}</code>
        {decision.code === undefined ? null : <> · {decision.code}</>}
      </p>
      {decision.standing === undefined ? null : (
        <p>
          Let pass by the approval <code>{visible(decision.standing)}</code>, which was given as a rule (
          <Link to="/inbox" search={{ item: decision.standing }}>
            who gave it
          </Link>
          , <Link to="/policy">all such approvals</Link>).
        </p>
      )}
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>What would change it</summary>
        {isOpen ? <Changes decision={decision} run={run} seq={seq} /> : null}
      </details>
      <CliTwin command={`mandate policy explain ${word(run.runId)} ${seq}`} />
    </section>
  )
}

/** How to change a decision, by the guard that made it. */
const ADVICE: Readonly<Record<string, string>> = {
  rules: 'An input that does not match the condition of the rule, or another rule in the mandate.',
  flow: 'Data from a trusted source in that place, an exception (`unless`) for known places, or `then: "ask"` in the flow rule.',
  risk: 'A lower risk that the definition of the tool declares, or another profile in the mandate.',
  profile: 'Another profile in the mandate, or an approval.',
  allowlist: 'Adding the name to `allow` of the mandate, or removing it from `deny`.',
  schema: 'An input that matches the schema of the tool.',
  role: 'A caller with a role that has the permission.',
  intent: 'A declared intent that matches the call.',
  rate: 'Time: the limit counts calls over a period.',
  content: 'A text without what the filter found.',
  budget: 'A larger budget: resume or fork the run with `--budget`.',
  overseer: 'A person who resets the overseer, after a look at what the run does.',
  gate: 'No guard objected. A rule, a flow rule or a budget in the mandate would change that.',
}

interface Explained {
  readonly decision: Decision
  readonly opinions: readonly { readonly guard: string; readonly verdict: string; readonly reason?: string }[]
}

function Changes({ decision, run, seq }: DecisionProps): ReactNode {
  const { entry, error } = useEntry(run.runId, seq)
  const call = entry?.data as EffectRequest | undefined
  const guard = decision.rule.split('/')[0]!
  return (
    <div className="stack">
      {ADVICE[guard] === undefined ? null : <p>{ADVICE[guard]}</p>}
      {decision.verdict === 'ask' ? <p>An approval: for this call, for this run, or as a rule.</p> : null}
      {error === undefined ? null : <Problem of={error} />}
      {call?.kind === 'tool' ? <Asked call={call} agent={run.fold.start?.name} /> : null}
    </div>
  )
}

/** Tests the same call with the current gate of this server, without making the call. */
function Asked({ call, agent }: { readonly call: EffectRequest; readonly agent: string | undefined }): ReactNode {
  const labels = call.labels === undefined ? [] : allLabels(call.labels)
  const now = useExplained(call, agent, labels)
  const clean = useExplained(call, agent, [])
  const input = JSON.stringify(call.input)
  return (
    <>
      {now.error === null ? null : <Problem of={now.error} />}
      <table>
        <caption className="hidden-visually">The gate's decision about this call now</caption>
        <tbody>
          <Said what="This call now" of={now.data} />
          {labels.length === 0 ? null : <Said what="From clean data" of={clean.data} />}
        </tbody>
      </table>
      {now.data === undefined ? null : (
        <ul className="muted">
          {now.data.opinions
            .filter(({ verdict }) => verdict !== 'silent')
            .map(({ guard, verdict, reason }, index) => (
              <li key={index}>
                {guard}: {verdict}. {visible(reason ?? '')}
              </li>
            ))}
        </ul>
      )}
      <Link
        to="/policy"
        search={{
          tool: call.name,
          ...(agent === undefined ? {} : { agent }),
          ...(input.length < 1_500 ? { input } : {}),
          ...(labels.length === 0 ? {} : { labels: labels.join(',') }),
        }}
      >
        Try another input on the policy bench
      </Link>
    </>
  )
}

function Said({ what, of }: { readonly what: string; readonly of: Explained | undefined }): ReactNode {
  return (
    <tr>
      <th scope="row">{what}</th>
      <td>
        {of === undefined ? (
          '…'
        ) : (
          <>
            <strong>{of.decision.verdict}</strong> by <code>{visible(of.decision.rule)}</code>
          </>
        )}
      </td>
    </tr>
  )
}

function useExplained({ name, input }: EffectRequest, agent: string | undefined, labels: readonly string[]) {
  return useQuery({
    queryKey: ['explained', name, input, agent, labels],
    retry: 0,
    queryFn: () =>
      post<Explained>('/api/policy/test', {
        tool: name,
        input,
        ...(agent === undefined ? {} : { agent }),
        ...(labels.length === 0 ? {} : { labels }),
      }),
  })
}
