import { systemClock } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import { SignedTexts } from '../http/signed-text.ts'

const COOKIE = 'mandate-studio'
const TICKET_MS = 10 * 60_000
const SESSION_MS = 12 * 3_600_000

/**
 * Signs browsers in. The link that a command prints carries a ticket that is valid for ten minutes; opening it gives the browser a cookie for twelve hours,
 * which scripts cannot read and other sites cannot send. Both are signed with the secret of the server, so they stay valid across restarts, but not with
 * another secret.
 */
export class StudioSession {
  readonly #tickets: SignedTexts<null>
  readonly #cookies: SignedTexts<null>
  readonly #identity: Identity

  constructor(secret: string, identity: Identity) {
    this.#tickets = new SignedTexts(secret, 'mandate studio ticket')
    this.#cookies = new SignedTexts(secret, 'mandate studio session')
    this.#identity = identity
  }

  /** Returns the link that signs a browser in. */
  async link(url: string, now: number = systemClock.now()): Promise<string> {
    return `${url}/open?ticket=${await this.#tickets.make(null, now + TICKET_MS)}`
  }

  /** Returns the cookie for a valid ticket. */
  async cookieFor(ticket: string, isSecure: boolean, now: number = systemClock.now()): Promise<string | undefined> {
    if (!(await isGood(this.#tickets, ticket, now))) return undefined
    const value = await this.#cookies.make(null, now + SESSION_MS)
    return `${COOKIE}=${value}; Path=/; Max-Age=${SESSION_MS / 1_000}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  }

  /** Returns the identity of a request that carries a valid cookie. */
  readonly authenticate = async (request: Request): Promise<Identity | undefined> => {
    const given = (request.headers.get('cookie') ?? '').split(/;\s*/).filter((part) => part.startsWith(`${COOKIE}=`))
    // Two cookies mean that another program or site has set one: neither is trusted.
    if (given.length !== 1) return undefined
    const value = given[0]!.slice(COOKIE.length + 1)
    return (await isGood(this.#cookies, value, systemClock.now())) ? this.#identity : undefined
  }
}

async function isGood(texts: SignedTexts<null>, text: string, now: number): Promise<boolean> {
  const signed = await texts.read(text)
  return signed !== undefined && signed.expiresAt > now
}
