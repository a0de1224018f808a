import type { Json, Outcome } from '../../core/index.ts'
import { readAll, tail } from '../../journal/index.ts'
import type { Entry, RunSummary } from '../../journal/index.ts'
import { Kernel } from '../../run/index.ts'
import { EXIT, exitCodeOfSignal } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { withJournal } from '../host.ts'
import { untilStopped } from '../interrupt.ts'
import { clip, listing, moment, note, print, printLine } from '../output.ts'
import { reportOf } from '../workers.ts'
import { need, readNumber } from './command.ts'
import { usageOf } from '../help/commands.ts'
import type { Command } from './command.ts'
import { MandateError, systemClock } from '../../core/index.ts'

export const runsCommand: Command = {
  run: (flags) =>
    withJournal(flags, async (journal) => {
      const limit = readLimit(flags.limit, RUNS)
      // One more than is shown tells whether there are more.
      const found = await new Kernel({ journal }).list({ limit: limit + 1 })
      const runs = found.slice(0, limit)
      if (found.length > limit)
        note(`these are the ${limit} newest runs, and there are more: mandate runs --limit ${10 * limit}`)
      const held = new Map((await reportOf(journal))?.held.map(({ run, reason }) => [run, reason]))
      const listed = runs.map((run) => (held.has(run.run) ? { ...run, held: held.get(run.run)! } : run))
      const now = systemClock.now()
      print(flags, listed, () =>
        listing(
          ['run', 'state', 'name', 'updated'],
          runs.map((run) => {
            const reason = held.get(run.run)
            const more = reason === undefined ? [] : [`waits for a worker: ${clip(reason, 100)}`]
            return [run.run, stateOf(run), run.name, moment(run.updatedAt, now), ...more]
          }),
        ),
      )
      if (runs.length === 0 && process.stdout.isTTY) note('There are no runs here. Start one with: mandate run <file>')
      return EXIT.ok
    }),
}

const RUNS = 100

/** How many lines of a list are wanted. */
export function readLimit(text: string | undefined, usual: number): number {
  const limit = text === undefined ? usual : readNumber(text, '--limit')
  if (Number.isSafeInteger(limit) && limit > 0) return limit
  throw new MandateError('INPUT_INVALID', `--limit is how many are listed: a whole number above 0, not ${text}.`)
}

function stateOf({ state, suspendReason }: RunSummary): string {
  return suspendReason === undefined ? state : `${state} (${suspendReason})`
}

export const showCommand: Command = {
  run: (flags, words) =>
    withJournal(flags, async (journal) => {
      const id = need(words, 0, usageOf('show'))
      const summary = await journal.summary(id)
      if (summary === undefined) throw noRun(id)
      const entries = await readAll(journal, id)
      print(flags, { summary, entries }, () =>
        [`${id}  ${stateOf(summary)}  ${summary.name}  ${iso(summary.createdAt)}`, ...entries.map(lineOf)].join('\n'),
      )
      return EXIT.ok
    }),
}

export const logsCommand: Command = {
  run: (flags, words) =>
    withJournal(flags, async (journal) => {
      const id = need(words, 0, usageOf('logs'))
      if (flags.follow && flags.json)
        throw new MandateError(
          'INPUT_INVALID',
          '--json prints one value when everything is known. Use --jsonl with -f: one entry a line, as they come.',
        )
      if ((await journal.summary(id)) === undefined) throw noRun(id)
      if (flags.json) {
        printLine(await readAll(journal, id))
        return EXIT.ok
      }
      const { signal: stopped } = await untilStopped(async (signal) => {
        const entries = flags.follow ? tail(journal, id, { signal }) : journal.read(id)
        for await (const entry of entries) printEntry(flags, entry)
      })
      return stopped === undefined ? EXIT.ok : exitCodeOfSignal(stopped)
    }),
}

function printEntry(flags: Flags, entry: Entry): void {
  print(flags, entry, () => lineOf(entry))
}

function lineOf(entry: Entry): string {
  const { seq, at, type, key = '' } = entry
  return `${String(seq).padStart(5)}  ${iso(at)}  ${type.padEnd(17)}  ${key.padEnd(16)}  ${gist(entry)}`
}

/** What matters about an entry, in a few words. */
export function gist({ type, data }: Entry, length = 100): string {
  if (data === null) return '(erased)'
  switch (type) {
    case 'effect-end':
      return `${data.outcome.status} ${clip(cameTo(data.outcome), length)}`
    case 'effect-start':
      return `${data.name} ${clip(data.input, length)}`
    case 'effect-decide':
      return `${data.name} ${data.decision.verdict}: ${clip(data.decision.reason, length)}`
    case 'run-end':
      return data.state
    case 'run-suspend':
    case 'effect-retry':
      return clip(data.reason, length)
    case 'approval-request':
      return clip(data.text, length)
    case 'approval-response':
      return clip(data.text ?? data.answer, length)
    default:
      return clip(data, length)
  }
}

function cameTo(outcome: Outcome<Json>): Json {
  if (outcome.status === 'ok') return outcome.value
  return outcome.status === 'failed' ? outcome.error.message : outcome.reason
}

export function noRun(id: string): MandateError {
  return new MandateError('NOT_FOUND', `There is no run "${id}" here. List the runs with: mandate runs`)
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
