import { MandateError, messageOf } from '../core/index.ts'
import { GENESIS, verifyEntries, withSignature } from '../journal/index.ts'
import type { Entry, Journal, VerifyOptions, VerifyReport } from '../journal/index.ts'

/** Verifies a run as its store has it. Damage is a finding, not an exception: the report says where. */
export async function verifyRun(journal: Journal, run: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  return (await examineRun(journal, run, options)).report
}

/** The same, with the entries that could be read. */
export async function examineRun(
  journal: Journal,
  run: string,
  options: VerifyOptions = {},
): Promise<{ readonly report: VerifyReport; readonly entries: readonly Entry[] }> {
  const summary = await journal.summary(run)
  if (summary === undefined) throw new MandateError('NOT_FOUND', `There is no run "${run}" to verify.`)
  const entries: Entry[] = []
  let damage: string | undefined
  try {
    for await (const entry of journal.read(run)) entries.push(entry)
  } catch (error) {
    damage = messageOf(error)
  }
  const expected = options.head ?? (await journal.knownHead?.(run)) ?? summary.head
  const found = verifyEntries(run, entries, damage === undefined ? expected : undefined)
  const report =
    damage === undefined
      ? found
      : {
          ...found,
          ok: false,
          head: entries.length === 0 ? GENESIS : found.head,
          problems: [...found.problems, damage],
        }
  return { report: await withSignature(report, options), entries }
}
