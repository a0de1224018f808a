import { canonical } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { hashEffect } from './effect-hash.ts'
import type { Entry, IntactEntry } from './entry.ts'
import type { StandingApproval } from './approvals/approval-data.ts'
import type {
  ApprovalRequestData,
  ApprovalResponseData,
  EffectDecideData,
  EffectEndData,
  EffectStartData,
  NoteData,
} from './entry-data.ts'
import { STANDING_NOTE } from './approvals/standing-journal.ts'
import type { StandingNote } from './approvals/standing-journal.ts'

/** What the journal has recorded about one call so far. */
interface Call {
  /** Why it must not be performed, or not again. */
  blocked?: string
  started: boolean
  ended: boolean
  answered: boolean
  asked: boolean
  /** The hashes of the calls that were approved under this key. */
  readonly approved: Set<string>
  /** The hashes of the calls that a person's edit has replaced. */
  readonly replaced: Set<string>
  /** The last edit, as canonical text. */
  edit?: string
}

interface Asked {
  readonly key: string
  readonly data: ApprovalRequestData
  answered: boolean
}

/** The notes of a run that was cancelled or exceeded a limit. */
const TAKEN_DOWN: readonly string[] = ['cancel-request', 'limit-reached']

/**
 * Replays the entries of a run and finds effects that bypassed the gate: performed although denied, killed, rejected or expired, without a required
 * approval, with another input than the approved one, a second time, or after the run was over. Relies only on the order of the entries.
 */
export class BypassAudit {
  readonly problems: string[] = []
  readonly #calls = new Map<string, Call>()
  readonly #requests = new Map<number, Asked>()
  readonly #standing: StandingApproval[] = []
  /** Approvals of other runs that the run refers to, by their ids. */
  readonly #cited = new Map<string, StandingApproval>()
  /** Why nothing may be performed any more. */
  #over: string | undefined
  /** The entries are those of the original run, which a fork shares. */
  #isInherited = false

  see(entry: IntactEntry): void {
    const { type, data } = entry
    const key = entry.key ?? ''
    if (type === 'run-start') this.#isInherited = data.forkOf !== undefined
    else if (type === 'run-resume') this.#goesOn()
    else if (type === 'effect-decide') this.#decided(key, data)
    else if (type === 'approval-request') this.#asked(entry, key, data)
    else if (type === 'approval-response') this.#responded(entry, data)
    else if (type === 'effect-start') this.#started(entry, key, data)
    else if (type === 'effect-retry') this.#retried(entry, key)
    else if (type === 'effect-end') this.#ended(entry, key, data)
    else if (type === 'note') this.#noted(data, entry.key)
    else if (type === 'run-end') this.#over = 'after the run had ended'
  }

