import { MandateError, nearest, systemClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { Journal, ListPlace, RunFilter, RunSummary } from '../../journal/index.ts'
import { Kernel } from '../../run/index.ts'
import { EXIT } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { withJournal } from '../host.ts'
import { clip, note, showStatus } from '../output.ts'
import { moment, printList } from '../terminal/layout.ts'
import { typedRun } from '../typed-ids.ts'
import { reportOf } from '../workers/store-workers.ts'
import { chooseWord, readCount, readPast } from './command.ts'
import type { Command } from './command.ts'

const RUNS = 100
/** Page size for reading runs when only matching ones are shown. */
const PAGE = 500

const STATES: readonly RunSummary['state'][] = ['running', 'suspended', 'completed', 'failed', 'cancelled']

export const runsCommand: Command = {
  run: (flags) =>
    withJournal(flags, async (journal) => {
      const limit = readLimit(flags.limit, RUNS)
      const wanted = await readWanted(journal, flags)
      const { runs, hasMore } = await find(journal, wanted, limit)
      if (hasMore) note(moreText(runs, limit))
      const held = new Map((await reportOf(journal))?.held.map(({ run, reason }) => [run, reason]))
      const listed = runs.map((run) => (held.has(run.run) ? { ...run, held: held.get(run.run)! } : run))
      const now = systemClock.now()
      printList(flags, listed, {
        heads: ['run', 'state', 'name', 'started'],
        row: (run) => {
          const reason = held.get(run.run)
          const more = reason === undefined ? [] : [`waits for a worker: ${clip(reason, 100)}`]
          const wrong = run.damage === undefined ? [] : [run.damage]
          return [run.run, stateOf(run), run.name, moment(run.createdAt, now), ...more, ...wrong]
        },
        none: wanted.isAny
          ? 'There are no runs here. Start one with: mandate run <file>'
          : 'No run matches these options. List all runs with: mandate runs',
      })
      return EXIT.ok
    }),
}

/** Reads the maximum number of listed items. */
export function readLimit(text: string | undefined, usual: number): number {
  return text === undefined ? usual : readCount(text, '--limit')
}

export function stateOf({ state, suspendReason, damage }: RunSummary): string {
  if (damage !== undefined) return 'damaged'
  return suspendReason === undefined ? state : `${state} (${suspendReason})`
}

/** The selection of runs: the filter that the store applies, and the conditions checked here. */
interface Wanted {
  readonly filter: RunFilter
  readonly since: number
  readonly text: string | undefined
  /** Whether no condition was given, so that every run is listed. */
  readonly isAny: boolean
}

async function readWanted(journal: Journal, flags: Flags): Promise<Wanted> {
  const { status, agent: name, session: sessionId, parent, since, until, after, text } = flags
  const given = [status, name, sessionId, parent, since, until, after, text]
  if (until !== undefined && after !== undefined)
    throw new MandateError('INPUT_INVALID', '--after and --until both set where the list begins. Give one of them.')
  if (name !== undefined) await checkName(journal, name)
  const begin = until === undefined ? await placeOf(journal, after) : { at: readPast(until, '--until'), run: '' }
  return {
    filter: {
      ...(status === undefined ? {} : { state: status.split(',').map((word) => chooseWord(word, STATES, '--status')) }),
      ...{ name, sessionId, after: begin },
      ...(parent === undefined ? {} : { parent: parent === 'none' ? null : await typedRun(journal, parent) }),
    },
    since: since === undefined ? -Infinity : readPast(since, '--since'),
    text: text?.toLowerCase(),
    isAny: given.every((one) => one === undefined),
  }
}

/** Rejects the name of an agent that no run has if it is similar to the name of a recent run. */
async function checkName(journal: Journal, name: string): Promise<void> {
  if ((await journal.list({ name, limit: 1 })).length > 0) return
  const names = new Set((await new Kernel({ journal }).list({ limit: PAGE })).map((run) => run.name))
  const meant = nearest(name, [...names])
  if (meant === undefined) return
  throw new MandateError('NOT_FOUND', `There is no run of "${name}" here. Did you mean --agent ${meant}?`)
}

async function placeOf(journal: Journal, typed: string | undefined): Promise<ListPlace | undefined> {
  if (typed === undefined) return undefined
  const run = await typedRun(journal, typed)
  return { at: (await journal.summary(run))!.createdAt, run }
}

interface Page {
  readonly runs: readonly RunSummary[]
  readonly hasMore: boolean
}

/** Finds the newest matching runs page by page, because the number of runs to read is not known in advance. */
async function find(journal: Journal, { filter, since, text }: Wanted, limit: number): Promise<Page> {
  const kernel = new Kernel({ journal })
  const size = text === undefined ? limit + 1 : PAGE
  const runs: RunSummary[] = []
  let looked = 0
  const stop = text === undefined ? () => {} : showStatus(() => `${looked} runs read, ${runs.length} found`)
  try {
    for (let { after } = filter; ;) {
      const page = await kernel.list({ ...filter, after, limit: size })
      for (const run of page) {
        if (run.createdAt < since) return { runs, hasMore: false }
        looked += 1
        if (text !== undefined && !(await says(journal, run, text))) continue
        if (runs.length === limit) return { runs, hasMore: true }
        runs.push(run)
      }
      const last = page.at(-1)
      if (last === undefined || page.length < size) return { runs, hasMore: false }
      after = { at: last.createdAt, run: last.run }
    }
  } finally {
    stop()
  }
}

/** Whether the id, name, input, output or error of a run contains the text. */
async function says(journal: Journal, { run, name, erased, head }: RunSummary, text: string): Promise<boolean> {
  if (`${run}\n${name}`.toLowerCase().includes(text)) return true
  if (erased) return false
  for (const seq of new Set([1, head.seq]))
    for await (const { type, data } of journal.read(run, seq)) {
      if (type === 'run-start' && hasText(data?.input ?? null, text)) return true
      if (type === 'run-end' && hasText([data?.output ?? null, data?.error?.message ?? null], text)) return true
      break
    }
  return false
}

function hasText(value: Json, text: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(text)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((one) => hasText(one, text))
}

/** Describes how to list the next page: the same command with `--after` the last run shown. */
function moreText(runs: readonly RunSummary[], limit: number): string {
  const next = `--after ${runs.at(-1)!.run}`
  return `There are more runs. Show them with --limit ${10 * limit}, or the next page with the same options and ${next}`
}
