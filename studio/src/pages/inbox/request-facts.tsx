import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRun } from '../../journal/use-run.ts'
import type { WaitingItem } from '../../api/types.ts'
import { budgetLeft } from '../../parts/budget.ts'
import { ago, timeOf, visible } from '../../parts/format.ts'
import { LabelPath } from '../run/label-path.tsx'

/** The origin of a request: the rule, the agent, the model that made the call, and the sources of its data. */
export function WhyAndWho({ request }: { readonly request: WaitingItem }): ReactNode {
  const navigate = useNavigate()
  const run = useRun(request.run)
  const row = run.rows.get(request.key)
  const model = run.rows.all().findLast(({ kind }) => kind === 'model')?.name
  return (
    <>
      <dt>WHY</dt>
      <dd>
        {visible(request.text)}
        {request.rule === undefined ? null : (
          <span className="muted">
            {' '}
            rule <code>{visible(request.rule)}</code>
          </span>
        )}
        {row === undefined ? null : (
          <LabelPath
            run={run}
            at={row.lastSeq}
            select={(at) => void navigate({ to: '/runs/$runId', params: { runId: request.run }, search: { at } })}
          />
        )}
      </dd>
      <dt>WHO</dt>
      <dd>
        {run.fold.start === undefined ? null : <strong>{visible(run.fold.start.name)}</strong>}
        {model === undefined ? ' ' : ` with ${visible(model)}, `}
        <Link to="/runs/$runId" params={{ runId: request.run }}>
          {request.run}
        </Link>{' '}
        <code className="muted">{visible(request.key)}</code>{' '}
        {request.at === undefined ? null : (
          <span className="muted" title={timeOf(request.at)}>
            {ago(request.at)}
          </span>
        )}
      </dd>
    </>
  )
}

/** The effect of an answer, and the remaining budget of the run. */
export function After({ request }: { readonly request: WaitingItem }): ReactNode {
  const left = budgetLeft(useRun(request.run).fold)
  return (
    <>
      <dt>AFTER</dt>
      <dd>
        The run continues from here
        {request.expiresAt === undefined ? '.' : `; unanswered, the request expires ${timeOf(request.expiresAt)}.`}
        {left === '' ? null : <span className="muted"> Left of its budget: {left}.</span>}
      </dd>
    </>
  )
}
