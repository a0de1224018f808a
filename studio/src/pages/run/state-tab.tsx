import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { ChangeView } from './change-view.tsx'
import { stateAt } from './state-at.ts'
import { JsonView } from '../../parts/json-view.tsx'
import type { TabProps } from './run.tsx'
import styles from './state-tab.module.css'

/** The state of the run as of the selected entry, compared with one entry before. */
export function StateTab({ run, at: selected }: TabProps): ReactNode {
  const size = run.entries.length
  // The state can only be computed from loaded entries.
  const at = Math.min(selected, size)
  const now = useMemo(() => stateAt(run, at), [run, at, size])
  const before = useMemo(() => stateAt(run, at - 1), [run, at, size])
  return (
    <div className={styles['state']}>
      <p className="muted">As of entry #{at}. What it was one entry before is struck through, what is new is marked.</p>
      <table>
        <tbody>
          {Object.entries(now).map(([name, value]) => {
            const text = JSON.stringify(value)
            const old = before[name]
            const isChanged = at > 1 && JSON.stringify(old) !== text
            return (
              <tr key={name} data-changed={isChanged}>
                <th scope="row">{name}</th>
                <td>
                  {isChanged ? <ChangeView before={old} now={value} /> : <JsonView value={value ?? null} open={1} />}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
