import { canonical, systemClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { redactJson } from '../../redact/index.ts'
import type { Effect } from '../../gate/index.ts'
import { foldRun } from '../../journal/index.ts'
import type { RunFold } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { DivergedError, describeRequest } from '../mind/divergence.ts'
import type { Difference } from '../mind/divergence.ts'
import { clip, plainError } from '../lifecycle/failure.ts'
import type { KernelHost } from '../kernel/host.ts'
import { readRun } from '../lifecycle/resume-run.ts'
import { assemble } from '../lifecycle/assembly.ts'
import { MindStop } from '../mind/mind.ts'
import { findUnrequested, wasRequested } from '../mind/unrequested-effects.ts'
import { priorInterruptions } from '../lifecycle/prior-interruptions.ts'
import { endedWithout, isUnfit, startMind } from '../lifecycle/run.ts'
import type { MindResult } from '../lifecycle/run.ts'
import { vaultFor } from '../vault/open-vault.ts'

/** The result of a replay: identical, or the first difference. */
export interface ReplayReport {
  /** The run that was replayed. */
  readonly run: string
  /** Whether the replay requested the same effects with the same inputs, in the same order. */
  readonly identical: boolean
  /** False if the run had not ended: then `identical` covers what is recorded so far. */
  readonly complete: boolean
  /** The number of entries of the run. */
  readonly entries: number
  /** The number of effects answered from the journal. Nothing was performed. */
  readonly effects: number
  /** The first difference. */
  readonly difference?: Difference | undefined
}

/** Re-executes a run's mind over its journal, without performing or writing anything. */
export async function replayRun(host: KernelHost, id: string): Promise<ReplayReport> {
  const entries = await readRun(host, id)
  const fold = foldRun(entries)
  const owed = fold.deliveries.map(({ key }) => key)
  const report = { run: id, complete: fold.end !== undefined, entries: fold.seq, effects: fold.deliveries.length }
  const mind = host.registry.requireMind(fold.start!.mind, fold.start!.name, fold.start!.sessionId)
  mind.checkPins?.(fold.start!.pins)
  const vault = await vaultFor(host, id, fold.start!, { entries })
  const run = assemble(id, { host, mind, vault, fold, writer: undefined, prior: priorInterruptions(entries) })
  try {
    const how = await execute(run, fold)
    const missed =
      how !== false && !wasTakenDown(fold)
        ? (owed.find((key) => !wasRequested(run, key)) ?? findUnrequested(run))
        : undefined
    if (how !== false && missed !== undefined) throw new DivergedError(id, missed, 'something under this key', how)
    return { ...report, identical: true }
  } catch (error) {
    if (error instanceof DivergedError) return { ...report, identical: false, difference: error.difference }
    throw error
  } finally {
    run.close()
  }
}

/** A mind may compute slowly between effects; after this long without a request it counts as stuck. */
const BUSY_MS = 10_000

function describe(replayed: Effect | string): string {
  return typeof replayed === 'string' ? clip(replayed) : describeRequest(replayed)
}

/** Resolves with how the mind ended, with false if it waits for more than the journal has. */
async function execute(run: ActiveRun, fold: RunFold): Promise<string | false> {
  const isOpen = fold.end === undefined || wasTakenDown(fold)
  const diverge = (key: string, recorded: string, replayed: string): void =>
    run.fail(new DivergedError(run.id, key, recorded, replayed))
  let stopTimer: () => void = () => {}
  let undecided: string | undefined
  const reachedEnd = new Promise<false>((resolve) => {
    // A mind that was cancelled may have requested this only because it was.
    run.onStall = (key) =>
      wasTakenDown(fold) ? resolve(false) : diverge(key, 'an effect with this key', 'the mind never asked for it')
    run.onExtra = (key, replayed) =>
      isOpen ? run.delivery.pump() : diverge(key, 'nothing: the recorded run did not ask for it', describe(replayed))
    // A decision that was still open when the mind ended has no record; only a mind that waits for it has changed.
    run.onUndecided = (key) => void (undecided ??= key)
    run.onIdle = () => {
      if (isOpen && !run.delivery.replaying) return resolve(false)
      stopTimer()
      stopTimer = systemClock.timer(BUSY_MS, () => {
        const next = undecided ?? run.delivery.unclaimed()
        if (next === undefined) diverge('run-end', 'the run ended here', 'the mind does not come to an end')
        else
          diverge(
            next,
            undecided === undefined ? 'something under this key' : 'nothing: the recorded run did not wait for it',
            'the mind waits for something else',
          )
      })
    }
  })
  // A mind without effects gets no deliveries, so its idleness would not be noticed.
  run.delivery.pump()
  const ended = startMind(run).then((result) => {
    if (isUnfit(result)) throw result.error
    if (!isOpen) compare(run, fold, result)
    return endedWithout(result)
  })
  ended.catch(() => {})
  try {
    return await Promise.race([ended, reachedEnd, run.done.then(() => 'the mind ended without it')])
  } finally {
    stopTimer()
  }
}

/** The mind was stopped from outside, so its journal ends before the mind would have. */
function wasTakenDown({ end }: RunFold): boolean {
  return (
    end !== undefined &&
    (end.state === 'cancelled' || end.error?.code === 'KILLED' || end.error?.code === 'LIMIT_EXCEEDED')
  )
}

function compare(run: ActiveRun, { end }: RunFold, result: MindResult): void {
  const code = 'error' in result ? plainError(result.error, 'MIND_FAILED').code : 'completed'
  const output = 'output' in result ? result.output : result.error instanceof MindStop ? result.error.output : null
  const { mind, start, redactor } = run
  const compared = (value: Json): string => {
    const part = mind.compared === undefined ? value : mind.compared(value, start.pins)
    return clip(canonical(part), 2000)
  }
  const recorded = `${end!.error?.code ?? 'completed'} ${compared(end!.output ?? null)}`
  const replayed = `${code} ${compared(redactJson(output, redactor))}`
  if (recorded !== replayed) throw new DivergedError(run.id, 'run-end', recorded, replayed)
}
