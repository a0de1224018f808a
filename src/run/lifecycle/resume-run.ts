import { MandateError } from '../../core/index.ts'
import { mandateHash } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { foldRun, isErased, readAll, wrongShape } from '../../journal/index.ts'
import type { Entry, IntactEntry, Lease, Prelude, RunStartData } from '../../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import { builder, mandatesFor } from './assembly.ts'
import { outcomeOf } from './end-run.ts'
import { hostOfRun } from '../kernel/host.ts'
import type { KernelHost } from '../kernel/host.ts'
import { modelProblem } from '../kernel/needs.ts'
import { PROTOCOL } from './pins.ts'
import type { Opened, Tenure } from './create-run.ts'
import { claimOpenStarts } from './open-starts.ts'
import { trustedStart, provenanceIn } from '../history/provenance.ts'
import { priorInterruptions } from './prior-interruptions.ts'
import { vaultFor } from '../vault/open-vault.ts'
import { aboveOf } from '../nested/above.ts'
import { signalProblem } from '../inbox/signals.ts'

/** Resumes a run from its journal. */
export async function resumeRun(host: KernelHost, tenure: Tenure, parent: ActiveRun | undefined): Promise<Opened> {
  const { lease } = tenure
  try {
    const entries = await readRun(host, lease.run)
    const provenance = await provenanceIn(host, lease.run, entries)
    const fold = foldRun(entries, provenance.voided)
    fold.start = trustedStart(host, fold.start!, {
      foreign: provenance.foreign,
      depth: parent === undefined ? 0 : parent.start.depth + 1,
    })
    const { start } = fold
    if (fold.end !== undefined) {
      await host.journal.release(lease)
      return { outcome: outcomeOf(lease.run, fold.end) }
    }
    checkProtocol(lease.run, start)
    const mind = host.registry.requireMind(start.mind, start.name, start.sessionId)
    mind.checkPins?.(start.pins)
    const above = parent ?? (start.apart === true ? await aboveOf(host, start) : undefined)
    const problem = modelProblem(host.registry, mind, lease.run, start)
    if (
      problem !== undefined &&
      !(await isTakenDown(host, entries, { start, parent, mandates: mandatesFor(host, mind, above) }))
    )
      throw problem
    const vault = await vaultFor(host, lease.run, start, { entries, parent })
    const build = builder(hostOfRun(host, lease.run, fold.lastAt), { ...tenure, mind, parent, above, vault })
    const earlier = parent?.children.get(lease.run)
    const run = build.run(fold, build.writer(fold, start, resumption(lease, start, mandatesFor(host, mind, above))), {
      ...priorInterruptions(entries),
      foreign: provenance.foreign,
      isImported: provenance.isImported,
    })
    if (run.oversight !== undefined) for (const entry of entries) run.oversight.apply(entry)
    if (earlier === undefined) await claimOpenStarts(run)
    if (run.prior.takedown !== undefined) run.abort(run.prior.takedown)
    return { run }
  } catch (error) {
    await host.journal.release(lease)
    throw error
  }
}

interface Over {
  readonly start: RunStartData
  readonly parent: ActiveRun | undefined
  readonly mandates: readonly Mandate[]
}

/** Whether a run was cancelled or killed: any process can end it, whatever it lacks. */
async function isTakenDown(host: KernelHost, entries: ReadRun, { start, parent, mandates }: Over): Promise<boolean> {
  if (parent?.signal.aborted === true || priorInterruptions(entries).takedown !== undefined) return true
  const signals = await host.journal.signals(entries[0].run)
  return signals.some(
    (signal) => signal.type === 'cancel' && signalProblem(signal, mandates, start.identity.id) === undefined,
  )
}

function checkProtocol(run: string, start: RunStartData): void {
  if (start.protocol === PROTOCOL) return
  throw new MandateError(
    'VERSION_UNSUPPORTED',
    `Run "${run}" follows protocol ${start.protocol}, this build ${PROTOCOL}. Resume it with the version of mandate that wrote it.`,
  )
}

/**
 * The `run-resume` entry. Written before the first new entry of a segment, not at its beginning, so that a resume which diverges or has nothing to do
 * leaves no trace.
 */
function resumption(lease: Lease, start: RunStartData, mandates: readonly Mandate[]): readonly Prelude[] {
  const resume: Prelude = { type: 'run-resume', data: { epoch: lease.epoch } }
  const pinned = (start.pins as { mandate?: string } | null)?.mandate ?? null
  const now = mandateHash(mandates[0] ?? {})
  return pinned === now
    ? [resume]
    : [resume, { type: 'note', data: { name: 'mandate-changed', value: { pinned, now } } }]
}

/** The entries of a run that can be executed: the first is its start. */
type ReadRun = readonly [IntactEntry<'run-start'>, ...IntactEntry[]]

/** Reads a run that can be executed. Throws for an erased one. */
export async function readRun(host: KernelHost, id: string): Promise<ReadRun> {
  const entries = await readAll(host.journal, id)
  const [first] = entries
  if (first === undefined)
    throw new MandateError('NOT_FOUND', `There is no run "${id}" in this journal. List the runs to see what there is.`)
  const intact = entries.filter((entry) => !isErased(entry))
  if (intact.length < entries.length) {
    throw new MandateError(
      'JOURNAL_ERASED',
      `Run "${id}" was erased by retention; it can be verified, but not executed.`,
    )
  }
  for (const entry of intact) {
    const wrong = wrongShape(entry)
    if (wrong !== undefined) throw misshapen(entry, wrong)
  }
  const [start, ...rest] = intact
  if (start?.type !== 'run-start') throw misshapen(first, 'a run begins with its run-start')
  return [start, ...rest]
}

function misshapen({ run, seq }: Entry, wrong: string): MandateError {
  return new MandateError(
    'JOURNAL_DAMAGED',
    `Run "${run}" is damaged at entry ${seq}, which this runtime does not write: ${wrong}. Its hashes are valid, so it was written like this. ${seq > 1 ? `Fork the run at ${seq - 1} to continue without it.` : 'Start the run again.'}`,
    { info: { run, seq, wrong } },
  )
}