  /** From here on the fork acts by itself, without approvals that were given ahead of time for the original run. */
  #goesOn(): void {
    if (this.#isInherited) {
      this.#standing.length = 0
      this.#cited.clear()
    }
    this.#isInherited = false
  }

  #decided(key: string, { decision: { verdict } }: EffectDecideData): void {
    if (verdict !== 'deny' && verdict !== 'kill') return
    this.#call(key).blocked = 'it had been blocked'
    if (verdict === 'kill') this.#over ??= 'after the run had been killed'
  }

  /** The note is written before anything is aborted, so a later start violates it. */
  #noted({ name, value }: NoteData, key: string | undefined): void {
    if (key !== undefined) return
    if (TAKEN_DOWN.includes(name)) this.#over ??= 'after the run had been cut'
    if (name !== STANDING_NOTE) return
    const { id, response } = value as unknown as StandingNote
    if (response.answer === 'approve' && response.standing !== undefined) this.#cited.set(id, response.standing)
  }

  #asked({ seq }: Entry, key: string, data: ApprovalRequestData): void {
    this.#requests.set(seq, { key, data, answered: false })
    if (data.reason === 'approval') this.#call(key).asked = true
  }

  #responded(entry: Entry, { answer, request, edit, by, standing }: ApprovalResponseData): void {
    const asked = this.#requests.get(request)
    if (asked === undefined) return this.#report(entry, `answers entry ${request}, which asked nothing.`, '')
    if (asked.answered) this.#report(entry, `answers entry ${request}, which had been answered.`, '')
    if (by?.agent === true) this.#report(entry, `"${asked.key}" was answered by an agent.`)
    asked.answered = true
    const { kind, name, hash } = asked.data
    const call = this.#call(asked.key)
    if (answer === 'approve') call.approved.add(edit === undefined ? hash : hashEffect(kind, name, edit))
    else if (answer === 'withdraw') call.asked = false
    else if (answer === 'reject' || answer === 'expire') call.blocked = 'it had been blocked'
    else if (answer === 'answer') call.answered = true
    else if (answer !== 'not-happened') call.blocked = `it was answered with "${answer}"`
    if (answer === 'approve' && edit !== undefined) {
      call.replaced.add(hash).add(asked.data.asked)
      call.edit = canonical(edit)
    }
    // If the approved question only repeats the same call under another mandate, the original input may run.
    if (answer === 'approve' && edit === undefined) call.approved.add(asked.data.asked)
    if (standing !== undefined && standing.bound === undefined) this.#standing.push(standing)
  }

  #started(entry: Entry, key: string, data: EffectStartData): void {
    const call = this.#call(key)
    const { verdict } = data.decision
    if (call.blocked !== undefined || verdict === 'deny' || verdict === 'kill')
      this.#report(entry, `"${key}" was performed although ${call.blocked ?? 'it had been blocked'}.`)
    else if (this.#over !== undefined) this.#report(entry, `"${key}" was performed ${this.#over}.`)
    else if (call.started || call.ended) this.#report(entry, `"${key}" was performed a second time.`)
    else this.#checkApproved(entry, key, data)
    call.started = true
  }

  /** Reports a start whose verdict `ask` was lifted neither by an approval of exactly this call nor by a standing approval that covers it. */
  #checkApproved(entry: Entry, key: string, data: EffectStartData): void {
    const { asked, approved, replaced, edit } = this.#call(key)
    const { verdict } = data.decision
    if (approved.has(data.hash) || (verdict !== 'ask' && approved.size === 0)) return
    if ((verdict === 'modify' && !replaced.has(data.hash)) || edit === canonical(data.input)) return
    // An edited call runs as edited: approvals of other calls do not cover the call that was replaced.
    const cited = this.#cited.get(data.decision.standing ?? '')
    const standing = cited === undefined ? this.#standing : [...this.#standing, cited]
    if (replaced.size === 0 && standing.some((each) => covers(each, data, entry.at))) return
    if (approved.size > 0) this.#report(entry, `"${key}" was performed with another input than the approved one.`)
    // A fork does not copy the calls that were in flight, nor the approvals that other calls gave them.
    else if (asked || !this.#isInherited) this.#report(entry, `"${key}" was performed without an approval.`)
  }

  #retried(entry: Entry, key: string): void {
    const call = this.#call(key)
    if (call.blocked !== undefined) this.#report(entry, `"${key}" was performed again although ${call.blocked}.`)
    else if (call.ended) this.#report(entry, `"${key}" was performed again after it had ended.`)
  }

  #ended(entry: Entry, key: string, { asked, outcome, start }: EffectEndData): void {
    if (start !== undefined) this.#started(entry, key, start)
    const call = this.#call(key)
    // An effect that ended without being performed (denied, answered, cancelled while parked) has `asked` instead of a start.
    if (!call.started && asked === undefined) this.#report(entry, `"${key}" ended without having started.`)
    else if (!call.started && outcome.status === 'ok' && !call.answered)
      this.#report(entry, `"${key}" gave a value although it had not been performed.`)
    else if (call.ended) this.#report(entry, `"${key}" ended a second time.`)
    call.ended = true
  }

  #call(key: string): Call {
    const known = this.#calls.get(key)
    if (known !== undefined) return known
    const call: Call = {
      started: false,
      ended: false,
      answered: false,
      asked: false,
      approved: new Set(),
      replaced: new Set(),
    }
    this.#calls.set(key, call)
    return call
  }

  #report({ seq }: Entry, what: string, colon = ':'): void {
    this.problems.push(`Entry ${seq}${colon} ${what}`)
  }
}

/** In rising order; an unknown risk ranks above all. */
const RISKS = ['read', 'write', 'exec', 'destructive']

function covers(
  standing: StandingApproval,
  { kind, name, hash, input, decision }: EffectStartData,
  at: number,
): boolean {
  const rank = (risk: string): number => (RISKS.includes(risk) ? RISKS.indexOf(risk) : RISKS.length)
  const isNamed = standing.tool === `${kind}:${name}` || (kind === 'tool' && standing.tool === name)
  const isWithin = rank(decision.risk ?? 'read') <= rank(standing.riskMax) && at < standing.expiresAt
  if (!isNamed || !isWithin || (standing.hash !== undefined && standing.hash !== hash)) return false
  const given = input as { readonly [name: string]: Json } | null
  return Object.entries(standing.input ?? {}).every(
    ([member, value]) =>
      typeof given === 'object' &&
      given !== null &&
      Object.hasOwn(given, member) &&
      canonical(given[member]) === canonical(value),
  )
}
