import { checkFields } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { checkRunFilter, isErased } from '../../journal/index.ts'
import type {
  ApprovalRequestData,
  ApprovalResponseData,
  Decision,
  EffectDecideData,
  EffectKind,
  EffectStartData,
  Entry,
  Journal,
  PublicKeys,
  RunFilter,
  SignedHead,
} from '../../journal/index.ts'
import { examineRun } from './verification.ts'

/** Damage to a journal, an effect that bypassed the gate, or a run that is missing. */
interface Incident {
  readonly run: string
  readonly problem: string
}

/** A call that the gate, a person or a time limit stopped or changed. This is expected behaviour, not an incident. */
interface BlockedCall {
  readonly run: string
  readonly seq: number
  readonly key: string
  readonly kind: EffectKind
  readonly name: string
  readonly how: 'deny' | 'kill' | 'modify' | 'reject' | 'expire' | 'edit'
  readonly rule: string
  readonly reason: string
  /** The person who decided it. */
  readonly by?: string | undefined
}

/** The report of `auditStore`: the runs it checked, the incidents, and the calls that were blocked or changed. */
export interface AuditReport {
  readonly ok: boolean
  readonly runs: number
  readonly entries: number
  readonly erased: number
  readonly incidents: readonly Incident[]
  readonly blocked: readonly BlockedCall[]
}

export interface AuditOptions {
  /** The newest signed head of each run, kept outside the store. A run that is no longer in the store is an incident. */
  readonly heads?: readonly SignedHead[] | undefined
  /** Verifies the signatures of `heads`. */
  readonly publicKeys?: PublicKeys | undefined
  /** Only runs that match. */
  readonly filter?: RunFilter | undefined
}

const AUDIT_OPTIONS: FieldNames<AuditOptions> = { heads: 'objects', publicKeys: 'text|object', filter: 'object' }

/** Verifies every run of a store, and parents against children. Lists the incidents, and every call that was blocked or changed. */
export async function auditStore(journal: Journal, options: AuditOptions = {}): Promise<AuditReport> {
  checkFields(options, 'an option of `auditStore`', AUDIT_OPTIONS)
  checkRunFilter(options.filter)
  const summaries = await journal.list({ ...options.filter, limit: options.filter?.limit ?? Number.MAX_SAFE_INTEGER })
  const heads = new Map((options.heads ?? []).toSorted((a, b) => a.seq - b.seq).map((head) => [head.run, head]))
  const incidents: Incident[] = []
  const blocked: BlockedCall[] = []
  let [count, erased] = [0, 0]
  for (const { run, parent } of summaries) {
    const head = heads.get(run)
    const publicKeys = head === undefined ? undefined : options.publicKeys
    const { report, entries } = await examineRun(journal, run, { head, publicKeys })
    incidents.push(...report.problems.map((problem) => ({ run, problem })))
    if (parent !== undefined) incidents.push(...(await checkChild(journal, run, entries)))
    blocked.push(...blockedIn(entries))
    count += report.entries
    erased += report.erased
  }
  for (const run of heads.keys())
    if ((await journal.summary(run)) === undefined)
      incidents.push({ run, problem: `Run "${run}" was signed for and is gone.` })
  return { ok: incidents.length === 0, runs: summaries.length, entries: count, erased, incidents, blocked }
}

/**
 * Reports a child run that its parent never started: it would bypass the parent's gate. Keys and types outlive erasure, so this also works for erased
 * runs.
 */
async function checkChild(journal: Journal, run: string, entries: readonly Entry[]): Promise<readonly Incident[]> {
  const start = entries[0]
  if (start === undefined || isErased(start)) return []
  const parent = start.type === 'run-start' ? start.data.parent : undefined
  if (parent === undefined || (await journal.summary(parent.run)) === undefined) return []
  try {
    for await (const { type, key } of journal.read(parent.run))
      if (type === 'effect-start' && key === parent.key) return []
  } catch {
    // A damaged parent is reported when the parent itself is verified.
    return []
  }
  return [{ run, problem: `Its parent "${parent.run}" never started it under "${parent.key}".` }]
}

function blockedIn(entries: readonly Entry[]): readonly BlockedCall[] {
  const requests = new Map<number, ApprovalRequestData>()
  return entries.flatMap((entry): readonly BlockedCall[] => {
    if (isErased(entry)) return []
    if (entry.type === 'approval-request') requests.set(entry.seq, entry.data)
    if (entry.type === 'effect-decide' || entry.type === 'effect-start') return judged(entry, entry.data)
    if (entry.type === 'effect-end') return judged(entry, entry.data.start)
    return entry.type === 'approval-response' ? answered(entry, entry.data, requests) : []
  })
}

function judged(entry: Entry, said: EffectDecideData | EffectStartData | undefined): readonly BlockedCall[] {
  if (said === undefined) return []
  const { kind, name, decision } = said
  const { verdict, rule, reason }: Decision = decision
  if (verdict === 'allow' || verdict === 'ask') return []
  return [{ run: entry.run, seq: entry.seq, key: entry.key ?? '', kind, name, how: verdict, rule, reason }]
}

function answered(
  entry: Entry,
  { answer, edit, request, text, by }: ApprovalResponseData,
  requests: ReadonlyMap<number, ApprovalRequestData>,
): readonly BlockedCall[] {
  const how = answer === 'approve' && edit !== undefined ? 'edit' : answer
  const asked = requests.get(request)
  if (asked === undefined || (how !== 'edit' && how !== 'reject' && how !== 'expire')) return []
  const { kind, name, rule } = asked
  const place = { run: entry.run, seq: entry.seq, key: entry.key ?? '', kind, name }
  return [{ ...place, how, rule, reason: text ?? '', ...(how === 'expire' ? {} : { by: by.id }) }]
}
