import type { MandateError } from '../core/index.ts'
import { GENESIS, checkEntry, headOf, isErased } from './entry.ts'
import type { Entry, Head } from './entry.ts'
import type { ApprovalResponseData, EffectDecideData, EffectEndData } from './entry-data.ts'
import { checkVersion } from './versions.ts'

export interface VerifyReport {
  readonly ok: boolean
  readonly run: string
  readonly entries: number
  readonly erased: number
  readonly head: Head
  /** What is wrong, one sentence each, with the number of the entry. */
  readonly problems: readonly string[]
}

/**
 * Checks a run from its entries alone, without any key: the chain, the numbering, that nothing was performed after a block,
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
  const problems: string[] = []
  const meaning: Meaning = { blocked: new Set(), started: new Set(), requests: new Map(), problems }
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
    else checkMeaning(entry, meaning)
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

interface Meaning {
  readonly blocked: Set<string>
  readonly started: Set<string>
  /** Keys of approval requests, by the seq that responses name. */
  readonly requests: Map<number, string>
  readonly problems: string[]
}

function checkMeaning(entry: Entry, { blocked, started, requests, problems }: Meaning): void {
  const key = entry.key ?? ''
  switch (entry.type) {
    case 'effect-decide': {
      const { verdict } = (entry.data as unknown as EffectDecideData).decision
      if (verdict === 'deny' || verdict === 'kill') blocked.add(key)
      return
    }
    case 'approval-request':
      requests.set(entry.seq, key)
      return
    case 'approval-response': {
      const { answer, request } = entry.data as unknown as ApprovalResponseData
      const asked = requests.get(request)
      if (asked === undefined) problems.push(`Entry ${entry.seq} answers entry ${request}, which asked nothing.`)
      else if (answer === 'reject') blocked.add(asked)
      return
    }
    case 'effect-start':
      started.add(key)
      if (blocked.has(key)) problems.push(`Entry ${entry.seq}: "${key}" was performed although it had been blocked.`)
      return
    case 'effect-end':
      // What ends without having been performed (denied, answered, cancelled while parked) says what was asked instead.
      if (!started.has(key) && (entry.data as unknown as EffectEndData).asked === undefined) {
        problems.push(`Entry ${entry.seq}: "${key}" ended without having started.`)
      }
      return
    default:
  }
}
