import { BUDGET_NOTE, isShown, liftingAnswers, verifyHead } from '../../journal/index.ts'
import type { Entry, Identity, ImportMark, Journal, PublicKeys, RunStartData } from '../../journal/index.ts'
import type { KernelHost } from '../kernel/host.ts'

/** What of a run's journal speaks with authority here. */
export interface Provenance {
  /** Entries that came from elsewhere, and that no signature which this host trusts covers: evidence, never authority. */
  readonly foreign: { readonly from: number; readonly to: number } | undefined
  /**
   * Entries that would let something happen and have no authority, by their numbers. Answers among them are asked for again; changes of the
   * budget count as far as they lower it.
   */
  readonly voided: ReadonlySet<number>
  /** A part of it came from elsewhere, whether a signature covers that or not. */
  readonly isImported: boolean
}

/** Of a run that this host has written itself. */
const OWN: Provenance = { foreign: undefined, voided: new Set(), isImported: false }

type Trust = Pick<KernelHost, 'trustedKeys' | 'signer'>

/**
 * Decides which recorded answers count, each time they are about to be used. One in an imported part counts with a signature of a key that this
 * host trusts, over itself or over the export. Where this host signs the answers that it takes, its own runs are held to the same.
 */
export async function provenanceOf(
  host: Trust,
  imported: ImportMark | undefined,
  entries: readonly Entry[],
): Promise<Provenance> {
  const isSigning = host.trustedKeys !== undefined && host.signer?.signText !== undefined
  if (imported === undefined && !isSigning) return OWN
  const foreign =
    imported === undefined || (await isVouchedFor(imported, entries, host.trustedKeys)) ? undefined : imported
  const voided = new Set<number>()
  for (const answer of liftingAnswers(entries)) {
    const { seq } = answer.entry
    const needsSignature = isWithin(foreign, seq) || (isSigning && !isWithin(imported, seq))
    if (!needsSignature) continue
    if (host.trustedKeys === undefined || !(await isShown(answer, host.trustedKeys))) voided.add(seq)
  }
  for (const entry of entries) if (isWithin(foreign, entry.seq) && isBudgetChange(entry)) voided.add(entry.seq)
  return {
    foreign: foreign === undefined ? undefined : { from: foreign.from, to: foreign.to },
    voided,
    isImported: imported !== undefined,
  }
}

/** The same for a run as its journal has it. */
export async function provenanceIn(
  host: Trust & { readonly journal: Journal },
  run: string,
  entries: readonly Entry[],
): Promise<Provenance> {
  return provenanceOf(host, (await host.journal.summary(run))?.imported, entries)
}

/** Whether an entry stands in a part of a run that came from elsewhere. */
export function isWithin(part: Provenance['foreign'], seq: number): boolean {
  return part !== undefined && seq >= part.from && seq <= part.to
}

function isBudgetChange({ type, key, data }: Entry): boolean {
  return type === 'note' && key === undefined && data?.name === BUDGET_NOTE
}

/** Whether the export that was imported ended with a head that a trusted key has signed, and the run still has that entry. */
async function isVouchedFor(
  { to, signed }: ImportMark,
  entries: readonly Entry[],
  keys: PublicKeys | undefined,
): Promise<boolean> {
  const last = entries[to - 1]
  if (signed === undefined || keys === undefined || last === undefined) return false
  if (signed.run !== last.run || signed.seq !== last.seq || signed.hash !== last.hash) return false
  return (await verifyHead(signed, keys)).valid
}

/**
 * What a run begins with, as far as it is believed. Roles that an imported run claims for itself are kept only where the host's own identity has
 * them too: otherwise the author of an export could take any role. For the same reason an imported child draws on its parent's budget, whatever it
 * says, and stands below its parent.
 */
export function believedStart(
  host: Pick<KernelHost, 'identity'>,
  start: RunStartData,
  { foreign, depth = 0 }: Pick<Provenance, 'foreign'> & { readonly depth?: number | undefined },
): RunStartData {
  if (!isWithin(foreign, 1)) return start
  const { allotted: _, ...claimed } = start
  return { ...claimed, identity: believedIdentity(host, start.identity), depth: Math.max(start.depth, depth) }
}

function believedIdentity({ identity: own }: Pick<KernelHost, 'identity'>, claimed: Identity): Identity {
  return { ...claimed, roles: claimed.roles.filter((role) => own.roles.includes(role)) }
}
