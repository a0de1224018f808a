import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { count, visible } from '../../parts/format.ts'
import { Status } from '../../parts/status.tsx'
import { TableHeads } from '../../parts/table-heads.tsx'
import styles from './doctor.module.css'

/** The response of `GET /api/audit`. */
export interface AuditReport {
  readonly ok: boolean
  readonly runs: number
  readonly entries: number
  readonly erased: number
  readonly incidents: readonly { readonly run: string; readonly problem: string }[]
  readonly blocked: readonly {
    readonly run: string
    readonly seq: number
    readonly kind: string
    readonly name: string
    readonly how: string
    readonly rule: string
    readonly reason: string
    readonly by?: string
  }[]
}

/** The result of checking every run: first the problems, then what the gate and people blocked or changed. */
export function AuditView({
  of: { ok, runs, entries, erased, incidents, blocked },
}: {
  readonly of: AuditReport
}): ReactNode {
  return (
    <>
      <p role="status" className="line">
        <Status of={ok ? 'ok' : 'failed'} />
        <span>
          {count(runs)} runs and {count(entries)} entries were read
          {erased === 0 ? '' : `, ${count(erased)} of them erased`}.{' '}
          {incidents.length === 0 ? 'Every hash chain is intact.' : `${count(incidents.length)} do not hold.`}
        </span>
      </p>
      {incidents.length === 0 ? null : (
        <Table title="What is wrong" columns={['Run', 'Problem']}>
          {incidents.map(({ run, problem }, index) => (
            <tr key={index}>
              <td>
                <RunLink run={run} />
              </td>
              <td className={styles['reason']}>{visible(problem)}</td>
            </tr>
          ))}
        </Table>
      )}
      {blocked.length === 0 ? (
        <p className="muted">Nothing was stopped or changed.</p>
      ) : (
        <Table title="What was stopped or changed" columns={['Run', 'Call', 'How', 'Rule', 'Why']}>
          {blocked.map(({ run, seq, kind, name, how, rule, reason, by }) => (
            <tr key={`${run} ${seq}`}>
              <td>
                <RunLink run={run} seq={seq} />
              </td>
              <td>
                {kind} <strong>{visible(name)}</strong>
              </td>
              <td>{by === undefined ? how : `${how} by ${visible(by)}`}</td>
              <td>
                <code>{visible(rule)}</code>
              </td>
              <td className={styles['reason']}>{visible(reason)}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  )
}

function RunLink({ run, seq }: { readonly run: string; readonly seq?: number }): ReactNode {
  return (
    <Link to="/runs/$runId" params={{ runId: run }} search={seq === undefined ? {} : { at: seq }} className="mono">
      {visible(run)}
      {seq === undefined ? '' : ` #${seq}`}
    </Link>
  )
}

interface TableProps {
  readonly title: string
  readonly columns: readonly string[]
  readonly children: ReactNode
}

function Table({ title, columns, children }: TableProps): ReactNode {
  return (
    <>
      <h3>{title}</h3>
      <div className="scroll" tabIndex={0}>
        <table aria-label={title}>
          <TableHeads texts={columns} />
          <tbody>{children}</tbody>
        </table>
      </div>
    </>
  )
}
