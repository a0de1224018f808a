import { MandateError, checkFields, checkNumbers, newId } from '../../core/index.ts'
import { inScope, redactJson } from '../../redact/index.ts'
import type { BudgetLimits, FieldNames, Json } from '../../core/index.ts'
import { GENESIS, copyBlobs, foldRun, headOf, sealEntry } from '../../journal/index.ts'
import type { Identity, IntactEntry, MindKind, RunStartData, Signal } from '../../journal/index.ts'
import { readRun } from '../lifecycle/resume-run.ts'
import { withoutSecrets } from '../inbox/signals.ts'
import { childId } from '../nested/child-id.ts'
import { beforeLimit, budgetNoteOf } from './fork-budget.ts'
import type { Note } from './fork-budget.ts'
import { withReadEdit } from './fork-options.ts'
import { hostOfRun } from '../kernel/host.ts'
import type { KernelHost } from '../kernel/host.ts'
import { checkRunId, newRunId } from '../lifecycle/create-run.ts'
import { trustedStart, provenanceIn } from './provenance.ts'
import type { Provenance } from './provenance.ts'
import { CANCEL_NOTE, LIMIT_NOTE } from '../lifecycle/prior-interruptions.ts'
import { vaultFor } from '../vault/open-vault.ts'
import { VAULT_NOTE } from '../vault/vault.ts'

/** What a fork shares with the original run, and what it changes. */
export interface ForkOptions {
  /** The last entry to share; by default everything that is finished. */
  readonly at?: number | undefined
  /** What to change: the run's input (then nothing after the start is shared), or the result of one effect (then nothing after its end is shared). */
  readonly edit?: { readonly input: Json } | { readonly key: string; readonly value: Json } | undefined
  /** The id of the new run; generated when absent. */
  readonly runId?: string | undefined
  /**
   * Limits of the fork instead of the original run's; those not named stay. Requires the permission to approve. If a limit ended the original run,
   * the fork shares the entries before that and continues from there.
   */
  readonly budget?: BudgetLimits | undefined
  /** The keys of effects and decisions that are not shared but made again. Everything that followed from them must be left out as well. */
  readonly without?: readonly string[] | undefined
  /** A steering message that the fork's mind reads before its first new effect. */
  readonly message?: Json | undefined
  /** The identity under which the fork continues; that of the original run when absent. */
  readonly identity?: Identity | undefined
}

export const FORK_OPTIONS: FieldNames<ForkOptions> = {
  at: 'number',
  edit: true,
  runId: true,
  identity: 'object',
  budget: 'object',
  message: true,
  without: 'texts',
}

/**
 * Copies the beginning of a run under a new id. Approvals that were given ahead of time are not copied. Calls in doubt and unfinished children are:
 * the fork asks about the calls and continues copies of the children, instead of repeating what may have been done.
 */
export async function forkRun(host: KernelHost, from: string, options: ForkOptions): Promise<string> {
  checkFields(options, 'an option of `fork`', FORK_OPTIONS)
  checkNumbers(options, 'an option of `fork`', { at: 'count' }, 'INPUT_INVALID')
  const id = options.runId === undefined ? newRunId(host) : checkRunId(options.runId)
  await copyRun(host, { from, id, options })
  if (options.message !== undefined) await sendAhead(host, id, options)
  return id
}

/** Puts the message into the fork's inbox, to be read when it is resumed. */
async function sendAhead(host: KernelHost, id: string, { message, identity }: ForkOptions): Promise<void> {
  const { clock, random } = host
  const by = identity ?? host.identity
  const signal: Signal = { id: newId('steer', clock, random), type: 'steer', at: clock.now(), by, data: message! }
  await host.journal.signal(id, await withoutSecrets(host, id, signal))
}

interface Copying {
  readonly from: string
  readonly id: string
  readonly options: ForkOptions
  /** The fork that is the parent of this copy. */
  readonly parent?: RunStartData['parent']
}

