import { AgentService } from 'mandate'
import { ReplSession } from 'mandate/repl'
import { median } from './harness.ts'
import type { Section } from './report.ts'

const VARIABLES = 20
const BYTES = 10_000
const CELLS = 400
const SESSIONS = 1_000
const GOAL_MS = 1
const GOAL_KB = 100

/** Measures the time of cells in a session with 20 variables of 10 KB: wall time of `evalCell`, journal in memory. */
async function timeOf(session: ReplSession, source: string): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < CELLS; i++) {
    const began = performance.now()
    await session.evalCell(source)
    times.push(performance.now() - began)
  }
  return median(times)
}

/** Measures the memory of one live session with three small variables, one of them a function. Needs `--expose-gc` for a stable result. */
async function sessionKilobytes(): Promise<number> {
  const service = new AgentService()
  const heap = (): number => {
    globalThis.gc?.()
    return process.memoryUsage().heapUsed
  }
  const before = heap()
  const sessions: ReplSession[] = []
  for (let i = 0; i < SESSIONS; i++) {
    const session = await ReplSession.open(service)
    await session.evalCell('let list = [1, 2, 3]; const add = (n) => n + list.length; let text = "hello"')
    sessions.push(session)
  }
  const held = heap() - before
  await service.stop()
  return held / sessions.length / 1024
}

/** Measures sessions of cells: the overhead of a cell, and the memory of a session. */
export async function cells(): Promise<Section> {
  const service = new AgentService()
  const session = await ReplSession.open(service, { policy: { maxIterations: 10 * CELLS } })
  for (let i = 0; i < VARIABLES; i++)
    await session.evalCell(`let v${i} = Array.from({ length: ${BYTES / 10} }, (_, k) => 'item' + k)`)
  await timeOf(session, '')
  const empty = await timeOf(session, '')
  const one = await timeOf(session, 'v3[0] = "changed"; v3.length')
  await service.stop()
  const kilobytes = await sessionKilobytes()
  return {
    tables: [
      {
        title: `Cells, in a session with ${VARIABLES} variables of ${BYTES / 1_000} KB`,
        note: 'Median wall time of `evalCell`; the journal is in memory.',
        columns: ['ms'],
        rows: [
          ['empty', empty],
          ['changes one of the variables', one],
        ],
      },
    ],
    goals: [
      { name: 'an empty cell, in ms', measured: empty, atMost: GOAL_MS },
      { name: `a live session of ${SESSIONS}, in KB`, measured: kilobytes, atMost: GOAL_KB },
    ],
  }
}
