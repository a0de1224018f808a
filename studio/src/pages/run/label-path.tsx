import type { ReactNode } from 'react'
import type { RunStore } from '../../journal/run-store.ts'
import type { RowStatus } from '../../journal/timeline-rows.ts'
import { visible } from '../../parts/format.ts'
import type { TabProps } from './run.tsx'
import styles from './label-path.module.css'

/** The description of calls that the data did not reach. */
const REACHED: { readonly [S in RowStatus]?: string } = {
  denied: 'the gate kept it out',
  waits: 'waits for a person',
}

interface Stop {
  readonly seq: number
  readonly text: string
}

/** The path of untrusted data to the selected effect: all previous effects whose outcome carried the label. */
export function LabelPath({ run, at, select }: Pick<TabProps, 'run' | 'at' | 'select'>): ReactNode {
  const row = run.rows.atSeq(at)
  if (row === undefined || !row.isLabelled) return null
  const labels = labelsAt(run, row.key)
  if (labels.length === 0) return null
  return (
    <section className="stack">
      <h3 className="muted">Made from</h3>
      {labels.map((label) => (
        <div key={label} className={styles['path']}>
          <code>{label}</code>
          <ol>
            {stopsOf(run, label, row.seq).map(({ seq, text }, index) => (
              <li key={seq}>
                <span className={styles['role']}>{index === 0 ? 'source' : 'through'}</span>
                <button type="button" className="quiet" onClick={() => select(seq)}>
                  #{seq} {visible(text)}
                </button>
              </li>
            ))}
            <li>
              <span className={styles['role']}>sink</span>
              <span>
                <strong>{visible(row.name)}</strong> {placesOf(run, row.key, label).join(', ')}{' '}
                <span className="muted">{REACHED[row.status] ?? 'got it'}</span>
              </span>
            </li>
          </ol>
        </div>
      ))}
    </section>
  )
}

/** Returns all labels of an effect's entries, wherever they are in its input. */
function labelsAt(run: RunStore, key: string): readonly string[] {
  const found = new Set<string>()
  for (const entry of run.entries)
    if (entry.key === key) collect((entry.data as { readonly labels?: unknown } | null)?.labels, found)
  return [...found]
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value === 'string') found.add(value)
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) collect(each, found)
}

function stopsOf(run: RunStore, label: string, before: number): readonly Stop[] {
  return run.entries.flatMap(({ seq, type, key, data }) => {
    if (seq >= before || type !== 'effect-end' || key === undefined) return []
    const { labels = [] } =
      (data as { readonly outcome?: { readonly labels?: readonly string[] } } | null)?.outcome ?? {}
    return labels.includes(label)
      ? [{ seq, text: `${run.rows.get(key)?.kind ?? ''} ${run.rows.get(key)?.name ?? key}` }]
      : []
  })
}

/** Returns the paths in the input that carry the label, if the entries contain them. */
function placesOf(run: RunStore, key: string, label: string): readonly string[] {
  const labels = run.entries.find((entry) => entry.key === key && (entry.data as Labelled | null)?.labels !== undefined)
  const { at = {} } = (labels?.data as Labelled | null)?.labels ?? {}
  return Object.entries(at).flatMap(([place, found]) =>
    found.includes(label) ? [place === '' ? 'all of it' : place] : [],
  )
}

interface Labelled {
  readonly labels?: { readonly at?: Readonly<Record<string, readonly string[]>> }
}