async function copyRun(host: KernelHost, { from, id, options: given, parent }: Copying): Promise<void> {
  const { start, entries, foreign } = await readBelieved(host, from)
  const options = withReadEdit(host, start, given)
  const change = budgetNoteOf(host, start, options)
  const at = cutAt(from, entries, options)
  const left = new Set(options.without)
  const shared = left.size === 0 ? entries : entries.filter(({ key }) => key === undefined || !left.has(key))
  const wanted = change === undefined || options.at !== undefined ? shared : beforeLimit(shared)
  const { kept, carried, children } = keptEntries(wanted, at)
  const { edit, sealed } = await safeEdit(host, id, start, options)
  const notes = [sealed, change].filter((note) => note !== undefined)
  const drafts = [...kept, ...notes.map((note) => ({ ...entries[at - 1]!, seq: 0, key: undefined, ...note }))]
  const copies = reseal(host, id, drafts, {
    from,
    at: entries[at - 1]!,
    options: { ...options, edit },
    parent,
    carried,
    madeAt: hostOfRun(host, id, entries[at - 1]!.at).clock.now(),
    activeMs: foldRun(entries.slice(0, kept.at(-1)!.seq)).activeMs,
  })
  const lease = await host.journal.acquire({
    run: id,
    owner: host.owner,
    ttlMs: host.limits.leaseMs,
    now: host.clock.now(),
  })
  try {
    // Children are written before their parent: a parent without them would start them again.
    for (const key of lease.head.seq === 0 ? children : []) await copyChild(host, { from, id, options }, key)
    await copyBlobs(copies, { journal: host.journal, run: from }, { journal: host.journal, run: id })
    // The copied part of imported entries is still imported; what the fork adds is written by this host.
    const to = kept.filter(({ seq }) => seq <= (foreign?.to ?? 0)).length
    const imports = to > 1 ? { from: 2, to } : undefined
    await host.journal.append({ ...lease, imports }, 0, copies)
  } finally {
    await host.journal.release(lease)
  }
}

/** Copies a child. One that has no entries yet is started by its parent. */
async function copyChild(host: KernelHost, { from, id, options }: Copying, key: string): Promise<void> {
  const child = childId(from, key)
  if ((await host.journal.summary(child)) === undefined) return
  await copyRun(host, {
    from: child,
    id: childId(id, key),
    options: { identity: options.identity },
    parent: { run: id, key },
  })
}

interface Kept {
  readonly kept: readonly IntactEntry[]
  /** The keys of effects that are copied although they have not ended. */
  readonly carried: ReadonlySet<string | undefined>
  /** Those of them that are child runs. */
  readonly children: readonly string[]
}

/** The entries that a fork shares, and the unfinished effects among them. */
function keptEntries(entries: readonly IntactEntry[], at: number): Kept {
  const shared = entries.filter((entry) => entry.seq <= at && isShared(entry))
  // What the gate killed the original run for is decided again: otherwise the fork would start killed.
  const killed = new Set(shared.flatMap((entry) => (isKill(entry) ? [entry.key] : [])))
  const ended = new Set(
    shared.flatMap((entry) => (entry.type === 'effect-end' && !killed.has(entry.key) ? [entry.key] : [])),
  )
  const settled = new Set(entries.flatMap((entry) => (isSettled(entry) ? [entry.key] : [])))
  const open = shared
    .filter((entry) => entry.type === 'effect-start')
    .filter(({ key }) => !ended.has(key) && !settled.has(key))
  const children = open.filter(({ data }) => MINDS.includes(data.kind))
  const inDoubt = open.filter(({ data }) => !data.repeatable)
  const carried = new Set([...children, ...inDoubt].map(({ key }) => key))
  const asked = new Set(shared.flatMap((entry) => (isDoubt(entry) ? [entry.seq] : [])))
  const kept = shared.filter((entry) => {
    if (!entry.type.startsWith('effect-') && !entry.type.startsWith('approval-')) return true
    if (ended.has(entry.key)) return true
    // An answer about a call in doubt belongs to the original run.
    const isAnswerToDoubt = entry.type === 'approval-response' && asked.has(entry.data.request)
    return carried.has(entry.key) && !asked.has(entry.seq) && !isAnswerToDoubt
  })
  return { kept, carried, children: children.map(({ key }) => key!) }
}

const MINDS: readonly string[] = ['agent', 'program', 'cell', 'graph'] satisfies MindKind[]

/** Whether the end of the effect is known, in this segment of the run or a later one. */
function isSettled({ type, data }: IntactEntry): boolean {
  return type === 'effect-end' && data.outcome.status !== 'unknown'
}

function isDoubt({ type, data }: IntactEntry): boolean {
  return type === 'approval-request' && data.reason === 'in-doubt'
}

interface Believed {
  readonly start: RunStartData
  readonly entries: readonly IntactEntry[]
  /** The imported part that no trusted signature covers. */
  readonly foreign: Provenance['foreign']
}

