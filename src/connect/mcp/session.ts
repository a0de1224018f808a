import { type Clock, MandateError } from '../../core/index.ts'
import { abortable } from '../abortable-wait.ts'
import type { RawResult } from './content.ts'
import { type Definitions, readDefinitions } from './definition.ts'
import type { CallOptions, Link, LinkOptions } from './link.ts'
import { SessionLost } from './session-lost.ts'

const BACKOFF_MS = 1_000
const BACKOFF_MAX_MS = 60_000
const EAGER_MS = 200
const ROUNDS_MAX = 3

/** One server over several connections: the next call after a lost connection reconnects, with a backoff if connections keep failing. */
export class Session {
  readonly #options: LinkOptions
  readonly #clock: Clock
  #link: Promise<Link> | undefined
  #open: Link | undefined
  #definitions: Definitions = { usable: new Map(), refused: [] }
  /** The current listing, possibly pending; concurrent callers share it. */
  #listing: Promise<Definitions> | undefined
  #isListing = false
  #isStale = false
  #eagerFrom = 0
  #failures = 0
  #notBefore = 0
  readonly #closed = new AbortController()
  /** Called when a listing differs from the previous one. */
  onListed: (definitions: Definitions) => void = () => {}

  constructor(options: Omit<LinkOptions, 'onToolsChanged' | 'closed'>) {
    this.#clock = options.clock
    this.#options = {
      ...options,
      closed: this.#closed.signal,
      onToolsChanged: () => {
        this.#changed()
      },
    }
  }

  /** The current connection. */
  get link(): Link | undefined {
    return this.#open
  }

  /** The last listing, without a request. */
  get known(): Definitions {
    return this.#definitions
  }

  /** The current definitions: listed again after a change notification, and after every reconnect. */
  async definitions(): Promise<Definitions> {
    const link = await this.#reach()
    this.#listing ??= this.#list(link)
    return this.#listing
  }

  /** Debounced: a server that sends `list_changed` repeatedly is listed again once, and then on demand. */
  #changed(): void {
    this.#isStale = true
    if (this.#isListing) return
    this.#listing = undefined
    const now = this.#clock.now()
    if (now < this.#eagerFrom) return
    this.#eagerFrom = now + EAGER_MS
    void this.definitions().catch(() => {})
  }

  async #list(link: Link): Promise<Definitions> {
    this.#isListing = true
    try {
      let listed: Definitions
      let rounds = 0
      do {
        this.#isStale = false
        listed = readDefinitions(await link.list())
        rounds += 1
      } while (this.#isStale && rounds < ROUNDS_MAX)
      // Changed again meanwhile: this listing is used, and the next caller lists again.
      if (this.#isStale) this.#listing = undefined
      this.#definitions = listed
      this.onListed(listed)
      return listed
    } catch (error) {
      this.#listing = undefined
      if (!link.isOpen) this.#drop(link)
      throw error
    } finally {
      this.#isListing = false
    }
  }

  /** Calls a tool. `check` gets the current definitions, and may refuse. */
  async call(
    tool: string,
    args: { readonly [name: string]: unknown },
    options: CallOptions & { check(definitions: Definitions): void },
  ): Promise<RawResult> {
    // Reconnecting and listing have their own time limit, but the call does not wait beyond its own.
    const cut = {
      signal: options.signal,
      limit: { ms: options.timeoutMs, error: () => this.#notReached(options.timeoutMs), clock: this.#clock },
    }
    for (let attempt = 1; ; attempt++) {
      options.check(await abortable(this.definitions(), cut))
      const link = await abortable(this.#reach(), cut)
      try {
        const result = await link.call(tool, args, options)
        this.#failures = 0
        return result
      } catch (error) {
        if (!link.isOpen) this.#drop(link)
        // The server lost the session before it processed the call: retried once in a new session.
        if (error instanceof SessionLost && attempt === 1) continue
        throw error instanceof SessionLost
          ? new MandateError(
              'CONNECTOR_FAILED',
              `MCP server "${this.#options.name}" forgets its sessions: ${error.message}`,
            )
          : error
      }
    }
  }

  async close(): Promise<void> {
    this.#closed.abort()
    const link = await this.#link?.catch(() => undefined)
    this.#link = undefined
    await link?.close()
  }

  #notReached(timeoutMs: number): MandateError {
    const message = `MCP server "${this.#options.name}" was not reached within ${timeoutMs} ms. Nothing was called.`
    return new MandateError('TIMEOUT', message)
  }

  async #reach(): Promise<Link> {
    const { name } = this.#options
    if (this.#closed.signal.aborted)
      throw new MandateError('CLOSED', `The connection to the MCP server "${name}" was closed.`)
    if (this.#open !== undefined && !this.#open.isOpen) this.#drop(this.#open)
    if (this.#link !== undefined) return this.#link
    const waitMs = this.#notBefore - this.#clock.now()
    if (waitMs > 0)
      throw new MandateError(
        'CONNECTOR_FAILED',
        `MCP server "${name}" failed ${this.#failures} times in a row and is not started again for ${waitMs} ms.`,
      )
    this.#listing = undefined
    const opening = import('./link.ts')
      .then(({ openLink }) => openLink(this.#options))
      .then(
        (link) => (this.#open = link),
        (error: unknown) => {
          this.#link = undefined
          this.#failed()
          throw error
        },
      )
    this.#link = opening
    return opening
  }

  #drop(link: Link): void {
    if (this.#open !== link) return
    this.#open = undefined
    this.#link = undefined
    this.#failed()
    void link.close()
  }

  /** The first failure sets no backoff: the next call may reconnect at once. */
  #failed(): void {
    this.#failures += 1
    const waitMs = this.#failures < 2 ? 0 : Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** (this.#failures - 2))
    this.#notBefore = this.#clock.now() + waitMs
  }
}
