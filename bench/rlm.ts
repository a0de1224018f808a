import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Section, Table } from './report.ts'
import type { Taken } from './rlm/measure.ts'
import { TASKS } from './rlm/tasks.ts'
import { writeTickets } from './rlm/tickets.ts'
import type { Answers } from './rlm/tickets.ts'

const SIZES = [1_000_000, 10_000_000, 100_000_000]
const SIDES = { cells: 'cells over a context', loop: 'plain loop, part by part', prompt: 'one prompt' } as const

type Side = keyof typeof SIDES

interface Figure extends Taken {
  readonly size: number
  readonly task: string
  readonly side: Side
  readonly isRight: boolean
}

/** Compares answers to questions over inputs that exceed any prompt: cells that read a context in parts, and loops that receive the input. */
export async function rlm(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-rlm-'))
  const figures: Figure[] = []
  try {
    for (const size of SIZES) {
      const path = join(folder, `tickets-${size}.txt`)
      const answers = writeTickets(path, size)
      for (const { name, isCellsOnly } of TASKS)
        for (const side of isCellsOnly === true ? (['cells'] as const) : (Object.keys(SIDES) as Side[]))
          figures.push(measured({ size, task: name, side, path, answers }))
      rmSync(path)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { tables: SIZES.map((size) => tableOf(size, figures)), goals: goalsOf(figures) }
}

interface Asked {
  readonly size: number
  readonly task: string
  readonly side: Side
  readonly path: string
  readonly answers: Answers
  /** The id of a real model to use instead of scripted ones. */
  readonly model?: string | undefined
}

/** Answers one question in a separate process. */
export function measured({ size, task, side, path, answers, model }: Asked): Figure {
  const script = fileURLToPath(new URL('./rlm/measure.ts', import.meta.url))
  const args = ['--conditions=mandate-source', script, side, task, path, ...(model === undefined ? [] : [model])]
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (status !== 0)
    throw new Error(`bench: ${side} of ${task} over ${size} characters failed:\n${stderr.slice(-2_000)}`)
  const taken = JSON.parse(stdout.trim().split('\n').at(-1)!) as Taken
  const isRight = TASKS.find(({ name }) => name === task)!.isRight(taken.answer, answers)
  return { ...taken, size, task, side, isRight }
}

export function tableOf(size: number, figures: readonly Figure[]): Table {
  const own = figures.filter((figure) => figure.size === size)
  return {
    title: `A question over ${size.toLocaleString('en-US')} characters`,
    note:
      size === SIZES[0]
        ? 'Tokens are those that reach models, input and output of all calls; the largest call is what a window must hold. Memory is the peak above that of the process before. Models are scripts, so the time is that of everything but models.'
        : undefined,
    columns: ['answer', 'model calls', 'tokens', 'largest call', 'seconds', 'MB'],
    rows: own.map((figure) => [
      `${figure.task}: ${SIDES[figure.side]}`,
      figure.isRight ? 'right' : figure.answer.startsWith('refused') ? 'refused' : 'wrong',
      String(figure.calls),
      (figure.inputTokens + figure.outputTokens).toLocaleString('en-US'),
      figure.largest.toLocaleString('en-US'),
      figure.ms / 1_000,
      figure.megabytes,
    ]),
  }
}

function goalsOf(figures: readonly Figure[]): Section['goals'] {
  const [least = 0] = SIZES
  const most = SIZES.at(-1)!
  const tokens = (size: number, side: Side): number =>
    figures
      .filter((figure) => figure.size === size && figure.side === side)
      .reduce((sum, figure) => sum + figure.inputTokens + figure.outputTokens, 0)
  const cells = figures.filter(({ side }) => side === 'cells')
  return [
    {
      name: 'right answers of cells',
      measured: cells.filter(({ isRight }) => isRight).length / cells.length,
      atLeast: 1,
    },
    {
      name: 'tokens over 100,000,000 characters, cells to plain loop',
      measured: tokens(most, 'cells') / tokens(most, 'loop'),
      atMost: 0.001,
    },
    {
      name: 'tokens of cells, 100,000,000 to 1,000,000 characters',
      measured: tokens(most, 'cells') / tokens(least, 'cells'),
      atMost: 1.1,
    },
    {
      name: 'MB of memory of cells over 100,000,000 characters',
      measured: Math.max(...cells.filter(({ size }) => size === most).map(({ megabytes }) => megabytes)),
      atMost: 250,
    },
  ]
}
