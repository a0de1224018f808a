import type { MandateError, FieldNames } from '../core/index.ts'
import { BypassAudit } from './bypass.ts'
import { GENESIS, checkEntry, headOf, isErased } from './entry.ts'
import type { Entry, Head } from './entry.ts'
import { verifyHead } from './signing.ts'
import type { PublicKeys, SignedHead } from './signing.ts'
import { checkVersion } from './versions.ts'

export interface VerifyReport {
  readonly ok: boolean
  readonly run: string
  readonly entries: number
  readonly erased: number
  readonly head: Head
  /** What is wrong, one sentence each, with the number of the entry. */
  readonly problems: readonly string[]
  /** What became of the signature of the head that was given; absent when it had none, or no key to check it with. */
  readonly signature?: 'valid' | 'invalid' | undefined
}

/** What a run is held against besides itself. */
export interface VerifyOptions {
  /** A head that was kept elsewhere. It finds a run that was rewritten or cut, also by someone who computed all hashes anew. */
  readonly head?: Head | SignedHead | undefined
  /** Checks the head's signature. Without it the head counts because of who gave it. */
  readonly publicKeys?: PublicKeys | undefined
}

export const VERIFY_OPTIONS: FieldNames<VerifyOptions> = { head: true, publicKeys: true }

/**
 * Checks a run from its entries alone, without any key: the chain, the numbering, that nothing got around the gate,
 * that nothing ended without having started, and, given a head kept elsewhere, that no tail was dropped.
 *
 * @example
 * ```ts
 * import { memoryJournal, readAll, verifyEntries } from 'mandate/journal'
 * const report = verifyEntries('run_1', await readAll(memoryJournal(), 'run_1'))
 * console.log(report.ok)
 * ```
 */
export function verifyEntries(run: string, entries: Iterable<Entry>, expected?: Head): VerifyReport {
  const audit = new BypassAudit()
  const { problems } = audit
  let head = GENESIS
  let erased = 0
  let expectedSeen = expected === undefined || expected.seq === 0
  for (const entry of entries) {
    try {
      checkVersion(entry)
      checkEntry(entry, head, run)
    } catch (error) {
      problems.push((error as MandateError).message)
      return { ok: false, run, entries: head.seq, erased, head, problems }
    }
    head = headOf(entry)
    if (isErased(entry)) erased += 1
    else audit.see(entry)
    if (expected !== undefined && entry.seq === expected.seq) {
      expectedSeen = true
      if (entry.hash !== expected.hash)
        problems.push(`Entry ${entry.seq} is not the one that was seen before: the run was rewritten.`)
    }
  }
  if (!expectedSeen)
    problems.push(
      `Entry ${expected!.seq} was seen before and is gone: ${expected!.seq - head.seq} entries at the end were dropped.`,
    )
  return { ok: problems.length === 0, run, entries: head.seq, erased, head, problems }
}

/** Adds to a report what the signature of the head is worth that the run was held against. */
export async function withSignature(report: VerifyReport, { head, publicKeys }: VerifyOptions): Promise<VerifyReport> {
  if (head === undefined || !('signature' in head)) {
    if (publicKeys === undefined) return report
    return failed(report, 'There is a public key, but no signed head to check with it.')
  }
  const named = head.run === report.run ? report : failed(report, `The signed head is one of run "${head.run}".`)
  if (publicKeys === undefined) return named
  const check = await verifyHead(head, publicKeys)
  return check.valid ? { ...named, signature: 'valid' } : { ...failed(named, check.problem), signature: 'invalid' }
}

function failed(report: VerifyReport, problem: string): VerifyReport {
  return { ...report, ok: false, problems: [...report.problems, problem] }
}
