import { MandateError, messageOf, tellOfHost } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { redactJson } from '../../redact/index.ts'
import { approvalId } from '../../gate/index.ts'
import {
  GENESIS,
  REVOKED_NOTE,
  STANDING_JOURNAL,
  STANDING_NOTE,
  headOf,
  isErased,
  isSignedAnswer,
  sealEntry,
  wrongShape,
} from '../../journal/index.ts'
import type { Draft, Entry, Head, IntactEntry, Lease, RevokedNote, StandingNote } from '../../journal/index.ts'
import { isWithin } from '../history/provenance.ts'
import type { KernelHost } from '../kernel/host.ts'
import { PROTOCOL } from '../lifecycle/pins.ts'

/** An approval with the scope `rule`, as the service's journal has it. */
export interface StandingRecord {
  readonly note: StandingNote
  /** When it was recorded here. */
  readonly at: number
  /** It carries a signature that this host asks for, or this host asks for none. */
  readonly isBelieved: boolean
  revoked?: { readonly at: number; readonly note: RevokedNote } | undefined
}

type Host = Pick<
  KernelHost,
  'journal' | 'clock' | 'random' | 'events' | 'owner' | 'identity' | 'redactor' | 'signer' | 'trustedKeys'
>

/** How long a writer holds the journal at most, and how often another one tries. */
const LEASE_MS = 2_000
const TRY_EVERY_MS = 20
const TRIES = 150

/**
 * The approvals that hold beyond their runs. They are kept in a journal of the service, which all processes over one store share: each question reads what was added
 * since, so that a revocation made anywhere counts for the next call. What cannot be read lifts nothing.
 */
export class StandingJournal {
  readonly #host: Host
  readonly #records = new Map<string, StandingRecord>()
  #head: Head = GENESIS
  #turn: Promise<unknown> = Promise.resolve()

  constructor(host: Host) {
    this.#host = host
  }

  /** All approvals, revoked and expired ones included, oldest first. */
  async read(): Promise<readonly StandingRecord[]> {
    await this.#inTurn(() => this.#catchUp())
    return [...this.#records.values()]
  }

  /** The same for a question of the gate: nothing, where the journal cannot be read. */
  async readForGate(): Promise<readonly StandingRecord[]> {
    try {
      return await this.read()
    } catch (error) {
      tellOfHost(this.#host, 'run-unreadable', STANDING_JOURNAL, { problem: messageOf(error) })
      return []
    }
  }

  /** Records an approval, once. One that was revoked stays revoked. */
  async add(note: StandingNote): Promise<void> {
    if (this.#records.has(note.id)) return
    await this.#write(() => (this.#records.has(note.id) ? undefined : { name: STANDING_NOTE, value: note }))
  }

  /** Ends an approval from now on, in all processes. */
  async revoke(note: RevokedNote): Promise<void> {
    await this.#write(() => {
      if (!this.#records.has(note.id))
        throw new MandateError(
          'NOT_FOUND',
          `There is no standing approval "${note.id}". List them to see what there is.`,
        )
      return this.#records.get(note.id)!.revoked === undefined ? { name: REVOKED_NOTE, value: note } : undefined
    })
  }

  /** One after the other within this process. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#turn.then(work, work)
    this.#turn = next.catch(() => {})
    return next
  }

  async #catchUp(): Promise<void> {
    const { journal } = this.#host
    const summary = await journal.summary(STANDING_JOURNAL)
    const { seq } = summary?.head ?? GENESIS
    if (seq < this.#head.seq) throw damaged('entries that were there are gone')
    if (summary === undefined || seq === this.#head.seq) return
    for await (const entry of journal.read(STANDING_JOURNAL, this.#head.seq + 1)) {
      if (entry.prev !== this.#head.hash) throw damaged('it does not follow what was read before')
      this.#head = headOf(entry)
      // What came from another store is evidence of what was approved there.
      if (!isWithin(summary.imported, entry.seq)) await this.#take(entry)
    }
  }

  async #take(entry: Entry): Promise<void> {
    const wrong = wrongShape(entry)
    if (wrong !== undefined) throw damaged(wrong)
    if (isErased(entry) || entry.type !== 'note' || entry.key !== undefined) return
    const { name, value } = entry.data
    if (name === STANDING_NOTE) await this.#takeApproval(value as unknown as StandingNote, entry.at)
    if (name !== REVOKED_NOTE) return
    const note = value as unknown as RevokedNote
    const record = this.#records.get(note.id)
    if (record !== undefined) record.revoked ??= { at: entry.at, note }
  }

  async #takeApproval(note: StandingNote, at: number): Promise<void> {
    const { id, run, response } = note
    const isWhole = response.answer === 'approve' && response.standing?.bound !== undefined
    if (!isWhole || id !== approvalId(run, response.request) || this.#records.has(id)) return
    this.#records.set(id, { note, at, isBelieved: await this.#isBelieved(note) })
  }

  /** Where this host signs the answers that it takes, one without its signature was put here by another writer of the store. */
  async #isBelieved({ run, hash, response }: StandingNote): Promise<boolean> {
    const { trustedKeys, signer } = this.#host
    if (trustedKeys === undefined || signer?.signText === undefined) return true
    return isSignedAnswer({ run, hash }, response, trustedKeys)
  }

  #write(make: () => { readonly name: string; readonly value: object } | undefined): Promise<void> {
    return this.#inTurn(async () => {
      const lease = await this.#acquire()
      try {
        await this.#catchUp()
        const made = make()
        if (made === undefined) return
        const value = redactJson(JSON.parse(JSON.stringify(made.value)) as Json, this.#host.redactor)
        await this.#append(lease, { type: 'note', data: { name: made.name, value }, at: this.#host.clock.now() })
      } finally {
        await this.#host.journal.release(lease)
      }
    })
  }

  async #append(lease: Lease, draft: Draft<'note'>): Promise<void> {
    const { journal, random } = this.#host
    const entries: IntactEntry[] = []
    if (this.#head.seq === 0) entries.push(sealEntry(STANDING_JOURNAL, GENESIS, this.#start(), random.hex(16)))
    const head = entries[0] === undefined ? this.#head : headOf(entries[0])
    entries.push(sealEntry(STANDING_JOURNAL, head, draft, random.hex(16)))
    await journal.append(lease, this.#head.seq, entries)
    await this.#catchUp()
  }

  /** Like every journal it begins with a start; there is no mind of that name, so nothing can execute it. */
  #start(): Draft<'run-start'> {
    const { identity, clock } = this.#host
    return {
      type: 'run-start',
      at: clock.now(),
      data: {
        ...{ protocol: PROTOCOL, mind: 'program', name: STANDING_JOURNAL, sessionId: STANDING_JOURNAL, input: null },
        ...{ identity, seed: '', depth: 0, durability: 'sync', budget: {}, pins: null },
      },
    }
  }

  async #acquire(): Promise<Lease> {
    const { journal, clock, owner } = this.#host
    for (let left = TRIES; ; left--) {
      try {
        return await journal.acquire({ run: STANDING_JOURNAL, owner, ttlMs: LEASE_MS, now: clock.now() })
      } catch (error) {
        if (left === 0 || !MandateError.isInstance(error) || error.code !== 'LEASE_HELD') throw error
      }
      await new Promise<void>((resolve) => void clock.timer(TRY_EVERY_MS, resolve))
    }
  }
}

function damaged(why: string): MandateError {
  return new MandateError('JOURNAL_DAMAGED', `The journal of standing approvals cannot be used: ${why}.`)
}