/** The entries of a run. Roles that an imported run claims for itself are copied only as far as they are trusted. */
async function readBelieved(host: KernelHost, from: string): Promise<Believed> {
  const [first, ...rest] = await readRun(host, from)
  const provenance = await provenanceIn(host, from, [first, ...rest])
  const start = trustedStart(host, first.data, provenance)
  return {
    start,
    entries: [{ ...first, data: start }, ...rest],
    foreign: provenance.foreign,
  }
}

interface SafeEdit {
  readonly edit: ForkOptions['edit']
  /** The note with the sealed secrets of the edit, where the run has a vault. */
  readonly sealed?: Note | undefined
}

/** A person's edit, redacted like every other input of the journal. */
async function safeEdit(host: KernelHost, id: string, start: RunStartData, { edit }: ForkOptions): Promise<SafeEdit> {
  if (edit === undefined) return { edit }
  const vault = await vaultFor(host, id, start)
  const sealed = await vault?.seal(edit)
  const redactor = vault?.redactor ?? inScope(host.redactor, start.sessionId)
  const safe = redactJson(edit, redactor) as unknown as ForkOptions['edit']
  if (vault?.isLocked === true && (safe as Json) !== edit) throw vault.locked(`What you write into the fork "${id}"`)
  if (sealed === undefined) return { edit: safe }
  return { edit: safe, sealed: { type: 'note', data: { name: VAULT_NOTE, value: sealed } } }
}

/** Whether a fork copies an entry. Segment boundaries and the cancellation of the original run are not copied. */
function isShared({ type, key, data }: IntactEntry): boolean {
  if (type === 'note' && key === undefined) return ![CANCEL_NOTE, LIMIT_NOTE].includes(data.name)
  return type !== 'run-end' && type !== 'run-suspend' && type !== 'run-resume'
}

function isKill({ type, data }: IntactEntry): boolean {
  return type === 'effect-decide' && data.decision.verdict === 'kill'
}

function cutAt(run: string, entries: readonly IntactEntry[], { at, edit }: ForkOptions): number {
  const last = entries.length
  if (at !== undefined && (!Number.isInteger(at) || at < 1 || at > last)) {
    throw new MandateError('INPUT_INVALID', `Run "${run}" has entries 1 to ${last}; it cannot be forked at ${at}.`)
  }
  if (edit === undefined) return at ?? last
  if ('input' in edit) return 1
  const end = entries.find((entry) => entry.type === 'effect-end' && entry.key === edit.key)
  if (end === undefined)
    throw new MandateError('INPUT_INVALID', `Run "${run}" has no finished effect "${edit.key}" to edit.`)
  return end.seq
}

interface Origin {
  readonly from: string
  readonly at: IntactEntry
  /** When the fork was made. */
  readonly madeAt: number
  /** The active time of the shared part. */
  readonly activeMs: number
  readonly options: ForkOptions
  readonly parent?: RunStartData['parent']
  readonly carried: Kept['carried']
}

function reseal(host: KernelHost, id: string, kept: readonly IntactEntry[], origin: Origin): IntactEntry[] {
  const copies: IntactEntry[] = []
  const places = new Map<number, number>()
  let head = GENESIS
  for (const entry of kept) {
    places.set(entry.seq, head.seq + 1)
    const copy = sealEntry(id, head, rewrite(entry, places, origin), host.random.hex(16))
    copies.push(copy)
    head = headOf(copy)
  }
  return copies
}

function rewrite(
  entry: IntactEntry,
  places: ReadonlyMap<number, number>,
  { from, at, madeAt, activeMs, options: { edit, identity }, parent, carried }: Origin,
): IntactEntry {
  if (entry.type === 'run-start') {
    const { parent: _parent, ...start } = entry.data
    const input = edit !== undefined && 'input' in edit ? edit.input : start.input
    const who = identity ?? start.identity
    const forkOf = { run: from, seq: at.seq, hash: at.hash, at: madeAt, ...(activeMs > 0 ? { activeMs } : {}) }
    const data = { ...start, input, identity: who, ...(parent === undefined ? {} : { parent }), forkOf }
    return { ...entry, data }
  }
  if (entry.type === 'approval-response') {
    const { data } = entry
    return { ...entry, data: { ...data, request: places.get(data.request) ?? data.request } }
  }
  if (entry.type === 'effect-start' && carried.has(entry.key)) {
    // The question about it, or its retry, uses the idempotency key of the original call.
    return { ...entry, data: { idempotencyKey: `${from}/${entry.key!}`, ...entry.data } }
  }
  if (entry.type === 'effect-end' && edit !== undefined && 'key' in edit && entry.key === edit.key) {
    return { ...entry, data: { ...entry.data, outcome: { status: 'ok', value: edit.value } } }
  }
  return entry
}
