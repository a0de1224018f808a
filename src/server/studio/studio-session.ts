import { sha256, systemClock, systemRandom } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import { SignedTexts } from '../http/signed-text.ts'

const COOKIE = 'mandate-studio'
/** The name where the connection is encrypted: browsers take it only from a secure page. `__Host-` would forbid the path, which keeps it from other servers. */
const SECURE_COOKIE = `__Secure-${COOKIE}`
const TICKET_MS = 10 * 60_000
const TICKET_BYTES = 16
const SESSION_MS = 12 * 3_600_000
/** The first part of every address of a studio. */
const PLACE = /^\/~[A-Za-z0-9_-]+/
const PLACE_LENGTH = 32

/**
 * Signs browsers in. The link that a command prints carries a ticket that is good once, for ten minutes; opening it gives the browser a cookie for twelve
 * hours, which scripts cannot read and other sites cannot send. Cookies know no ports: a browser sends them to every server of the host. So the cookie belongs
 * to a path that cannot be guessed, the place of this studio, and is good only there: other servers never receive it, and two studios have one each. Place and
 * cookie come from the secret of the server, so they stay valid across restarts.
 */
export class StudioSession {
  /** The path under which browsers use this studio: `/~…`. */
  readonly place: string
  readonly #tickets = new Map<string, number>()
  readonly #cookies: SignedTexts<null>
  readonly #identity: Identity
  /** Requests that came to the place of this studio. */
  readonly #placed = new WeakSet<Request>()

  constructor(secret: string, identity: Identity) {
    this.place = `/~${sha256(`mandate studio place\n${secret}`).slice(0, PLACE_LENGTH)}`
    this.#cookies = new SignedTexts(secret, 'mandate studio session')
    this.#identity = identity
  }

  /** Returns the link that signs a browser in, once. */
  link(url: string, now: number = systemClock.now()): string {
    for (const [ticket, expiresAt] of this.#tickets) if (expiresAt <= now) this.#tickets.delete(ticket)
    const ticket = systemRandom.hex(TICKET_BYTES)
    this.#tickets.set(ticket, now + TICKET_MS)
    return `${url}/open?ticket=${ticket}`
  }

  /** Returns the cookie for a valid ticket, which is then used up. */
  async cookieFor(ticket: string, isSecure: boolean, now: number = systemClock.now()): Promise<string | undefined> {
    const expiresAt = this.#tickets.get(ticket) ?? 0
    this.#tickets.delete(ticket)
    if (expiresAt <= now) return undefined
    const value = await this.#cookies.make(null, now + SESSION_MS)
    const name = isSecure ? SECURE_COOKIE : COOKIE
    return `${name}=${value}; Path=${this.place}; Max-Age=${SESSION_MS / 1_000}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  }

  /** Returns a request to the place of a studio as one to the same path without it, and remembers whether it came to this one. */
  within(request: Request): Request {
    const url = new URL(request.url)
    const [place] = PLACE.exec(url.pathname) ?? []
    if (place === undefined) return request
    url.pathname = url.pathname.slice(place.length) || '/'
    const inside = new Request(url, request)
    if (place === this.place) this.#placed.add(inside)
    return inside
  }

  /** Returns the identity of a request that came to the place with a valid cookie. Cookies that others have set for this host are passed over. */
  readonly authenticate = async (request: Request): Promise<Identity | undefined> => {
    if (!this.#placed.has(request)) return undefined
    for (const part of (request.headers.get('cookie') ?? '').split(/;\s*/)) {
      const [name, value = ''] = part.split('=', 2)
      if (name !== COOKIE && name !== SECURE_COOKIE) continue
      const signed = await this.#cookies.read(value)
      if (signed !== undefined && signed.expiresAt > systemClock.now()) return this.#identity
    }
    return undefined
  }
}
