import { MandateError, systemClock } from '../../../core/index.ts'
import { retain } from '../../../store/sqlite/index.ts'
import { EXIT } from '../../exit-codes.ts'
import type { Flags } from '../../flags.ts'
import { withJournal } from '../../host.ts'
import { count, note, print } from '../../output.ts'
import { listing, moment } from '../../terminal/layout.ts'
import { askLine } from '../../terminal/prompts.ts'
import { TIME_UNITS, readNumber } from '../command.ts'
import type { Command } from '../command.ts'

type Limits = Omit<Parameters<typeof retain>[1], 'dryRun'>
type Report = Awaited<ReturnType<typeof retain>>

/** Erases the content of old sessions and runs. It first shows what they are, because erasure cannot be undone and ends a session. */
export const retentionCommand: Command = {
  async run(flags) {
    const limits = limitsOf(flags)
    return withJournal(flags, async (journal) => {
      const plan = await retain(journal, { ...limits, dryRun: true })
      const isWanted = plan.runs.length > 0 && (flags.yes || (await isAgreed(flags, plan)))
      const report = isWanted ? await retain(journal, limits) : plan
      print(flags, { ...report, erased: isWanted }, () => listOf(report))
      note(textOf(report, isWanted))
      noteKept(report)
      for (const { run, problem } of report.damaged ?? []) note(`${run} is damaged and was left as it is: ${problem}`)
      return report.damaged === undefined ? EXIT.ok : EXIT.store
    })
  },
}

function limitsOf({ olderThan, keep, maxBytes }: Flags): Limits {
  if (olderThan === undefined && keep === undefined && maxBytes === undefined)
    throw new MandateError(
      'INPUT_INVALID',
      'Give a limit: --older-than 30d, --keep <runs> or --max-bytes <bytes>. A run that exceeds any of them is erased.',
    )
  return {
    now: systemClock.now(),
    ...(olderThan === undefined ? {} : { olderThanMs: readDuration(olderThan) }),
    ...(keep === undefined ? {} : { keepRuns: readNumber(keep, '--keep') }),
    ...(maxBytes === undefined ? {} : { maxBytes: readNumber(maxBytes, '--max-bytes') }),
  }
}

function readDuration(text: string): number {
  const [, amount, unit] = /^(\d+)([smhd])$/u.exec(text) ?? []
  if (unit !== undefined) return Number(amount) * TIME_UNITS[unit]!
  throw new MandateError('INPUT_INVALID', `--older-than must be a time such as 30d, 12h or 30m, not "${text}".`)
}

/** What is erased, by meaning. A run that no session shares with others has its own id as that of its session. */
function listOf({ sessions }: Report): string {
  const now = systemClock.now()
  return listing(
    ['session', 'of', 'runs', 'last used'],
    sessions.map(({ session, mind, name, runs, usedAt }) => [
      session,
      `${mind} ${name}`,
      String(runs),
      moment(usedAt, now),
    ]),
  )
}

const KEPT_MAX = 10

/** Reports what exceeds a limit and is kept, because it can still be used. */
function noteKept({ kept }: Report): void {
  for (const { session, runs, reason } of kept.slice(0, KEPT_MAX))
    note(`Kept ${count(runs, 'run')} of session ${session} that exceed the limits: ${reason}.`)
  if (kept.length > KEPT_MAX) note(`Kept runs of ${count(kept.length - KEPT_MAX, 'more session')}; --json lists all.`)
}

async function isAgreed(flags: Flags, report: Report): Promise<boolean> {
  if (flags.noInput || flags.json || flags.jsonl || !process.stdin.isTTY) return false
  note(listOf(report))
  return /^y(?:es)?$/i.test(await askLine(`Erase what ${count(report.runs.length, 'run')} said?`, 'no'))
}

function textOf({ runs, sessions, entries, bytes }: Report, isErased: boolean): string {
  if (runs.length === 0)
    return 'Nothing is to be erased: no session exceeds the limits as a whole. Runs that have not ended are never erased.'
  const size = bytes === undefined ? '' : `, ${bytes} bytes`
  const what = `${count(runs.length, 'run')} of ${count(sessions.length, 'session')} with ${count(entries, 'entry', 'entries')}${size}`
  return isErased
    ? `Erased the contents of ${what}. The hash chains stay, and can still be verified.`
    : `Would erase the contents of ${what}; nothing was erased. These sessions cannot be continued then. Add --yes to do it. Hash chains stay, and so do runs that have not ended.`
}
