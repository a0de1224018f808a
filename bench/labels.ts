import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { median } from './harness.ts'
import type { Section } from './report.ts'

const ROUNDS = 3
const MODES = ['off', 'on', 'labelled'] as const
type Mode = (typeof MODES)[number]
type Figures = Readonly<Record<string, number>>

const NAMES: Readonly<Record<Mode, string>> = {
  off: 'labels off (ms)',
  on: 'labels followed, nothing is labelled (times)',
  labelled: 'labels followed, what is computed with is labelled (times)',
}

function measureOnce(mode: Mode): Figures {
  const side = join(import.meta.dirname, 'sides', 'vm', 'labelled.ts')
  const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning']
  const said = execFileSync(process.execPath, [...flags, side, mode], { encoding: 'utf8', timeout: 180_000 })
  return JSON.parse(said.trim().split('\n').at(-1)!) as Figures
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}

/** Measures the cost of label tracking with the programs that measure the machine. */
export async function labels(): Promise<Section> {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    const order = round % 2 === 0 ? MODES : MODES.toReversed()
    return Object.fromEntries(order.map((mode) => [mode, measureOnce(mode)])) as Readonly<Record<Mode, Figures>>
  })
  const names = Object.keys(rounds[0]!.off)
  // The median of ratios within a round, because the sides of a round run under the same load.
  const ratios = (mode: Mode): number[] =>
    names.map((name) => median(rounds.map((round) => round[mode][name]! / round.off[name]!)))
  const on = ratios('on')
  const labelled = ratios('labelled')
  const off = names.map((name) => median(rounds.map((round) => round.off[name]!)))
  return {
    tables: [
      {
        title: 'Following labels inside scripts',
        note: 'CPU of the thread, each way in a process of its own, in turns, after 300 other generated programs. Where labels are off the family of closures that follows them is not even loaded.',
        columns: [...names, 'geometric mean'],
        rows: [
          [NAMES.off, ...off, ''],
          [NAMES.on, ...on, geometricMean(on)],
          [NAMES.labelled, ...labelled, geometricMean(labelled)],
        ],
      },
    ],
    goals: [
      { name: 'following labels, geometric mean, times', measured: geometricMean(on), atMost: 1.7 },
      { name: 'following labels, worst, times', measured: Math.max(...on), atMost: 2.2 },
    ],
  }
}
