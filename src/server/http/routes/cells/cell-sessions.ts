import type { AgentService } from '../../../../agent/index.ts'
import { MandateError } from '../../../../core/index.ts'
import type { Identity } from '../../../../journal/index.ts'
import type { ReplOptions, ReplSession } from '../../../../repl/index.ts'
import type { Call } from '../../route.ts'

/** Sessions that are kept open; the one that was used least recently is let go of, and opened again from the store. */
const OPEN_MAX = 1_000
/** Under which cells of requests are registered with the service. */
const NAME = 'cells'

interface Opened {
  readonly session: ReplSession
  readonly owner: string
}

/** The sessions of cells that requests have opened. Each belongs to whoever opened it; to others it is not there. */
export class CellSessions {
  readonly #host: AgentService
  readonly #open = new Map<string, Opened>()

  constructor(host: AgentService) {
    this.#host = host
  }

  /** A new session. Its id is made here: a caller cannot name one that exists. */
  async begin(
    { identity }: Call,
    options: Pick<ReplOptions, 'policy' | 'budget' | 'context' | 'state'>,
  ): Promise<ReplSession> {
    const { ReplSession: Sessions } = await import('../../../../repl/index.ts')
    return this.#keep(await Sessions.open(this.#host, { ...options, name: NAME, identity }), identity)
  }

  /** A session of the caller, from memory or from the store. */
  async find({ identity, service, params }: Call): Promise<ReplSession> {
    const id = params['sessionId']!
    const known = this.#open.get(id)
    if (known !== undefined && known.owner !== identity.id) throw unknown(id)
    if (known !== undefined) return this.#keep(known.session, identity)
    const cells = await service.runs({ sessionId: id, name: NAME, parent: null, limit: 1 })
    if (cells.length === 0) throw unknown(id)
    await service.checkSession(id)
    const { ReplSession: Sessions } = await import('../../../../repl/index.ts')
    return this.#keep(await Sessions.open(this.#host, { sessionId: id, name: NAME, identity }), identity)
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
