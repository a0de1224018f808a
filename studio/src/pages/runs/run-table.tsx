import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import type { RunInfo } from '../../api/types.ts'
import { ago, count, duration, money, moneyDigits, timeOf, visible } from '../../parts/format.ts'
import { oneLine } from '../../parts/markdown/one-line.ts'
import { Status } from '../../parts/status.tsx'
import { runGroups } from './run-groups.ts'
import type { RunGroup } from './run-groups.ts'
import type { RunFacts } from './use-runs.ts'
import { TableHeads } from '../../parts/table-heads.tsx'
import styles from './runs.module.css'

interface TableProps {
  readonly runs: readonly RunInfo[]
  readonly facts: Readonly<Record<string, RunFacts>>
  /** The run selected for a comparison with another one. */
  readonly marked: string | undefined
}

/** A table of runs with their input, state and cost. Grouped runs are collapsed under their owner. */
export function RunTable({ runs, facts, marked }: TableProps): ReactNode {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const digits = moneyDigits(Object.values(facts).map((each) => each.money))
  const groups = runGroups(runs)
  const toggle = (id: string): void => {
    const next = new Set(opened)
    if (!next.delete(id)) next.add(id)
    setOpened(next)
  }
  const lines = groups.flatMap(({ run, members }) => [
    { run, members, isMember: false },
    ...(opened.has(run.id) ? members.map((member) => ({ run: member, members: [], isMember: true })) : []),
  ])
  return (
    <div className={`panel scroll ${styles['table']}`}>
      <table>
        <TableHeads texts={['Run', 'Asked', 'State']} numbers={['Cost', 'Entries', 'Took']} more={['Started']} />
        <tbody>
          {lines.map((line, index) => (
            <RunLine
              key={line.run.id}
              {...line}
              index={index}
              isMarked={line.run.id === marked}
              facts={facts[line.run.id]}
              digits={digits}
              isOpen={opened.has(line.run.id)}
              toggle={() => toggle(line.run.id)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface LineProps extends RunGroup {
  readonly isMember: boolean
  readonly index: number
  readonly isMarked: boolean
  readonly facts: RunFacts | undefined
  readonly digits: number
  readonly isOpen: boolean
  readonly toggle: () => void
}

function RunLine({ run, members, isMember, index, isMarked, facts, digits, isOpen, toggle }: LineProps): ReactNode {
  const asked = visible(oneLine(facts?.asked ?? ''))
  const failure = run.state === 'failed' ? facts?.failure : undefined
  const problem = run.damage ?? failure?.message
  const lasted = Math.max(0, run.updatedAt - run.createdAt)
  return (
    <tr data-member={isMember}>
      <td>
        <Link
          to="/runs/$runId"
          params={{ runId: run.id }}
          data-row={index}
          data-run={run.id}
          className={styles['name']}
        >
          <strong>{visible(run.name)}</strong>{' '}
          <span className="mono muted" title={run.id}>
            {run.id}
          </span>
        </Link>
        {members.length === 0 ? null : (
          <button type="button" className={`chip ${styles['members']}`} aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? '▾' : '▸'} {members.length}{' '}
            {run.kind === 'cell' ? 'earlier' : members.length === 1 ? 'run' : 'runs'}
          </button>
        )}
        {isMarked ? (
          <span role="status" className={styles['marked']}>
            marked: <kbd>x</kbd> on another run compares the two
          </span>
        ) : null}
        <span className={styles['brief']}>{asked}</span>
      </td>
      <td className={styles['asked']} title={asked} dir="auto">
        {asked}
      </td>
      <td title={problem === undefined ? undefined : visible(problem)}>
        {run.damage === undefined ? (
          <Status
            of={run.suspendReason === 'in-doubt' ? 'doubt' : run.state}
            note={run.suspendReason === 'in-doubt' ? undefined : (run.suspendReason ?? failure?.code)}
            isQuiet
          />
        ) : (
          <Status of="damaged" />
        )}
      </td>
      <td className="number">{facts === undefined ? '' : money(facts.money, digits)}</td>
      <td className="number">{count(run.entries)}</td>
      <td className="number" title={`${duration(lasted)} from its first entry to its last one`}>
        {facts === undefined ? '' : duration((run.state === 'running' ? undefined : facts.activeMs) ?? lasted)}
      </td>
      <td title={new Date(run.createdAt).toISOString()}>
        {timeOf(run.createdAt)} <span className="muted">{ago(run.createdAt)}</span>
      </td>
    </tr>
  )
}
