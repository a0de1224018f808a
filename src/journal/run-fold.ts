import { MandateError } from '../core/index.ts'
import type { BudgetUnit, BudgetLimits, Json } from '../core/index.ts'
import { BUDGET_NOTE } from './entry-data.ts'
import { isErased } from './entry.ts'
import type { Entry, IntactEntry } from './entry.ts'
import type { StandingApproval } from './approvals/approval-data.ts'
import type {
  ApprovalRequestData,
  ApprovalResponseData,
  BudgetNote,
  EffectEndData,
  EffectStartData,
  MessageAppendData,
  NoteData,
  RunEndData,
  RunStartData,
  RunState,
  RunSuspendData,
  Spend,
} from './entry-data.ts'

/** The note of a signal that was read and refused. */
export const SIGNAL_REFUSED = 'signal-refused'

/** The recorded state of one effect. */
export interface EffectRecord {
  readonly key: string
  start?: { readonly seq: number; readonly data: EffectStartData } | undefined
  end?: { readonly seq: number; readonly at: number; readonly data: EffectEndData } | undefined
  /** Attempts so far, counted from retries. */
  attempts: number
  /** The seq of the last retry: answers given before it are about an earlier attempt. */
  retriedAt: number
  readonly approvals: ApprovalRecord[]
}

export interface ApprovalRecord {
  readonly seq: number
  readonly key: string
  readonly at: number
  readonly data: ApprovalRequestData
  /** The id of the identity that started the run. */
  readonly startedBy?: string | undefined
  response?: ApprovalResponseData | undefined
  /** The number of answers to it that were refused when they were read. */
  refusals?: number | undefined
}

/** A recorded result that a mind will get: the end of an effect or the decision of a strategy, in journal order. */
export interface Delivery {
  readonly key: string
  readonly seq: number
  readonly at: number
}

/** The state of a run, folded from its entries one by one, the same live as when read from the journal. */
export class RunOutline {
  start: RunStartData | undefined
  startedAt = 0
  lastAt = 0
  seq = 0
  state: RunState = 'running'
  end: RunEndData | undefined
  suspend: RunSuspendData | undefined
  /**
   * The active time of the run, as far as its entries show. A segment that ended in a crash counts up to its last entry: by the recorded active time,
   * or by the entries' timestamps if there is none.
   */
  activeMs = 0
  spent: Spend = {}
  /** The run's own limits: the initial ones with later changes. */
  budget: BudgetLimits = {}
  protected readonly voided: ReadonlySet<number>
  /** Entries of this segment record the active time. */
  #isStamped = false
  /** Entries before the first resumption are copies, whose timestamps are those of another run. */
  #isCopied = false

  /** `voided`: the numbers of entries that would permit something but have no authority here. */
  constructor(voided: ReadonlySet<number> = new Set()) {
    this.voided = voided
  }

  apply(entry: Entry): void {
    if (isErased(entry)) throw erased(entry)
    if (this.state === 'running') this.#countTime(entry)
    this.seq = entry.seq
    this.lastAt = entry.at
    switch (entry.type) {
      case 'run-start':
        this.start = entry.data
        this.startedAt = entry.at
        this.budget = this.start.budget ?? {}
        this.#isCopied = this.start.forkOf !== undefined
        this.activeMs = this.start.forkOf?.activeMs ?? 0
        return
      case 'run-suspend':
        this.suspend = entry.data
        this.activeMs = this.suspend.activeMs
        this.state = 'suspended'
        return
      case 'run-resume':
        this.state = 'running'
        this.suspend = undefined
        this.#isStamped = false
        this.#isCopied = false
        return
      case 'run-end':
        this.end = entry.data
        this.activeMs = this.end.activeMs
        this.state = this.end.state
        return
      case 'note':
        if (entry.key === undefined) this.#note(entry.seq, entry.data)
        return
      case 'effect-end':
      case 'effect-retry':
        this.spent = addSpend(this.spent, entry.data.spent ?? {})
        return
      default:
    }
  }

  #note(seq: number, { name, value }: NoteData): void {
    if (name !== BUDGET_NOTE) return
    const { budget } = value as unknown as BudgetNote
    this.budget = { ...this.budget, ...(this.voided.has(seq) ? lowered(this.budget, budget) : budget) }
  }

  #countTime(entry: IntactEntry): void {
    if (entry.type === 'run-start' || entry.type === 'run-resume') return
    const told = toldTime(entry)
    if (told !== undefined) {
      this.activeMs = this.#isStamped ? Math.max(this.activeMs, told) : told
      this.#isStamped = true
    } else if (!this.#isStamped && !this.#isCopied) this.activeMs += Math.max(0, entry.at - this.lastAt)
  }
}

/** The active time that an entry records, if it does. */
function toldTime({ type, data }: IntactEntry): number | undefined {
  if (type !== 'effect-start' && type !== 'effect-retry' && type !== 'effect-end') return undefined
  return typeof data.activeMs === 'number' ? data.activeMs : undefined
}

/** The complete state of a run: its outline, and everything recorded under a key. */
export class RunFold extends RunOutline {
  readonly effects: Map<string, EffectRecord> = new Map()
  readonly notes: Map<string, { seq: number; value: NoteData['value'] }> = new Map()
  readonly messages: Map<string, { seq: number; message: MessageAppendData['message'] }> = new Map()
  readonly deliveries: Delivery[] = []
  readonly approvals: Map<number, ApprovalRecord> = new Map()
  readonly standing: StandingApproval[] = []
  /** The keys of effects that have started and not ended. */
  readonly openStarts: Set<string> = new Set()
  /** The entries so far are those of the original run: the fork has not continued yet. */
  #isInherited = false

