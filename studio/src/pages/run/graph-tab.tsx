import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { foldable } from '../../journal/run-store.ts'
import type { RunStore } from '../../journal/run-store.ts'
import { TimelineRows, worstStatus } from '../../journal/timeline-rows.ts'
import type { Row } from '../../journal/timeline-rows.ts'
import { useEntry } from '../../journal/use-run.ts'
import { Empty } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'
import { NODE_HEIGHT, NODE_WIDTH, activationsOf, placed } from './graph-layout.ts'
import type { BlueprintView } from './graph-layout.ts'
import type { TabProps } from './run.tsx'
import styles from './graph-tab.module.css'

/** The graph at the start of the run, with the status of its nodes at the selected entry. */
export function GraphTab({ run, at, select }: TabProps): ReactNode {
  const { entry } = useEntry(run.runId, 1)
  const blueprint = (entry?.data as { pins?: { mind?: { blueprint?: BlueprintView } } } | undefined)?.pins?.mind
    ?.blueprint
  const { rows, notes } = useMemo(() => standAt(run, at), [run, at, run.entries.length])
  const plan = useMemo(() => (blueprint === undefined ? undefined : placed(blueprint)), [blueprint])
  if (plan === undefined)
    return entry === undefined ? null : (
      <div className="page">
        <Empty title="This run has no graph">
          <p>Runs of graphs show their nodes here, each with its outcome.</p>
        </Empty>
      </div>
    )
  return (
    <div className={styles['box']}>
      <div className={styles['plan']} style={{ width: plan.width, height: plan.height }}>
        <svg width={plan.width} height={plan.height} aria-hidden="true">
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto-start-reverse"
            >
              <path d="M0 0 8 4 0 8z" fill="var(--ink-2)" />
            </marker>
          </defs>
          {plan.edges.map(({ from, to, label, points }, index) => (
            <g key={index}>
              <path
                className={styles['edge']}
                d={`M${points.map(({ x, y }) => `${x} ${y}`).join('L')}`}
                markerEnd="url(#arrow)"
              />
              {label === '' ? null : (
                <text
                  x={points[Math.floor(points.length / 2)]!.x + 4}
                  y={points[Math.floor(points.length / 2)]!.y}
                  className={styles['label']}
                >
                  {label}
                </text>
              )}
              <title>
                {from} to {to}
              </title>
            </g>
          ))}
        </svg>
        <ul aria-label="Nodes">
          {plan.nodes.map(({ name, kind, x, y }) => {
            const activations = activationsOf(rows, name)
            // A node without effects, such as a router, leaves only a note with its output.
            const isDone = notes.some((key) => key.startsWith(`node:${name}:`))
            const status = worstStatus(activations) ?? (isDone ? 'ok' : undefined)
            return (
              <li
                key={name}
                className={styles['node']}
                data-kind={kind}
                style={{ left: x - NODE_WIDTH / 2, top: y - NODE_HEIGHT / 2, width: NODE_WIDTH, height: NODE_HEIGHT }}
              >
                <button
                  type="button"
                  disabled={activations.length === 0}
                  onClick={() => select(activations.at(-1)!.lastSeq)}
                >
                  <strong>{name}</strong>
                  <span className="line">
                    {name.toLowerCase() === kind ? null : <span className="muted">{kind}</span>}
                    {status === undefined ? null : (
                      <Status of={status} note={activations.length > 1 ? `×${activations.length}` : undefined} />
                    )}
                  </span>
                </button>
              </li>
            )
          })}
        </ul>
      </div>
    </div>
  )
}

/** Returns the rows and notes of a run as of an entry. */
function standAt(run: RunStore, at: number): { readonly rows: readonly Row[]; readonly notes: readonly string[] } {
  const notes = [...run.fold.notes].flatMap(([key, { seq }]) => (seq <= at ? [key] : []))
  if (at >= run.entries.length) return { rows: [...run.rows.roots], notes }
  const rows = new TimelineRows()
  for (const entry of run.entries.slice(0, at)) if (entry.data !== null) rows.apply(foldable(entry, run.runId))
  rows.settle()
  return { rows: rows.roots, notes }
}
