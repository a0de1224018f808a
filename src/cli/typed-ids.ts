import { MandateError } from '../core/index.ts'
import { approvalId, parseApprovalId } from '../gate/index.ts'
import type { Journal, RunSummary } from '../journal/index.ts'
import { Kernel } from '../run/index.ts'
import { dateTime, listing } from './terminal/layout.ts'

/** A journal with the path that the errors show. */
type Named = Journal & { readonly path?: string | undefined }

/** Minimum length of a prefix, not counting the prefix of all generated ids. */
const PREFIX_MIN = 4
const GENERATED = 'run_'

/** Maximum number of candidates listed in an error. */
const TOLD_MAX = 10

const ID_CHARACTERS = /^[A-Za-z0-9._-]+$/u

/** The word for the newest run, and for the only request that waits for an answer. */
const LAST = 'last'
/** How many of the newest runs are searched for the end of an id. */
const ENDS_OF = 1_000

/**
 * Returns the id of the typed run: in full, as a unique beginning or end, or `last`. A full id always refers to its own run. A part refers to a top-level run
 * rather than to its child runs, whose ids begin with its id.
 */
export async function typedRun(journal: Named, typed: string): Promise<string> {
  if (!ID_CHARACTERS.test(typed)) throw noRun(journal, typed)
  if ((await journal.summary(typed)) !== undefined) return typed
  const request = parseApprovalId(typed)
  if (request !== undefined && (await journal.summary(request.run)) !== undefined)
    throw new MandateError('NOT_FOUND', `"${typed}" is a request of a run. Its run is "${request.run}".`)
  if (typed === LAST) return lastRun(journal)
  const began = await beginningWith(journal, typed)
  const runs = began.length > 0 ? began : await endingWith(journal, typed)
  if (runs.length === 0) throw noRun(journal, typed)
  if (typed.length < PREFIX_MIN + (typed.startsWith(GENERATED) ? GENERATED.length : 0))
    throw new MandateError('INPUT_INVALID', `"${typed}" is too short to identify a run. Type more of its id.`)
  if (runs.length > 1) throw ambiguous(typed, runs)
  return runs[0]!.run
}

/**
 * Returns the id of the typed request, or of the only one that waits for `last`. The run id in it can be shortened as with `typedRun`, the number of the request cannot: without the number, the answer
 * could reach another request than the one shown.
 */
export async function typedApproval(journal: Named, typed: string): Promise<string> {
  if (typed === LAST && (await journal.summary(LAST)) === undefined) return onlyRequest(journal)
  const request = parseApprovalId(typed)
  if (request !== undefined) {
    if ((await journal.summary(request.run)) !== undefined) return typed
    const run = await typedRun(journal, request.run).catch((error: unknown) => {
      if (MandateError.isInstance(error) && error.code === 'NOT_FOUND') return undefined
      throw error
    })
    return run === undefined ? typed : approvalId(run, request.seq)
  }
  const run = await typedRun(journal, typed).catch(() => undefined)
  const waiting = run === undefined ? [] : ((await journal.summary(run))?.waiting ?? [])
  if (waiting.length === 0) return typed
  const ids = waiting.map(({ seq }) => approvalId(run!, seq))
  throw new MandateError(
    'INPUT_INVALID',
    `"${typed}" is a run. Type which of its requests is answered: ${ids.join(', ')}.`,
  )
}

async function lastRun(journal: Named): Promise<string> {
  const [newest] = await new Kernel({ journal }).list({ parent: null, limit: 1 })
  if (newest === undefined) throw noRun(journal, LAST)
  return newest.run
}

/** The newest runs whose ids end so: an id begins with its time, so runs of one day differ only at the end. */
async function endingWith(journal: Journal, typed: string): Promise<readonly RunSummary[]> {
  const newest = await new Kernel({ journal }).list({ parent: null, limit: ENDS_OF })
  return newest.filter(({ run }) => run.endsWith(typed)).slice(0, TOLD_MAX + 1)
}

/** Returns the only request that waits. With several, `last` could reach another one than the person has seen. */
async function onlyRequest(journal: Named): Promise<string> {
  const { requests, next } = await new Kernel({ journal }).inbox({ limit: TOLD_MAX })
  const [first, ...others] = requests
  if (first === undefined) throw new MandateError('NOT_FOUND', 'Nothing is waiting for an answer.')
  if (others.length === 0 && next === undefined) return first.id
  const told = requests.map(({ id, name }) => [`  ${id}`, name])
  throw new MandateError(
    'INPUT_INVALID',
    [`Several requests are waiting. Type the id of the one that you mean:`, listing(['  approval', 'name'], told)].join(
      '\n',
    ),
  )
}

/** Returns the runs whose ids have the prefix, newest first, one more than is listed. Child runs of other results are left out. */
async function beginningWith(journal: Journal, typed: string): Promise<readonly RunSummary[]> {
  const kernel = new Kernel({ journal })
  const filter = { runPrefix: typed, limit: TOLD_MAX + 1 }
  const tops = await kernel.list({ ...filter, parent: null })
  const found = tops.length > 0 ? tops : await kernel.list(filter)
  return found.filter(({ run }) => !found.some((other) => run.startsWith(`${other.run}.`)))
}

function noRun({ path }: Named, typed: string): MandateError {
  const where = path === undefined ? 'here' : `in ${path}`
  return new MandateError('NOT_FOUND', `There is no run "${typed}" ${where}. List the runs with: mandate runs`)
}

function ambiguous(typed: string, runs: readonly RunSummary[]): MandateError {
  const told = runs.slice(0, TOLD_MAX)
  const rows = told.map(({ run, state, name, createdAt }) => [`  ${run}`, state, name, dateTime(createdAt)])
  return new MandateError(
    'INPUT_INVALID',
    [
      `Several runs have an id that begins or ends with "${typed}". Type more of the one that you mean:`,
      listing(['  run', 'state', 'name', 'began'], rows),
      ...(runs.length > told.length ? ['  and more'] : []),
    ].join('\n'),
  )
}
