import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import type { LightEntry, RunStore } from '../../journal/run-store.ts'
import { emptied, useColours } from './canvas-colours.ts'
import styles from './scrubber.module.css'

const HEIGHT = 18
const KNOB = 8
/** Ranks of entries, worst first. A column with several entries shows the worst one. */
const RANKS = ['doubt', 'failed', 'denied', 'waits', 'unknown', 'cancelled', 'ok', 'plain'] as const
type Rank = (typeof RANKS)[number]
const TALL: ReadonlySet<Rank> = new Set(['doubt', 'failed', 'denied', 'waits', 'unknown'])

/** All entries of the run as vertical lines, aligned with the range input below, so that problems are visible. */
export function Minimap({ run, at }: { readonly run: RunStore; readonly at: number }): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const { colours, size } = useColours(canvas)
  const loaded = run.entries.length
  const last = Math.max(run.head, loaded)
  useEffect(() => {
    const context = emptied(canvas.current, size.width, HEIGHT)
    if (context === null) return
    const columns = columnsOf(run, Math.floor(size.width / 2), last)
    // Matches the knob of the range input, which stays within the ends of the range.
    const x = (share: number): number => KNOB + share * (size.width - 2 * KNOB)
    const width = Math.max(1, Math.min(6, size.width / columns.length - 0.5))
    columns.forEach((rank, index) => {
      if (rank === undefined) return
      const height = TALL.has(rank) ? HEIGHT : rank === 'plain' ? 4 : 9
      context.fillStyle = colours(rank)
      context.fillRect(x(index / Math.max(1, columns.length - 1)) - width / 2, HEIGHT - height, width, height)
    })
    // Entries that are not loaded are drawn as a thin line, to distinguish them from an empty run.
    if (loaded < last) {
      const from = x(loaded / last)
      context.fillStyle = colours('plain')
      context.fillRect(from, HEIGHT - 1, x(1) - from, 1)
    }
    context.fillStyle = colours('here')
    context.fillRect(x((at - 1) / Math.max(1, last - 1)) - 0.5, 0, 1, HEIGHT)
  }, [run, loaded, last, at, colours, size.width])
  return <canvas ref={canvas} className={styles['minimap']} height={HEIGHT} aria-hidden="true" />
}

/** Cache of the ranks, because runs are long and the map is redrawn for new entries. */
const known = new WeakMap<RunStore, number[]>()

function ranksOf(run: RunStore): readonly number[] {
  const ranks = known.get(run) ?? []
  for (let index = ranks.length; index < run.entries.length; index += 1)
    ranks.push(RANKS.indexOf(rankOf(run.entries[index]!)))
  known.set(run, ranks)
  return ranks
}

/** Returns the worst rank of each column; undefined for entries that are not loaded. */
function columnsOf(run: RunStore, most: number, last: number): readonly (Rank | undefined)[] {
  const ranks = ranksOf(run)
  const count = Math.max(1, Math.min(most, last))
  const columns = new Uint8Array(count).fill(RANKS.length)
  for (let index = 0; index < ranks.length; index += 1) {
    const column = Math.floor((index / last) * count)
    if (ranks[index]! < columns[column]!) columns[column] = ranks[index]!
  }
  return Array.from(columns, (rank) => RANKS[rank])
}

function rankOf({ type, data }: LightEntry): Rank {
  if (data === null) return 'unknown'
  const { outcome, reason, state } = data as { outcome?: { status?: string }; reason?: string; state?: string }
  if (type === 'effect-end') return asRank(outcome?.status)
  if (type === 'approval-request') return reason === 'in-doubt' ? 'doubt' : 'waits'
  if (type === 'run-end') return asRank(state === 'completed' ? 'ok' : state)
  return 'plain'
}

function asRank(status: string | undefined): Rank {
  return RANKS.find((rank) => rank === status) ?? 'unknown'
}
