import { createHmac, timingSafeEqual } from 'node:crypto'
import { systemClock } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'

const COOKIE = 'mandate-studio'
const TICKET_MS = 10 * 60_000
const SESSION_MS = 12 * 3_600_000

/**
 * Who sits before the page. The link that a command prints carries a ticket of ten minutes; opening it gives the browser a cookie of twelve hours, which
 * scripts cannot read and other sites cannot send. Both are signed with the secret of the server: they hold across its restarts, and end with it.
 */
export class StudioSession {
  readonly #secret: string
  readonly #identity: Identity

  constructor(secret: string, identity: Identity) {
    this.#secret = secret
    this.#identity = identity
  }

  /** The link that signs a browser in. */
  link(url: string, now: number = systemClock.now()): string {
    return `${url}/open?ticket=${this.#signed('ticket', now + TICKET_MS)}`
  }

  /** The cookie for a ticket that is good. */
  cookieFor(ticket: string, isSecure: boolean, now: number = systemClock.now()): string | undefined {
    if (!this.#isGood('ticket', ticket, now)) return undefined
    const value = this.#signed('session', now + SESSION_MS)
    return `${COOKIE}=${value}; Path=/; Max-Age=${SESSION_MS / 1_000}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  }

  /** In whose name a request comes that carries the cookie. */
  readonly authenticate = (request: Request): Identity | undefined => {
    const given = (request.headers.get('cookie') ?? '').split(/;\s*/).filter((part) => part.startsWith(`${COOKIE}=`))
    // Two of them mean that someone else set one: neither is believed.
    if (given.length !== 1) return undefined
    return this.#isGood('session', given[0]!.slice(COOKIE.length + 1), systemClock.now()) ? this.#identity : undefined
  }

  #signed(purpose: string, until: number): string {
    return `${until}.${this.#signature(purpose, String(until))}`
  }

  #signature(purpose: string, until: string): string {
    return createHmac('sha256', this.#secret).update(`${purpose}\n${until}`).digest('base64url')
  }

  #isGood(purpose: string, text: string, now: number): boolean {
    const [, until, signature] = /^(\d{1,15})\.([\w-]{43})$/.exec(text) ?? []
    if (until === undefined || signature === undefined) return false
    const isOurs = timingSafeEqual(Buffer.from(this.#signature(purpose, until)), Buffer.from(signature))
    return isOurs && Number(until) > now
  }
}
