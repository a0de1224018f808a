import { newId, systemRandom } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import { protocol } from './protocol.ts'
import type { McpServer, WebStandardStreamableHTTPServerTransport } from './protocol.ts'

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: McpServer
  readonly owner: string
  usedAt: number
}

/** The maximum number of concurrent sessions of clients of older revisions; the least recently used one is closed. */
const SESSIONS = 1_000
/** Idle timeout of a session. */
const IDLE_MS = 30 * 60_000

/** Sessions of clients with revisions before 2026-07-28, in which the server sends a question in one request and receives the answer with another. */
export class Sessions {
  readonly #byId = new Map<string, Session>()
  readonly #clock: Clock
  readonly #make: (identity: Identity) => Promise<McpServer>

  constructor(clock: Clock, make: (identity: Identity) => Promise<McpServer>) {
    this.#clock = clock
    this.#make = make
  }

  async fetch(request: Request, identity: Identity): Promise<Response> {
    this.#sweep()
    const id = request.headers.get('mcp-session-id')
    if (id === null) return this.#open(request, identity)
    const session = this.#byId.get(id)
    // The same message for a session of another identity: its existence must not be revealed.
    if (session === undefined || session.owner !== identity.id)
      return Response.json(
        { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } },
        { status: 404 },
      )
    session.usedAt = this.#clock.now()
    return session.transport.handleRequest(request)
  }

  async close(): Promise<void> {
    const all = [...this.#byId.values()]
    this.#byId.clear()
    await Promise.allSettled(all.map(({ server }) => server.close()))
  }

  async #open(request: Request, identity: Identity): Promise<Response> {
    const server = await this.#make(identity)
    const transport = new protocol.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => newId(systemRandom.hex(16), this.#clock, systemRandom),
      onsessioninitialized: (id) => {
        this.#byId.set(id, { transport, server, owner: identity.id, usedAt: this.#clock.now() })
      },
      onsessionclosed: (id) => void this.#byId.delete(id),
    })
    await server.connect(transport)
    const response = await transport.handleRequest(request)
    // A request that was not an initialization created no session.
    if (transport.sessionId === undefined) await server.close()
    return response
  }

  #sweep(): void {
    const now = this.#clock.now()
    const byAge = [...this.#byId].toSorted(([, a], [, b]) => a.usedAt - b.usedAt)
    for (const [index, [id, session]] of byAge.entries()) {
      if (now - session.usedAt < IDLE_MS && byAge.length - index <= SESSIONS) return
      this.#byId.delete(id)
      session.server.close().catch(() => {})
    }
  }
}
