import { MandateError, messageOf } from '../../core/index.ts'
import { GENESIS, blobsOf, namedBlob, verifyEntries, withAuthority, withSignature } from '../../journal/index.ts'
import type { Entry, Journal, VerifyOptions, VerifyReport } from '../../journal/index.ts'

/** Verifies a run in its store. Damage is reported as a finding with its place, not thrown. */
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
  const wrong = damage ?? (await behindHead(journal, run, entries.length))
  const report: VerifyReport =
    wrong === undefined
      ? found
      : {
          ...found,
          ok: false,
          chain: 'broken',
          head: entries.length === 0 ? GENESIS : found.head,
          problems: [...found.problems, wrong],
        }
  const files = await blobProblems(journal, run, entries)
  const whole = files.length === 0 ? report : { ...report, ok: false, problems: [...report.problems, ...files] }
  const { imported } = summary
  const signed = await withSignature(imported === undefined ? whole : { ...whole, imported }, options)
  const keys = options.publicKeys ?? options.trustedKeys
  return { report: await withAuthority(signed, entries, { head: options.head, publicKeys: keys }), entries }
}

/**
 * Lists blobs beside the journal that are missing or do not match their hash. Where entries are encrypted for another reader, so are the names of
 * their blobs.
 */
async function blobProblems(journal: Journal, run: string, entries: readonly Entry[]): Promise<readonly string[]> {
  const problems: string[] = []
  for (const hash of new Set(entries.flatMap(blobsOf)))
    await namedBlob(journal, run, hash).catch((error: unknown) => problems.push(messageOf(error)))
  return problems
}

/**
 * Reports entries behind the head recorded by the store: they were written past the journal, and a resume refuses them. The head is read after the
 * entries, because a run may grow in between but never shrinks.
 */
async function behindHead(journal: Journal, run: string, read: number): Promise<string | undefined> {
  const { seq } = (await journal.summary(run))?.head ?? GENESIS
  if (read <= seq) return undefined
  return `Entry ${seq} is the last one that was appended; the store has ${read - seq} more behind it, which the journal did not write.`
}
