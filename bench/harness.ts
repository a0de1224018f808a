import type { Table } from './report.ts'

/** One side of a comparison: performs its work `count` times and may return additional results. */
export interface Side {
  readonly name: string
  /** The share of the work that it performs, if it is much slower than the others. */
  readonly share?: number
  run(count: number): Promise<void> | void
}

export interface Comparison {
  readonly name: string
  /** The unit of work. */
  readonly unit: string
  readonly count: number
  readonly rounds: number
  /** The first side is the baseline. */
  readonly sides: readonly Side[]
  /** `cpu` measures the CPU time of all threads of the process: for work without waits, also on a shared machine. `wall` when absent. */
  readonly by?: 'cpu' | 'wall' | undefined
}

export interface Measured {
  readonly name: string
  readonly unit: string
  readonly sides: readonly { readonly name: string; readonly microseconds: number; readonly ratio: number }[]
}

/** Runs the sides of a comparison alternately in one process, so that noise affects all equally; reports medians and ratios to the first. */
export async function measure({ name, unit, count, rounds, sides, by = 'wall' }: Comparison): Promise<Measured> {
  const times = sides.map((): number[] => [])
  const countOf = (side: Side): number => Math.ceil(count * (side.share ?? 1))
  for (const side of sides) await side.run(Math.ceil(countOf(side) / 4))
  for (let round = 0; round < rounds; round++) {
    for (const [index, side] of sides.entries()) {
      const start = microseconds(by)
      await side.run(countOf(side))
      times[index]!.push((microseconds(by) - start) / countOf(side))
    }
  }
  const medians = times.map(median)
  return {
    name,
    unit: by === 'cpu' ? `CPU per ${unit}` : `per ${unit}`,
    sides: sides.map((side, index) => ({
      name: side.name,
      microseconds: medians[index]!,
      ratio: medians[index]! / medians[0]!,
    })),
  }
}

function microseconds(by: 'cpu' | 'wall'): number {
  if (by === 'wall') return Number(process.hrtime.bigint()) / 1_000
  const { user, system } = process.cpuUsage()
  return user + system
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Formats a comparison as a table. The first row is the baseline. */
export function measuredTable({ name, unit, sides }: Measured): Table {
  return {
    title: name,
    columns: [`µs ${unit}`, 'ratio'],
    rows: sides.map((side) => [side.name, side.microseconds, side.ratio]),
  }
}
