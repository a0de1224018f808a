import { MandateError, systemClock } from '../../../core/index.ts'
import { retain } from '../../../store/sqlite/index.ts'
import { EXIT } from '../../exit-codes.ts'
import type { Flags } from '../../flags.ts'
import { withJournal } from '../../host.ts'
import { count, note, print } from '../../output.ts'
import { askLine } from '../../terminal/prompts.ts'
import { TIME_UNITS, readNumber } from '../command.ts'
import type { Command } from '../command.ts'

type Limits = Omit<Parameters<typeof retain>[1], 'dryRun'>
type Report = Awaited<ReturnType<typeof retain>>

/** Erases the content of old runs. It first shows the runs concerned, because erasure cannot be undone. */
export const retentionCommand: Command = {
  async run(flags) {
    const limits = limitsOf(flags)
    return withJournal(flags, async (journal) => {
      const plan = await retain(journal, { ...limits, dryRun: true })
      const isWanted = plan.runs.length > 0 && (flags.yes || (await isAgreed(flags, plan)))
      const report = isWanted ? await retain(journal, limits) : plan
      print(flags, { ...report, erased: isWanted }, () => report.runs.join('\n'))
      note(textOf(report, isWanted))
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

async function isAgreed(flags: Flags, { runs }: Report): Promise<boolean> {
  if (flags.noInput || flags.json || flags.jsonl || !process.stdin.isTTY) return false
  note(runs.join('\n'))
  return /^y(?:es)?$/i.test(await askLine(`Erase what ${count(runs.length, 'run')} said?`, 'no'))
}

function textOf({ runs, entries, bytes }: Report, isErased: boolean): string {
  if (runs.length === 0) return 'No run exceeds the limits. Runs that have not ended are never erased.'
  const size = bytes === undefined ? '' : `, ${bytes} bytes`
  const what = `${count(runs.length, 'run')} with ${count(entries, 'entry', 'entries')}${size}`
  return isErased
    ? `Erased the contents of ${what}. The hash chains stay, and can still be verified.`
    : `Would erase the contents of ${what}; nothing was erased. Add --yes to do it. Hash chains stay, and so do runs that have not ended.`
}
