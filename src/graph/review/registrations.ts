import { MandateError, sha256 } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { GRAPH_JOURNAL } from '../../journal/index.ts'
import type { AnswerSignature, Identity } from '../../journal/index.ts'
import { serviceJournal } from '../../run/index.ts'
import type { Kernel, ServiceJournal, ServiceNote } from '../../run/index.ts'
import type { Blueprint } from '../blueprint/blueprint.ts'

/** The signed claim of a token: this graph, with this hash, until that time. */
type TokenClaim = {
  /** The id of the review, which is the id of its run. */
  readonly review: string
  readonly graph: string
  readonly hash: string
  readonly expiresAt: number
  /** The digest of the token; the token itself is visible only to those who may read the review. */
  readonly digest: string
}

interface TokenNote {
  readonly claim: TokenClaim
  readonly signature?: AnswerSignature | undefined
}

interface RegisteredNote {
  readonly review: string
  readonly blueprint: Blueprint
  readonly by: Identity
  readonly requestedBy: string
  readonly reviewedBy: string
}

interface RevokedNote {
  readonly review: string
  readonly by: Identity
  readonly reason?: string | undefined
}

/** What the journal has recorded about one approved review. */
export interface Registration {
  readonly claim: TokenClaim
  readonly isBelieved: boolean
  registered?: (RegisteredNote & { readonly at: number }) | undefined
  revoked?: (RevokedNote & { readonly at: number }) | undefined
}

const TOKEN_NOTE = 'graph-token'
const REGISTERED_NOTE = 'graph-registered'
const REVOKED_NOTE = 'graph-revoked'

/**
 * The tokens of approved reviews, the graphs registered with them, and revocations: one journal in the store, shared by all processes. A token is
 * used under the lease of that journal, so that only one process can use it.
 */
export class Registrations {
  readonly #kernel: Kernel
  readonly #journal: ServiceJournal
  readonly #records = new Map<string, Registration>()

  constructor(kernel: Kernel) {
    this.#kernel = kernel
    this.#journal = serviceJournal(kernel, GRAPH_JOURNAL, (note) => this.#take(note))
  }

  /** All registrations, oldest first. */
  async read(): Promise<readonly Registration[]> {
    await this.#journal.read()
    return [...this.#records.values()]
  }

  /** Issues a token. If it is issued again after a crash, the last one counts. */
  async issue(about: Omit<TokenClaim, 'digest'>): Promise<string> {
    const token = `${about.review}.${this.#kernel.random.hex(16)}`
    const claim: TokenClaim = { ...about, digest: sha256(token) }
    const signature = await this.#journal.sign(claim)
    const note: TokenNote = { claim, ...(signature === undefined ? {} : { signature }) }
    await this.#journal.write(() =>
      this.#records.get(about.review)?.registered === undefined ? { name: TOKEN_NOTE, value: note } : undefined,
    )
    return token
  }

  /** Uses a token for a blueprint, once; throws if it is not valid for it. */
  async use(token: string, hash: string, note: Omit<RegisteredNote, 'review'>): Promise<Registration> {
    const review = reviewOf(token)
    await this.#journal.write(() => {
      this.#check(token, hash)
      return { name: REGISTERED_NOTE, value: { ...note, review } satisfies RegisteredNote }
    })
    return this.#records.get(review)!
  }

  /** Revokes an unused token, or the registration that was made with it. */
  async revoke(note: RevokedNote): Promise<Registration> {
    await this.#journal.write(() => {
      const record = this.#records.get(note.review)
      if (record === undefined)
        throw new MandateError(
          'NOT_FOUND',
          `No token was issued for the review "${note.review}". Reject it while it waits.`,
        )
      return record.revoked === undefined ? { name: REVOKED_NOTE, value: note } : undefined
    })
    return this.#records.get(note.review)!
  }

  #check(token: string, hash: string): void {
    const record = this.#records.get(reviewOf(token))
    if (record === undefined || record.claim.digest !== sha256(token)) throw refused('was not issued by this service')
    const { claim, isBelieved, revoked, registered } = record
    if (!isBelieved) throw refused('lacks the signature that this host asks for')
    if (revoked !== undefined) throw refused(`was revoked by "${revoked.by.id}"`)
    if (registered !== undefined) throw refused(`was used by "${registered.by.id}"`)
    if (this.#kernel.clock.now() >= claim.expiresAt) throw refused('has expired')
    if (claim.hash !== hash) throw refused(`is for another version of the graph "${claim.graph}"`)
  }

  async #take({ name, value, at }: ServiceNote): Promise<void> {
    if (name === TOKEN_NOTE) await this.#takeToken(value as unknown as TokenNote)
    const record = this.#records.get((value as { readonly review?: string }).review ?? '')
    if (record === undefined) return
    if (name === REGISTERED_NOTE) record.registered ??= { ...(value as unknown as RegisteredNote), at }
    if (name === REVOKED_NOTE) record.revoked ??= { ...(value as unknown as RevokedNote), at }
  }

  async #takeToken({ claim, signature }: TokenNote): Promise<void> {
    const isBelieved = await this.#journal.isBelieved(claim satisfies Json, signature)
    const { registered, revoked } = this.#records.get(claim.review) ?? {}
    if (registered === undefined) this.#records.set(claim.review, { claim, isBelieved, revoked })
  }
}

/** The review of a token. */
export function reviewOf(token: string): string {
  const dot = typeof token === 'string' ? token.lastIndexOf('.') : -1
  if (dot > 0) return token.slice(0, dot)
  throw refused('has another form than the tokens of reviews')
}

function refused(why: string): MandateError {
  return new MandateError('APPROVAL_REFUSED', `The review token ${why}. Request a review of the graph as it is.`)
}
