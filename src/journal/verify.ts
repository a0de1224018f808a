import type { MandateError, FieldNames } from '../core/index.ts'
import { citedAnswers, isShown, liftingAnswers } from './signatures/answer-signature.ts'
import { BypassAudit } from './gate-audit.ts'
import { GENESIS, checkEntry, headOf, isErased } from './entry.ts'
import type { Entry, Head } from './entry.ts'
import { wrongShape } from './entry-shape.ts'
import { verifyHead } from './signatures/head-signature.ts'
import type { PublicKeys, SignedHead } from './signatures/head-signature.ts'
import type { ImportMark } from './summary.ts'
import { checkVersion } from './versions.ts'

/** The result of `verify`: whether the chain is intact, and whether the authority of answers is proven. */
export interface VerifyReport {
  /** Whether no problem was found. */
  readonly ok: boolean
  /** The run that was verified. */
  readonly run: string
  /** The number of entries read. */
  readonly entries: number
  /** The number of erased entries among them. */
  readonly erased: number
  /** The last entry: compare it with a head that is kept elsewhere. */
  readonly head: Head
  /** The problems, one sentence each, with the number of the entry. */
  readonly problems: readonly string[]
  /** The result of verifying the signature of the given head; absent if it had none, or there was no key. */
  readonly signature?: 'valid' | 'invalid' | undefined
  /** Whether the hash chain is intact: no entry was changed, moved or removed. This does not prove who wrote it. */
  readonly chain: 'intact' | 'broken'
  /**
   * Whether the authority of the answers that permit something is proven: each by its own signature, or by a valid signed head after it. `not-needed`
   * if there are none; `not-shown` also if there was no key.
   */
  readonly authority: 'shown' | 'not-shown' | 'not-needed'
  /** The numbers of the entries with unproven answers. */
  readonly unproven: readonly number[]
  /** The last entry that a valid signed head covers; later entries were added since. */
  readonly covered?: number | undefined
  /** The imported part of the run, if there is one. */
  readonly imported?: ImportMark | undefined
}

/** What a run is verified against. */
export interface VerifyOptions {
  /** A head that was kept elsewhere. It detects a run that was rewritten or truncated, even with recomputed hashes. */
  readonly head?: Head | SignedHead | undefined
  /** Verifies the head's signature. Without it the head is trusted as given. */
  readonly publicKeys?: PublicKeys | undefined
  /** Verifies the signatures of answers alone, where there is no signed head; `publicKeys` do that as well. */
  readonly trustedKeys?: PublicKeys | undefined
}

export const VERIFY_OPTIONS: FieldNames<VerifyOptions> = {
  head: 'object',
  publicKeys: 'text|object',
  trustedKeys: 'text|object',
}

/**
 * Verifies a run from its entries alone, without any key: the chain, the numbering, that nothing bypassed the gate, that nothing ended without a
 * start, and, given a head kept elsewhere, that no tail was removed.
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
  let isSame = true
  for (const entry of entries) {
    try {
      checkVersion(entry)
      checkEntry(entry, head, run)
    } catch (error) {
      problems.push((error as MandateError).message)
      return { ok: false, run, entries: head.seq, erased, head, problems, chain: 'broken', ...NOT_SHOWN }
    }
    head = headOf(entry)
    const wrong = wrongShape(entry)
    if (wrong !== undefined) problems.push(`Entry ${entry.seq} is not one that this runtime writes: ${wrong}.`)
    else if (isErased(entry)) erased += 1
    else audit.see(entry)
    if (expected !== undefined && entry.seq === expected.seq) {
      expectedSeen = true
      isSame = entry.hash === expected.hash
      if (!isSame) problems.push(`Entry ${entry.seq} is not the one that was seen before: the run was rewritten.`)
    }
  }
  if (!expectedSeen)
    problems.push(
      `Entry ${expected!.seq} was seen before and is gone: ${expected!.seq - head.seq} entries at the end were dropped.`,
    )
  const chain = isSame && expectedSeen ? 'intact' : 'broken'
  return { ok: problems.length === 0, run, entries: head.seq, erased, head, problems, chain, ...NOT_SHOWN }
}

/** The authority in a report before it is verified. */
const NOT_SHOWN = { authority: 'not-shown', unproven: [] } as const

/**
 * Adds to a report whether the authority of answers is proven. An intact chain only shows that nothing was changed since it was written; an attacker
 * who recomputes hashes can write an intact chain with a forged approval in it.
 */
export async function withAuthority(
  report: VerifyReport,
  entries: Iterable<Entry>,
  { head, publicKeys }: VerifyOptions,
): Promise<VerifyReport> {
  const all = [...entries]
  const answers = report.chain === 'intact' ? [...liftingAnswers(all), ...citedAnswers(all)] : []
  const covered = head !== undefined && report.chain === 'intact' && report.signature === 'valid' ? head.seq : undefined
  const unproven: number[] = []
  for (const answer of answers) {
    if (answer.entry.seq <= (covered ?? 0)) continue
    if (publicKeys === undefined || !(await isShown(answer, publicKeys))) unproven.push(answer.entry.seq)
  }
  const isShownAll = report.chain === 'intact' && unproven.length === 0
  const authority = !isShownAll ? 'not-shown' : answers.length === 0 ? 'not-needed' : 'shown'
  return { ...report, authority, unproven, ...(covered === undefined ? {} : { covered }) }
}

/** Adds to a report whether the signature of the given head is valid. */
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
