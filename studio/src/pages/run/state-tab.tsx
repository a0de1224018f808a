import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { RunFold } from '../../../../src/journal/run-fold.ts'
import { foldable } from '../../journal/run-store.ts'
import type { RunStore } from '../../journal/run-store.ts'
import { JsonView } from '../../parts/json-view.tsx'
import type { TabProps } from './run.tsx'
import styles from './state-tab.module.css'

/** The state of the run as of the selected entry, beside what it was one entry before. */
export function StateTab({ run, at }: TabProps): ReactNode {
  const size = run.entries.length
  const now = useMemo(() => stateAt(run, at), [run, at, size])
  const before = useMemo(() => stateAt(run, at - 1), [run, at, size])
  return (
    <div className={styles['state']}>
      <p className="muted">As of entry #{at}. What it was one entry before is struck through.</p>
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
                  {isChanged ? (
                    <del>
                      <JsonView value={old ?? null} open={0} />
                    </del>
                  ) : null}
                  <JsonView value={value ?? null} open={isChanged ? 3 : 1} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/** Folded by the same code as the runtime's. */
function stateAt(run: RunStore, at: number): Record<string, unknown> {
  const fold = new RunFold()
  for (const light of run.entries.slice(0, Math.max(0, at)))
    if (light.data !== null) fold.apply(foldable(light, run.runId))
  return {
    state: fold.state,
    suspended: fold.suspend,
    ended: fold.end,
    spent: fold.spent,
    budget: fold.budget,
    'active ms': fold.activeMs,
    'effects under way': [...fold.openStarts],
    'waiting for a person': fold.pending().map(({ key, data }) => ({ key, name: data.name, text: data.text })),
    'standing approvals': fold.standing,
    notes: Object.fromEntries([...fold.notes].map(([key, { value }]) => [key, value])),
    messages: [...fold.messages.values()].map(({ message }) => message),
    effects: fold.effects.size,
  }
}
