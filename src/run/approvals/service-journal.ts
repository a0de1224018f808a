import { MandateError, canonical, isSignedBy } from '../../core/index.ts'
import type { Clock, Json, Random } from '../../core/index.ts'
import { redactJson } from '../../redact/index.ts'
import type { Redactor } from '../../redact/index.ts'
import { GENESIS, headOf, isErased, keyFor, sealEntry, wrongShape } from '../../journal/index.ts'
import type {
  AnswerSignature,
  Draft,
  Entry,
  Head,
  HeadSigner,
  Identity,
  IntactEntry,
  Journal,
  Lease,
  PublicKeys,
  RunEventBus,
} from '../../journal/index.ts'
import { isWithin } from '../history/provenance.ts'
import { PROTOCOL } from '../lifecycle/pins.ts'

/** The parts of a host that a service journal uses. */
export interface ServiceJournalHost {
  readonly journal: Journal
  readonly clock: Clock
  readonly random: Random
  readonly events: RunEventBus
  readonly owner: string
  readonly identity: Identity
  readonly redactor: Redactor
  readonly signer: HeadSigner | undefined
  readonly trustedKeys: PublicKeys | undefined
}

/** A note in a service journal. */
export interface ServiceNote {
  readonly name: string
  readonly value: Json
  readonly at: number
}

/** The version of the signed text of a note. */
const NOTE_VERSION = 1

/** How long a writer holds the lease at most, and how often another one retries. */
const LEASE_MS = 2_000
const TRY_EVERY_MS = 20
const TRIES = 150

/**
 * A journal of the service itself, shared by all processes over one store: a chain of notes under a reserved id. Every read catches up with the notes
 * that were added since the last one; every write is decided under a lease, after all earlier notes have been read.
 */
export class ServiceJournal {
  readonly #host: ServiceJournalHost
  readonly #id: string
  readonly #take: (note: ServiceNote) => unknown
  #head: Head = GENESIS
  #turn: Promise<unknown> = Promise.resolve()

  /** `take` is called with every note once, in order. */
  constructor(host: ServiceJournalHost, id: string, take: (note: ServiceNote) => unknown) {
    this.#host = host
    this.#id = id
    this.#take = take
  }

  /** Catches up with the notes that were added since the last read. */
  read(): Promise<void> {
    return this.#inTurn(() => this.#catchUp())
  }

  /** Adds the note that `make` returns, after everything before it has been read. Adds nothing if `make` returns `undefined`. */
  write(make: () => { readonly name: string; readonly value: object } | undefined): Promise<void> {
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

  /** Signs a note, if the host signs answers. */
  async sign(value: Json): Promise<AnswerSignature | undefined> {
    const { signer } = this.#host
    if (signer?.signText === undefined) return undefined
    const { keyId } = signer
    return { v: NOTE_VERSION, keyId, signature: await signer.signText(this.#signedText(value, keyId)) }
  }

  /** Whether a note has the signature that this host requires, or the host requires none. */
  async isBelieved(value: Json, signature: AnswerSignature | undefined): Promise<boolean> {
    const { trustedKeys, signer } = this.#host
    if (trustedKeys === undefined || signer?.signText === undefined) return true
    if (signature?.v !== NOTE_VERSION) return false
    const key = keyFor(signature.keyId, trustedKeys)
    return key !== undefined && isSignedBy(key, this.#signedText(value, signature.keyId), signature.signature)
  }

  #signedText(value: Json, keyId: string): string {
    return `mandate-note:${canonical({ v: NOTE_VERSION, keyId, journal: this.#id, value })}`
  }

  /** Serializes reads and writes within this process. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#turn.then(work, work)
    this.#turn = next.catch(() => {})
    return next
  }

  async #catchUp(): Promise<void> {
    const { journal } = this.#host
    const summary = await journal.summary(this.#id)
    const { seq } = summary?.head ?? GENESIS
    if (seq < this.#head.seq) throw this.#damaged('entries that were there are gone')
    if (summary === undefined || seq === this.#head.seq) return
    for await (const entry of journal.read(this.#id, this.#head.seq + 1)) {
      if (entry.prev !== this.#head.hash) throw this.#damaged('it does not follow what was read before')
      this.#head = headOf(entry)
      // Imported notes were decided under another store, so they grant nothing here.
      if (!isWithin(summary.imported, entry.seq)) await this.#takeEntry(entry)
    }
  }

  async #takeEntry(entry: Entry): Promise<void> {
    const wrong = wrongShape(entry)
    if (wrong !== undefined) throw this.#damaged(wrong)
    if (isErased(entry) || entry.type !== 'note' || entry.key !== undefined) return
    await this.#take({ ...entry.data, at: entry.at })
  }

  async #append(lease: Lease, draft: Draft<'note'>): Promise<void> {
    const { journal, random } = this.#host
    const entries: IntactEntry[] = []
    if (this.#head.seq === 0) entries.push(sealEntry(this.#id, GENESIS, this.#start(), random.hex(16)))
    const head = entries[0] === undefined ? this.#head : headOf(entries[0])
    entries.push(sealEntry(this.#id, head, draft, random.hex(16)))
    await journal.append(lease, this.#head.seq, entries)
    await this.#catchUp()
  }

  /** Like every journal it begins with a `run-start`. No mind has this name, so nothing can execute it. */
  #start(): Draft<'run-start'> {
    const { identity, clock } = this.#host
    return {
      type: 'run-start',
      at: clock.now(),
      data: {
        ...{ protocol: PROTOCOL, mind: 'program', name: this.#id, sessionId: this.#id, input: null },
        ...{ identity, seed: '', depth: 0, durability: 'sync', budget: {}, pins: null },
      },
    }
  }

  async #acquire(): Promise<Lease> {
    const { journal, clock, owner } = this.#host
    for (let left = TRIES; ; left--) {
      try {
        return await journal.acquire({ run: this.#id, owner, ttlMs: LEASE_MS, now: clock.now() })
      } catch (error) {
        if (left === 0 || !MandateError.isInstance(error) || error.code !== 'LEASE_HELD') throw error
      }
      await new Promise<void>((resolve) => void clock.timer(TRY_EVERY_MS, resolve))
    }
  }

  #damaged(why: string): MandateError {
    return new MandateError('JOURNAL_DAMAGED', `The journal "${this.#id}" of the service cannot be used: ${why}.`)
  }
}
