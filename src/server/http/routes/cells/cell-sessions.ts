import type { AgentService } from '../../../../agent/index.ts'
import { MandateError } from '../../../../core/index.ts'
import type { Json } from '../../../../core/index.ts'
import { readStart } from '../../../../journal/index.ts'
import type { Identity, ListPlace } from '../../../../journal/index.ts'
import type { ReplOptions, ReplSession } from '../../../../repl/index.ts'
import type { Call } from '../../route.ts'

/** The maximum number of sessions in memory; the least recently used one is evicted unless it waits, and is opened again from the store when needed. */
const OPEN_MAX = 1_000
/** The name under which cells of requests are registered with the service. */
const NAME = 'cells'

/** The number of cells that are read per page. */
const PAGE = 200
/** The time in the list position of a session that has no cell. */
const NO_CELL = 0

/** A session in a list. */
interface ListedSession {
  readonly id: string
  readonly waiting: boolean
  /** When its newest cell last changed. */
  readonly updatedAt?: number | undefined
}

interface Opened {
  readonly session: ReplSession
  readonly owner: string
}

/** The sessions of cells that requests have opened. A session belongs to the identity that opened it; for other callers it does not exist. */
export class CellSessions {
  readonly #host: AgentService
  readonly #open = new Map<string, Opened>()
  /** Sessions that are being opened. Concurrent requests share one session, because two instances would start the same next cell. */
  readonly #opening = new Map<string, Promise<ReplSession>>()

  constructor(host: AgentService) {
    this.#host = host
  }

  /** Opens a new session. The server creates the id, so a caller cannot name an existing session. */
  async begin(
    { identity }: Call,
    options: Pick<ReplOptions, 'policy' | 'budget' | 'context' | 'state'>,
  ): Promise<ReplSession> {
    const { ReplSession: Sessions } = await import('../../../../repl/index.ts')
    return this.#keep(await Sessions.open(this.#host, { ...options, name: NAME, identity }), identity)
  }

  /** Returns a session of the caller, from memory or from the store. */
  async find({ identity, service, params }: Call): Promise<ReplSession> {
    const id = params['sessionId']!
    const known = this.#open.get(id)
    if (known !== undefined && known.owner !== identity.id) throw unknown(id)
    if (known?.session.isClosed === true) throw unknown(id)
    if (known !== undefined) return this.#keep(known.session, identity)
    const cells = await service.runs({ sessionId: id, name: NAME, parent: null, limit: 1 })
    if (cells.length === 0) throw unknown(id)
    await service.checkSession(id)
    const opening = this.#opening.get(id) ?? this.#reopened(id, identity)
    this.#opening.set(id, opening)
    try {
      return this.#keep(await opening, identity)
    } finally {
      this.#opening.delete(id)
    }
  }

  async #reopened(id: string, identity: Identity): Promise<ReplSession> {
    const { ReplSession: Sessions } = await import('../../../../repl/index.ts')
    const session = await Sessions.open(this.#host, { sessionId: id, name: NAME, identity })
    if (session.isClosed) throw unknown(id)
    return session
  }

  /** Returns a page of the sessions of the caller, newest cell first. Sessions without a cell, which exist only in this process, come last. */
  async list(call: Call, limit: number, after?: ListPlace): Promise<{ sessions: ListedSession[]; next?: ListPlace }> {
    const found: (ListedSession & { readonly place: ListPlace })[] = []
    const take = async (from: AsyncIterable<(typeof found)[number]>): Promise<void> => {
      for await (const one of from) if (found.push(one) > limit) return
    }
    if (after?.at !== NO_CELL) await take(this.#withCells(call, after))
    if (found.length <= limit) await take(this.#withoutCells(call, after))
    const sessions = found.slice(0, limit).map(({ place: _place, ...shown }) => shown)
    return found.length > limit ? { sessions, next: found[limit - 1]!.place } : { sessions }
  }

  /** Yields stored sessions, ordered by their newest cell. */
  async *#withCells(
    { service }: Call,
    from?: ListPlace,
  ): AsyncGenerator<ListedSession & { readonly place: ListPlace }> {
    const seen = new Set<string>()
    const cells = { name: NAME, parent: null }
    for (let after = from; ;) {
      const page = await service.runs({ ...cells, limit: PAGE, after })
      for (const { run, sessionId: id, state, createdAt, updatedAt } of page) {
        if (seen.has(id)) continue
        seen.add(id)
        // A session with a newer cell was on an earlier page.
        const [newest] = from === undefined ? [{ run }] : await service.runs({ ...cells, sessionId: id, limit: 1 })
        if (newest?.run !== run || !(await this.#isOwn(service, id)) || (await this.#isClosedBy(run))) continue
        yield { id, waiting: state === 'suspended', updatedAt, place: { at: createdAt, run } }
      }
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return
      after = { at: last.createdAt, run: last.run }
    }
  }

  async *#withoutCells(
    { identity, service }: Call,
    after?: ListPlace,
  ): AsyncGenerator<ListedSession & { readonly place: ListPlace }> {
    const from = after?.at === NO_CELL ? after.run : ''
    const own = [...this.#open].filter(([id, { owner }]) => owner === identity.id && id > from).map(([id]) => id)
    for (const id of own.toSorted()) {
      const [cell] = await service.runs({ sessionId: id, name: NAME, parent: null, limit: 1 })
      if (cell === undefined) yield { id, waiting: false, place: { at: NO_CELL, run: id } }
    }
  }

  /** Closes a session permanently: later requests for it fail as not found. */
  async close(call: Call): Promise<string> {
    const session = await this.find(call)
    await session.close()
    this.#open.delete(session.id)
    return session.id
  }

  async #isClosedBy(run: string): Promise<boolean> {
    const start = await readStart(this.#host.journal, run)
    return (start?.input as { readonly op?: Json } | undefined)?.op === 'close'
  }

  /** Returns whether a session belongs to the caller. The permission to read cells of others does not include their sessions. */
  async #isOwn(service: Call['service'], id: string): Promise<boolean> {
    try {
      await service.checkSession(id)
      return true
    } catch (error) {
      if (!MandateError.isInstance(error)) throw error
      return false
    }
  }

  async fork(call: Call, at: string | undefined): Promise<ReplSession> {
    const session = await this.find(call)
    if (at !== undefined && !(await session.cells()).some(({ run }) => run === at))
      throw new MandateError('NOT_FOUND', `"${at}" is not the run of a cell of this session.`)
    return this.#keep(await session.fork({ at }), call.identity)
  }

  #keep(session: ReplSession, { id }: Identity): ReplSession {
    this.#open.delete(session.id)
    this.#open.set(session.id, { session, owner: id })
    const [oldest] = this.#open.keys()
    if (this.#open.size > OPEN_MAX && !this.#open.get(oldest!)!.session.isWaiting) this.#open.delete(oldest!)
    return session
  }
}

function unknown(id: string): MandateError {
  return new MandateError('NOT_FOUND', `There is no session of cells ${JSON.stringify(id)}.`)
}
