import { MandateError } from '../../core/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { ContextSource } from '../../memory/index.ts'
import { kernelOf } from '../../run/index.ts'
import { asContext } from './context.ts'
import type { Context, ContextFacts, ContextPart } from './context.ts'
import { contextTools } from './context-tools.ts'

/** The open contexts of this process by session id. */
export class OpenContexts {
  readonly #bySession = new Map<string, Context>()
  /** The tools that read these contexts. */
  readonly tools: ReadonlyMap<string, Tool> = new Map(
    contextTools(({ sessionId }) => this.#find(sessionId)).map((tool) => [tool.name, tool]),
  )

  set(session: string, context: Context | undefined): void {
    if (context === undefined) this.#bySession.delete(session)
    else this.#bySession.set(session, context)
  }

  of(session: string): Context | undefined {
    return this.#bySession.get(session)
  }

  /** Returns the facts of a part of a session's context; `null` if the session has no context. */
  async factsOf(session: string, part: ContextPart): Promise<ContextFacts | null> {
    const context = this.#bySession.get(session)
    return context === undefined ? null : (await (await context.part(part)).open()).facts
  }

  #find(session: string): Context {
    const context = this.#bySession.get(session)
    if (context !== undefined) return context
    throw new MandateError(
      'RUN_STATE',
      `The context of session "${session}" is not open in this process. Open the session with it: ReplSession.open(service, { sessionId, context }); on the command line, --context <file>.`,
    )
  }
}

const known = new WeakMap<object, OpenContexts>()

/** Returns the open contexts of one service, identified by its registry. */
export function openContexts(registry: object): OpenContexts {
  let contexts = known.get(registry)
  if (contexts === undefined) known.set(registry, (contexts = new OpenContexts()))
  return contexts
}

/**
 * Opens a large input for the agents of a session and returns a reference to it: plain data to pass to a run as its `context`. Cells of an agent in code mode
 * then read it in parts.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { fileContext } from 'mandate/connect'
 * import { openContext } from 'mandate/repl'
 * const service = new AgentService()
 * const context = await openContext(service, { sessionId: 'logs', context: fileContext('server.log') })
 * // service.run('analyst', 'What failed first?', { sessionId: 'logs', context })
 * ```
 */
export async function openContext(
  host: object,
  { sessionId, context: given }: { readonly sessionId: string; readonly context: Context | ContextSource },
): Promise<ContextPart> {
  const context = asContext(given)
  const { ref, length } = (await context.open()).facts
  openContexts(kernelOf(host).registry).set(sessionId, context)
  return { context: ref, from: 0, to: length }
}