  override apply(entry: Entry): void {
    super.apply(entry)
    // Erased entries are refused above.
    if (isErased(entry)) return
    if (entry.type === 'run-start') this.#isInherited = entry.data.forkOf !== undefined
    else if (entry.type === 'run-resume') this.#isInherited = false
    if (entry.type === 'approval-response') this.#respond(entry.seq, entry.data)
    else if (entry.key !== undefined) this.#applyKeyed(entry, entry.key)
    else if (entry.type === 'note') this.#refused(entry.data)
  }

  /** Frees the data of a finished effect, once its mind has it, so that memory does not grow with the length of the run. */
  forget(key: string): void {
    this.effects.delete(key)
    this.notes.delete(key)
  }

  /** Unanswered approval requests. */
  pending(): ApprovalRecord[] {
    return [...this.approvals.values()].filter((record) => record.response === undefined)
  }

  #applyKeyed(entry: IntactEntry, key: string): void {
    switch (entry.type) {
      case 'effect-start':
        this.#effect(key).start = { seq: entry.seq, data: entry.data }
        this.openStarts.add(key)
        return
      case 'effect-retry': {
        const record = this.#effect(key)
        record.attempts += 1
        record.retriedAt = entry.seq
        return
      }
      case 'effect-end': {
        const record = this.#effect(key)
        const { start } = entry.data
        if (start !== undefined) record.start = { seq: entry.seq, data: start }
        record.end = { seq: entry.seq, at: entry.at, data: entry.data }
        this.openStarts.delete(key)
        this.deliveries.push({ key, seq: entry.seq, at: entry.at })
        return
      }
      case 'approval-request': {
        const { seq, at, data } = entry
        const record: ApprovalRecord = { seq, key, at, data, startedBy: this.start?.identity.id }
        this.approvals.set(seq, record)
        this.#effect(key).approvals.push(record)
        return
      }
      case 'message-append':
        this.messages.set(key, { seq: entry.seq, message: entry.data.message })
        return
      case 'note':
        this.notes.set(key, { seq: entry.seq, value: entry.data.value })
        this.deliveries.push({ key, seq: entry.seq, at: entry.at })
        return
      default:
    }
  }

  #respond(seq: number, data: ApprovalResponseData): void {
    const record = this.approvals.get(data.request)
    if (this.voided.has(seq)) return this.#withdraw(record)
    if (record !== undefined) record.response = data
    // Approvals given ahead of time were given for the original run of a fork; those that reach beyond their run are read from the service's journal.
    const { standing } = data
    if (standing !== undefined && standing.bound === undefined && !this.#isInherited) this.standing.push(standing)
  }

  #refused({ name, value }: NoteData): void {
    if (name !== SIGNAL_REFUSED) return
    const { request } = (value ?? {}) as { readonly request?: Json }
    const record = typeof request === 'number' ? this.approvals.get(request) : undefined
    if (record !== undefined) record.refusals = (record.refusals ?? 0) + 1
  }

  /** Removes an answer without authority: the question is asked again, as a new request. */
  #withdraw(record: ApprovalRecord | undefined): void {
    if (record === undefined || record.response !== undefined) return
    this.approvals.delete(record.seq)
    const { approvals } = this.#effect(record.key)
    approvals.splice(approvals.indexOf(record), 1)
  }

  #effect(key: string): EffectRecord {
    let record = this.effects.get(key)
    if (record === undefined) {
      record = { key, start: undefined, end: undefined, attempts: 0, retriedAt: 0, approvals: [] }
      this.effects.set(key, record)
    }
    return record
  }
}

function erased(entry: Entry): MandateError {
  return new MandateError(
    'JOURNAL_ERASED',
    `The content of run "${entry.run}" was erased; only its hash chain is left. It can be verified and listed, not resumed, replayed or forked.`,
  )
}

/** The part of a change that lowers limits. A lower limit permits nothing, so it needs no authority. */
function lowered(limits: BudgetLimits, change: BudgetLimits): BudgetLimits {
  const stricter = Object.entries(change).filter(
    ([unit, limit]) => limit < (limits[unit as keyof BudgetLimits] ?? Number.POSITIVE_INFINITY),
  )
  return Object.fromEntries(stricter)
}

/** Adds two spends, unit by unit; for memory the maximum counts. The sum is estimated if one of them is. */
export function addSpend(a: Spend, b: Spend): Spend {
  const sum: { -readonly [U in keyof Spend]: Spend[U] } = { ...a }
  if (b.estimated === true) sum.estimated = true
  for (const name of Object.keys(b)) {
    if (name === 'estimated') continue
    const unit = name as BudgetUnit
    const more = b[unit]
    if (more === undefined) continue
    // Memory is the maximum of any one program.
    sum[unit] = unit === 'memory' ? Math.max(sum[unit] ?? 0, more) : (sum[unit] ?? 0) + more
  }
  return sum
}

/** Folds a run from its entries, ignoring what the voided ones would permit. */
export function foldRun(entries: Iterable<Entry>, voided?: ReadonlySet<number>): RunFold {
  const state = new RunFold(voided)
  for (const entry of entries) state.apply(entry)
  return state
}
