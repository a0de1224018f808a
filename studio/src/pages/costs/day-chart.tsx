import { useEffect, useRef, useState } from 'react'
import type { CSSProperties, ReactNode } from 'react'
import { dayText, money } from '../../parts/format.ts'
import { dayOf, daysOf } from './cost-sums.ts'
import type { Cost } from './cost-sums.ts'
import styles from './costs.module.css'

/** Minimum distance between date labels, so that they do not overlap. */
const LABEL = 48
const HEIGHT = 200
const LEFT = 52
const BOTTOM = 24
const TOP = 8

/** A chart of the cost per day, stacked by model. The table below has the same data as text. */
export function DayChart({
  costs,
  models,
}: {
  readonly costs: readonly Cost[]
  readonly models: readonly string[]
}): ReactNode {
  const drawing = useRef<SVGSVGElement>(null)
  const [whole, setWhole] = useState(720)
  // Draws at the displayed size, so that its text has the same size as other text.
  useEffect(() => {
    const sized = new ResizeObserver(([entry]) => setWhole(Math.max(200, entry?.contentRect.width ?? 0)))
    if (drawing.current !== null) sized.observe(drawing.current)
    return () => sized.disconnect()
  }, [])
  const days = daysOf(costs)
  const of = (day: string, model: string): number =>
    costs.reduce((sum, cost) => (dayOf(cost.at) === day && cost.model === model ? sum + cost.money : sum), 0)
  const totals = days.map((day) => models.reduce((sum, model) => sum + of(day, model), 0))
  const most = nice(Math.max(...totals, 0.000_1))
  const y = (amount: number): number => TOP + (1 - amount / most) * (HEIGHT - TOP - BOTTOM)
  const step = (whole - LEFT) / Math.max(1, days.length)
  const width = Math.min(64, step * 0.6)
  const every = Math.max(1, Math.ceil(LABEL / step))
  return (
    <figure className={styles['chart']}>
      <svg
        ref={drawing}
        viewBox={`0 0 ${whole} ${HEIGHT}`}
        role="img"
        aria-label={`Money per day, ${days.length} days; the table below has the figures`}
      >
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line x1={LEFT} x2={whole} y1={y(most * share)} y2={y(most * share)} className={styles['grid']} />
            <text x={LEFT - 6} y={y(most * share) + 4} textAnchor="end">
              {share === 0 ? '0' : money(most * share).replace('~', '')}
            </text>
          </g>
        ))}
        {days.map((day, index) => {
          let below = 0
          return (
            <g key={day}>
              {models.map((model, tone) => {
                const amount = of(day, model)
                if (amount === 0) return null
                const top = y(below + amount)
                const height = Math.max(1, y(below) - top)
                below += amount
                return (
                  <rect
                    key={model}
                    x={LEFT + index * step + (step - width) / 2}
                    y={top}
                    width={width}
                    height={height}
                    className={styles['segment']}
                    style={series(tone)}
                  >
                    <title>
                      {day} {model} {money(amount)}
                    </title>
                  </rect>
                )
              })}
              <text x={LEFT + (index + 0.5) * step} y={HEIGHT - 8} textAnchor="middle">
                {index % every === 0 ? dayText(day) : ''}
              </text>
            </g>
          )
        })}
      </svg>
      <figcaption className="line">
        {models.map((model, tone) => (
          <span key={model} className="line">
            <span className={styles['key']} style={series(tone)} aria-hidden="true" />
            <code>{model}</code>
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

const SERIES = 6

/** Returns the colour of the model at an index; the most expensive model has the first colour. */
function series(place: number): CSSProperties {
  return { '--series': `var(--series-${(place % SERIES) + 1})` } as CSSProperties
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function nice(amount: number): number {
  const power = 10 ** Math.floor(Math.log10(amount))
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= amount) ?? amount
}
