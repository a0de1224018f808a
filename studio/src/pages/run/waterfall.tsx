import { useEffect, useRef } from 'react'
import type { PointerEvent, ReactNode } from 'react'
import { isProblem } from '../../journal/timeline-rows.ts'
import { statusOf } from './timeline-lines.ts'
import type { Line } from './timeline-lines.ts'
import { emptied, useColours } from './canvas-colours.ts'
import type { TimeWindow } from './time-window.ts'
import styles from './timeline-tab.module.css'

const HEIGHT = 30
const BARS_MAX = 1_000

interface WaterfallProps {
  readonly lines: readonly Line[]
  readonly all: TimeWindow
  readonly shown: TimeWindow
  /** Returns the position of a time on the axis. */
  readonly place: (at: number) => number
  readonly show: (shown: TimeWindow | undefined) => void
}

/** All bars of the run in one strip, with the visible period marked. Dragging selects a period, a double click selects all. */
export function Waterfall({ lines, all, shown, place, show }: WaterfallProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const dragged = useRef<number | undefined>(undefined)
  const { colours, size } = useColours(canvas)
  useEffect(() => {
    const context = emptied(canvas.current, size.width, HEIGHT)
    if (context === null) return
    const span = Math.max(1, all.to - all.from)
    const x = (at: number): number => ((at - all.from) / span) * size.width
    const kept = lines.filter(({ row }) => row.kind !== undefined)
    // Bars are thinned out if there are more than pixels, except failed ones.
    const every = Math.ceil(kept.length / BARS_MAX)
    const bars = every <= 1 ? kept : kept.filter(({ row }, index) => index % every === 0 || isProblem(row))
    const step = Math.min(4, (HEIGHT - 2) / Math.max(1, bars.length))
    // Few bars are centered in the strip, because at its edge they would look like part of the frame.
    const top = Math.max(1, (HEIGHT - bars.length * step) / 2)
    bars.forEach(({ row, run }, index) => {
      context.fillStyle = colours(statusOf({ row, run }))
      context.fillRect(
        x(place(row.startedAt)),
        top + index * step,
        Math.max(1.5, x(row.endedAt === undefined ? all.to : place(row.endedAt)) - x(place(row.startedAt))),
        Math.max(1, step - 0.5),
      )
    })
    if (shown.from > all.from || shown.to < all.to) {
      context.fillStyle = colours('shade')
      context.fillRect(0, 0, x(shown.from), HEIGHT)
      context.fillRect(x(shown.to), 0, size.width - x(shown.to), HEIGHT)
    }
  }, [lines, all, shown, place, colours, size.width])
  const timeAt = (event: PointerEvent<HTMLCanvasElement>): number => {
    const box = event.currentTarget.getBoundingClientRect()
    return all.from + ((event.clientX - box.left) / Math.max(1, box.width)) * (all.to - all.from)
  }
  return (
    <canvas
      ref={canvas}
      className={styles['waterfall']}
      height={HEIGHT}
      aria-hidden="true"
      title="Drag to zoom, double click for everything"
      onPointerDown={(event) => {
        dragged.current = timeAt(event)
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerUp={(event) => {
        const [from, to] = [dragged.current, timeAt(event)].map((at) => at ?? 0).toSorted((a, b) => a - b)
        dragged.current = undefined
        if (to! - from! > (all.to - all.from) / 200) show({ from: from!, to: to! })
      }}
      onDoubleClick={() => show(undefined)}
    />
  )
}
