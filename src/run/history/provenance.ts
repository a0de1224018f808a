import { BUDGET_NOTE, isShown, liftingAnswers, verifyHead } from '../../journal/index.ts'
import type { Entry, Identity, ImportMark, Journal, PublicKeys, RunStartData } from '../../journal/index.ts'
import type { KernelHost } from '../kernel/host.ts'

/** Which entries of a run's journal have authority on this host. */
export interface Provenance {
  /** Imported entries that no trusted signature covers: evidence, without authority. */
  readonly foreign: { readonly from: number; readonly to: number } | undefined
  /**
   * The numbers of entries that would permit something but have no authority. Voided answers are asked for again; voided budget changes count as far
   * as they lower the budget.
   */
  readonly voided: ReadonlySet<number>
  /** A part of the run was imported, signed or not. */
  readonly isImported: boolean
}

/** The provenance of a run that this host wrote itself. */
const OWN: Provenance = { foreign: undefined, voided: new Set(), isImported: false }

type Trust = Pick<KernelHost, 'trustedKeys' | 'signer'>

/**
 * Decides which recorded answers count; called each time before they are used. An answer in an imported part counts if a trusted key has signed the
 * answer or the export. On a host that signs the answers it receives, answers in its own runs need a signature too.
 */
export async function provenanceOf(
  host: Trust,
  imported: ImportMark | undefined,
  entries: readonly Entry[],
): Promise<Provenance> {
  const isSigning = host.trustedKeys !== undefined && host.signer?.signText !== undefined
  if (imported === undefined && !isSigning) return OWN
  const foreign =
    imported === undefined || (await hasTrustedHead(imported, entries, host.trustedKeys)) ? undefined : imported
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

/** Decides the provenance of a run in the journal. */
export async function provenanceIn(
  host: Trust & { readonly journal: Journal },
  run: string,
  entries: readonly Entry[],
): Promise<Provenance> {
  return provenanceOf(host, (await host.journal.summary(run))?.imported, entries)
}

/** Whether an entry is in an imported part of a run. */
export function isWithin(part: Provenance['foreign'], seq: number): boolean {
  return part !== undefined && seq >= part.from && seq <= part.to
}

function isBudgetChange({ type, key, data }: Entry): boolean {
  return type === 'note' && key === undefined && data?.name === BUDGET_NOTE
}

/** Whether the imported export ended with a head that a trusted key has signed, and the run still has that entry. */
async function hasTrustedHead(
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
 * The start of a run, as far as it is trusted. Roles that an imported run claims are kept only where the host's own identity has them too: otherwise
 * the author of an export could take any role. For the same reason an imported child always draws on its parent's budget, is driven with it, and is
 * nested below it.
 */
export function trustedStart(
  host: Pick<KernelHost, 'identity'>,
  start: RunStartData,
  { foreign, depth = 0 }: Pick<Provenance, 'foreign'> & { readonly depth?: number | undefined },
): RunStartData {
  if (!isWithin(foreign, 1)) return start
  const { allotted: _allotted, apart: _apart, ...claimed } = start
  return { ...claimed, identity: believedIdentity(host, start.identity), depth: Math.max(start.depth, depth) }
}

function believedIdentity({ identity: own }: Pick<KernelHost, 'identity'>, claimed: Identity): Identity {
  return { ...claimed, roles: claimed.roles.filter((role) => own.roles.includes(role)) }
}
