import { canonical, errorInfo } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { foldRun } from '../journal/index.ts'
import type { RunFold } from '../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import { createContext } from './context.ts'
import { DivergedError, clip } from './diverged.ts'
import type { Difference } from './diverged.ts'
import type { KernelHost } from './host.ts'
import { assemble, readRun } from './loading.ts'
import { MindStop } from './mind.ts'
import { Task } from './task.ts'

export interface ReplayReport {
  readonly run: string
  readonly identical: boolean
  /** False when the run had not ended: then it is identical as far as it went. */
  readonly complete: boolean
  readonly entries: number
  /** Effects answered from the journal. Nothing was performed. */
  readonly effects: number
  readonly difference?: Difference | undefined
}

/** Re-executes a run's mind over its journal, with nothing to perform and nothing to write. */
export async function replayRun(host: KernelHost, id: string): Promise<ReplayReport> {
  const fold = foldRun(await readRun(host, id))
  const owed = fold.deliveries.map(({ key }) => key)
  const report = { run: id, complete: fold.end !== undefined, entries: fold.seq, effects: fold.deliveries.length }
  const mind = host.registry.requireMind(fold.start!.mind, fold.start!.name)
  const run = assemble(id, { host, mind, fold, writer: undefined })
  try {
    const isOver = await execute(run, fold)
    const missed = isOver ? owed.find((key) => !isAsked(run, key)) : undefined
    if (missed !== undefined) throw new DivergedError(id, missed, 'an effect with this key', 'the mind never asked for it')
    return { ...report, identical: true }
  } catch (error) {
    if (error instanceof DivergedError) return { ...report, identical: false, difference: error.difference }
    throw error
  } finally {
    run.close()
  }
}

/** Inside a strategy whose decision is recorded nothing is asked again. */
function isAsked(run: ActiveRun, key: string): boolean {
  if (run.asked.has(key)) return true
  const above = key.lastIndexOf('/')
  return above > 0 && isAsked(run, key.slice(0, above))
}

/** Resolves with true when the mind came to its end, with false when the journal did first. */
async function execute(run: ActiveRun, fold: RunFold): Promise<boolean> {
  const reachedEnd = new Promise<false>((resolve) => {
    run.onStall = () => {
      if (fold.end === undefined || wasTakenDown(fold)) resolve(false)
    }
    run.onIdle = () => {
      if (!run.delivery.replaying && (fold.end === undefined || wasTakenDown(fold))) resolve(false)
    }
  })
  const ended = think(run).then((thought) => {
    compare(run.id, fold, thought)
    return true as const
  })
  ended.catch(() => {})
  return Promise.race([ended, reachedEnd, run.done.then(() => true as const)])
}

/** The mind was stopped from outside, so its journal ends before it would have. */
function wasTakenDown({ end }: RunFold): boolean {
  return end !== undefined && (end.state === 'cancelled' || end.error?.code === 'KILLED' || end.error?.code === 'LIMIT_EXCEEDED')
}

async function think(run: ActiveRun): Promise<{ output: Json; code?: string }> {
  try {
    return { output: (await run.mind.start(run.start.input, createContext(run, new Task('', run.start.seed)))) ?? null }
  } catch (error) {
    return { output: error instanceof MindStop ? error.output : null, code: errorInfo(error, 'MIND_FAILED').code }
  }
}

function compare(id: string, fold: RunFold, thought: { output: Json; code?: string }): void {
  const { end } = fold
  if (end === undefined || wasTakenDown(fold)) return
  const recorded = `${end.error?.code ?? 'completed'} ${clip(canonical(end.output ?? null), 2000)}`
  const replayed = `${thought.code ?? 'completed'} ${clip(canonical(thought.output), 2000)}`
  if (recorded !== replayed) throw new DivergedError(id, 'run-end', recorded, replayed)
}
