import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { get, post } from '../../api/client.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { timeOf, visible } from '../../parts/format.ts'
import { Problem } from '../../parts/message.tsx'
import { useReadOnly } from '../../parts/read-only.tsx'
import { TableHeads } from '../../parts/table-heads.tsx'
import styles from './policy.module.css'

/** An approval that applies to all runs, as returned by `GET /api/standing-approvals`. */
interface Standing {
  readonly id: string
  readonly tool: string
  readonly rules: readonly string[]
  readonly mind: string
  readonly by: { readonly id: string }
  readonly expiresAt: number
}

const KEY = ['standing-approvals']

/** The standing rules created by approvals, until they expire or are revoked. */
export function StandingApprovals(): ReactNode {
  const { data, error } = useQuery({
    queryKey: KEY,
    retry: 0,
    queryFn: ({ signal }) => get<{ readonly approvals: readonly Standing[] }>('/api/standing-approvals', {}, signal),
  })
  return (
    <section className={`panel stack ${styles['form']}`} aria-label="Standing approvals">
      <h2>Standing approvals</h2>
      {error === null ? null : <Problem of={error} />}
      {data?.approvals.length === 0 ? (
        <p className="muted">None. Each call that a rule asks about waits for a person.</p>
      ) : null}
      {data === undefined || data.approvals.length === 0 ? null : (
        <div className="scroll" tabIndex={0}>
          <table>
            <TableHeads texts={['Allows', 'Asked by', 'For', 'Given by', 'Ends', '']} />
            <tbody>
              {data.approvals.map((one) => (
                <Line key={one.id} of={one} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <CliTwin command="mandate approvals" />
    </section>
  )
}

function Line({ of: { id, tool, rules, mind, by, expiresAt } }: { readonly of: Standing }): ReactNode {
  const queries = useQueryClient()
  const isReadOnly = useReadOnly()
  const revoke = useMutation({
    mutationFn: () => post(`/api/standing-approvals/${encodeURIComponent(id)}/revoke`),
    onSuccess: () => queries.invalidateQueries({ queryKey: KEY }),
  })
  return (
    <tr>
      <td>
        <strong>{visible(tool)}</strong>
      </td>
      <td>
        {/* The number of the mandate before the rule is of no use to readers. */}
        <code>{visible(rules.map((rule) => rule.replace(/^\d+:/, '')).join(', '))}</code>
      </td>
      <td>{visible(mind)}</td>
      <td>{visible(by.id)}</td>
      <td>{timeOf(expiresAt)}</td>
      <td>
        <button
          type="button"
          className="danger"
          disabled={isReadOnly || revoke.isPending}
          title={
            isReadOnly ? 'This server is read-only.' : `The next such call asks again, as after: mandate revoke ${id}`
          }
          onClick={() => revoke.mutate()}
        >
          Revoke
        </button>
        {revoke.error === null ? null : <Problem of={revoke.error} />}
      </td>
    </tr>
  )
}
