import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measure, measuredTable } from './harness.ts'
import type { Measured } from './harness.ts'
import { installPeers } from './installing.ts'
import type { Goal, Section, Table } from './report.ts'
import type { GraphSide, GraphWork } from './sides/graph-side.ts'
import { FAN, SEQUENCE } from './sides/graph-side.ts'
import { langGraph } from './sides/langgraph.ts'
import { mandateGraph } from './sides/mandate-graph.ts'

const STEPS = 1_000

interface Work {
  readonly work: GraphWork
  readonly name: string
  /** Number of notes that a run writes. */
  readonly notes: number
  /** Number of nodes executed in one run, by which the time is divided. */
  readonly nodes: number
  /** Runs in one round. */
  readonly runs: number
  readonly rounds: number
}

const WORKS: readonly Work[] = [
  { work: 'sequence', name: `${SEQUENCE} nodes in sequence`, notes: SEQUENCE, nodes: SEQUENCE, runs: 20, rounds: 9 },
  { work: 'fan', name: `${FAN}-way fan-out and join`, notes: FAN + 1, nodes: FAN + 2, runs: 4, rounds: 9 },
  { work: 'steps', name: '1,000 supersteps', notes: STEPS, nodes: STEPS, runs: 1, rounds: 5 },
]

/** Compares graphs with LangGraph, alternately in one process: in memory, and in SQLite with each step on disk before the next one starts. */
export async function graphs(): Promise<Section> {
  if (!installPeers()) return { tables: [], goals: [] }
  const folder = mkdtempSync(join(tmpdir(), 'mandate-graphs-'))
  const memory = [await langGraph(), await mandateGraph()]
  const disk = [await langGraph(folder), await mandateGraph(join(folder, 'store'))]
  try {
    const tables: Table[] = []
    const goals: Goal[] = []
    for (const [sides, where] of [
      [memory, 'in memory'],
      [disk, 'in SQLite'],
    ] as const)
      for (const work of WORKS) {
        const measured = await compare(work, sides, where)
        tables.push(measuredTable(measured))
        const [peer, own] = measured.sides
        const throughput = peer!.microseconds / own!.microseconds
        goals.push({ name: `throughput against LangGraph, ${measured.name}`, measured: throughput, atLeast: 2 })
      }
    const grown = await growth(disk)
    return { tables: [...tables, grown.table], goals: [...goals, grown.goal] }
  } finally {
    await Promise.all([...memory, ...disk].map((side) => side.close()))
    rmSync(folder, { recursive: true, force: true })
  }
}

function compare(
  { work, name, notes, nodes, runs, rounds }: Work,
  sides: readonly GraphSide[],
  where: string,
): Promise<Measured> {
  return measure({
    name: `Graphs: ${name}, ${where}`,
    unit: 'node',
    count: runs * nodes,
    rounds,
    sides: sides.map((side) => ({
      name: side.label,
      run: async (count) => {
        for (let done = 0; done < count; done += nodes)
          if ((await side.run(work, work === 'steps' ? STEPS : 0)) !== notes) throw new Error('a wrong answer')
      },
    })),
  })
}

/** Measures the storage of one more step, early and late in a run whose state grows by a short note in each step. */
async function growth(sides: readonly GraphSide[]): Promise<{ readonly table: Table; readonly goal: Goal }> {
  const rows: [string, number, number, number][] = []
  for (const side of sides) {
    const early = ((await side.bytes(15)) - (await side.bytes(5))) / 10
    const late = ((await side.bytes(STEPS + 5)) - (await side.bytes(STEPS - 5))) / 10
    rows.push([side.label, early, late, late / early])
  }
  const table: Table = {
    title: 'Graphs: bytes in the store per superstep',
    note: 'Each step appends one note of a few characters to a list in the state.',
    columns: ['at step 10', 'at step 1,000', 'ratio'],
    rows,
  }
  return { table, goal: { name: 'bytes per superstep, step 1,000 to step 10', measured: rows[1]![3], atMost: 1.1 } }
}
