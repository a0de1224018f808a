import { MandateError, messageOf, tellOfHost } from '../../core/index.ts'
import { approvalId } from '../../gate/index.ts'
import { REVOKED_NOTE, STANDING_JOURNAL, STANDING_NOTE, isSignedAnswer } from '../../journal/index.ts'
import type { RevokedNote, StandingNote } from '../../journal/index.ts'
import { ServiceJournal } from './service-journal.ts'
import type { ServiceJournalHost, ServiceNote } from './service-journal.ts'

/** An approval with the scope `rule`, as recorded in the service's journal. */
export interface StandingRecord {
  readonly note: StandingNote
  /** When it was recorded here. */
  readonly at: number
  /** It has the signature that this host requires, or the host requires none. */
  readonly isBelieved: boolean
  revoked?: { readonly at: number; readonly note: RevokedNote } | undefined
}

/**
 * The approvals that reach beyond their runs, kept in a service journal. Every lookup reads what was added since the last one, so that a revocation
 * in any process applies to the next call. An unreadable journal lifts nothing.
 */
export class StandingJournal {
  readonly #host: ServiceJournalHost
  readonly #records = new Map<string, StandingRecord>()
  readonly #journal: ServiceJournal

  constructor(host: ServiceJournalHost) {
    this.#host = host
    this.#journal = new ServiceJournal(host, STANDING_JOURNAL, (note) => this.#take(note))
  }

  /** All approvals, revoked and expired ones included, oldest first. */
  async read(): Promise<readonly StandingRecord[]> {
    await this.#journal.read()
    return [...this.#records.values()]
  }

  /** The same for the gate: an unreadable journal is reported and gives no approvals. */
  async readForGate(): Promise<readonly StandingRecord[]> {
    try {
      return await this.read()
    } catch (error) {
      tellOfHost(this.#host, 'run-unreadable', STANDING_JOURNAL, { problem: messageOf(error) })
      return []
    }
  }

  /** Records an approval once. A revoked one stays revoked. */
  async add(note: StandingNote): Promise<void> {
    if (this.#records.has(note.id)) return
    await this.#journal.write(() => (this.#records.has(note.id) ? undefined : { name: STANDING_NOTE, value: note }))
  }

  /** Revokes an approval, from now on and in all processes. */
  async revoke(note: RevokedNote): Promise<void> {
    await this.#journal.write(() => {
      if (!this.#records.has(note.id))
        throw new MandateError(
          'NOT_FOUND',
          `There is no standing approval "${note.id}". List them with: mandate approvals --all`,
        )
      return this.#records.get(note.id)!.revoked === undefined ? { name: REVOKED_NOTE, value: note } : undefined
    })
  }

  async #take({ name, value, at }: ServiceNote): Promise<void> {
    if (name === STANDING_NOTE) await this.#takeApproval(value as unknown as StandingNote, at)
    if (name !== REVOKED_NOTE) return
    const note = value as unknown as RevokedNote
    const record = this.#records.get(note.id)
    if (record !== undefined) record.revoked ??= { at, note }
  }

  async #takeApproval(note: StandingNote, at: number): Promise<void> {
    const { id, run, response } = note
    const isWhole = response.answer === 'approve' && response.standing?.bound !== undefined
    if (!isWhole || id !== approvalId(run, response.request) || this.#records.has(id)) return
    this.#records.set(id, { note, at, isBelieved: await this.#isBelieved(note) })
  }

  /** Where this host signs the answers it receives, an unsigned one was written by another writer of the store. */
  async #isBelieved({ run, hash, response }: StandingNote): Promise<boolean> {
    const { trustedKeys, signer } = this.#host
    if (trustedKeys === undefined || signer?.signText === undefined) return true
    return isSignedAnswer({ run, hash }, response, trustedKeys)
  }
}
