import { MandateError } from '../../core/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { Context } from './context.ts'
import { contextTools } from './context-tools.ts'

/** The contexts that sessions of this process have, by the id of the session. */
export class OpenContexts {
  readonly #bySession = new Map<string, Context>()
  /** The operations of all of them. */
  readonly tools: ReadonlyMap<string, Tool> = new Map(
    contextTools(({ sessionId }) => this.#find(sessionId)).map((tool) => [tool.name, tool]),
  )

  set(session: string, context: Context | undefined): void {
    if (context === undefined) this.#bySession.delete(session)
    else this.#bySession.set(session, context)
  }

  /** Gives one session the context of another one. */
  share(from: string, to: string): void {
    this.set(to, this.#bySession.get(from))
  }

  #find(session: string): Context {
    const context = this.#bySession.get(session)
    if (context !== undefined) return context
    throw new MandateError(
      'RUN_STATE',
      `The context of session "${session}" is not open in this process. Open the session with it: ReplSession.open(service, { sessionId, context }).`,
    )
  }
}

const known = new WeakMap<object, OpenContexts>()

/** The contexts of the sessions of one service, which has one registry. */
export function openContexts(registry: object): OpenContexts {
  let contexts = known.get(registry)
  if (contexts === undefined) known.set(registry, (contexts = new OpenContexts()))
  return contexts
}
