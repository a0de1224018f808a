import { MandateError, messageOf } from '../core/index.ts'
import { GENESIS, verifyEntries } from '../journal/index.ts'
import type { Entry, Head, Journal, VerifyReport } from '../journal/index.ts'

/** Verifies a run as its store has it. Damage is a finding, not an exception: the report says where. */
export async function verifyRun(journal: Journal, run: string, known?: Head): Promise<VerifyReport> {
  const summary = await journal.summary(run)
  if (summary === undefined) throw new MandateError('NOT_FOUND', `There is no run "${run}" to verify.`)
  const entries: Entry[] = []
  let damage: string | undefined
  try {
    for await (const entry of journal.read(run)) entries.push(entry)
  } catch (error) {
    damage = messageOf(error)
  }
  const expected = known ?? (await journal.knownHead?.(run)) ?? summary.head
  const report = verifyEntries(run, entries, damage === undefined ? expected : undefined)
  if (damage === undefined) return report
  return {
    ...report,
    ok: false,
    head: entries.length === 0 ? GENESIS : report.head,
    problems: [...report.problems, damage],
  }
}
