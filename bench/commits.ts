import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'mandate'
import { JournalWriter } from '../src/journal/index.ts'
import type { Model } from 'mandate/model'
import { sqliteJournal } from 'mandate/sqlite'
import type { SqliteJournal } from '../src/store/sqlite/sqlite-journal.ts'
import type { Goal, Table } from './report.ts'
import { tinyModel, tinyTool } from './workloads.ts'

const FEW = 10
const MANY = 30

/** Adds latency to a model, like that of a network. */
function slow(model: Model, ms: number): Model {
  return {
    ...model,
    async *stream(request, call) {
      await new Promise((resolve) => setTimeout(resolve, ms))
      yield* model.stream(request, call)
    },
  }
}

interface Counted {
  /** Number of written transactions. */
  commits: number
  /** Number of those that the run waited for. */
  waited: number
}

/** Runs a single agent and counts the transactions that its writer waits for. */
async function count(journal: SqliteJournal, turns: number, ms: number): Promise<Counted> {
  const before = await journal.stats()
  const original = Object.getOwnPropertyDescriptor(JournalWriter.prototype, 'durable')!.value as (
    seq?: number,
  ) => Promise<void>
  let waited = 0
  let ended = 0
  const append = journal.append.bind(journal)
  journal.append = async (...args) => {
    await append(...args)
    ended += 1
  }
  JournalWriter.prototype.durable = function durable(seq): Promise<void> {
    const atStart = ended
    return original.call(this, seq).then(() => {
      waited += ended - atStart
    })
  }
  try {
    const model = ms > 0 ? slow(tinyModel(turns), ms) : tinyModel(turns)
    const mandate = { callCap: turns }
    const agent = new Agent({ id: 'bench', model, tools: [tinyTool()], maxTurns: turns + 1, mandate }, { journal })
    const { status } = await agent.service.run(agent.id, 'Go.')
    if (status !== 'completed') throw new Error(`The run is ${status}.`)
    const { commits } = await journal.stats()
    await agent.stop()
    return { commits: commits - before.commits, waited }
  } finally {
    JournalWriter.prototype.durable = original
    journal.append = append
  }
}

/** Measures the commits per step of one model call and one non-repeatable tool call, without the fixed cost of a run. */
export async function commitsPerStep(): Promise<{ readonly table: Table; readonly goal: Goal }> {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-commits-'))
  const journal = sqliteJournal({ path: join(dir, 'journal.db') })
  try {
    const perStep = async (ms: number): Promise<Counted> => {
      const [few, many] = [await count(journal, FEW, ms), await count(journal, MANY, ms)]
      const steps = MANY - FEW
      return { commits: (many.commits - few.commits) / steps, waited: (many.waited - few.waited) / steps }
    }
    const quick = await perStep(0)
    const real = await perStep(20)
    return {
      table: {
        title: 'One run alone on the SQLite journal, per step',
        columns: ['commits', 'of which the run waits for'],
        rows: [
          ['a model that answers at once', quick.commits, quick.waited],
          ['a model that takes 20 ms', real.commits, real.waited],
        ],
      },
      goal: { name: 'commits that one run alone waits for per step', measured: quick.waited, atMost: 2 },
    }
  } finally {
    await journal.close()
    rmSync(dir, { recursive: true })
  }
}
