import { checkMandate } from '../../gate/index.ts'
import { graphReviews } from '../../graph/index.ts'
import { kernelOf } from '../../run/index.ts'
import type { Kernel } from '../../run/index.ts'
import { cellMind } from './cell-mind.ts'
import type { CellMind, CellMindOptions } from './cell-mind.ts'
import { liveSessionsOf } from './live-sessions.ts'

/** Capabilities of one session, without `script` and `policy`, which are for cells called by others. */
export type SessionCapabilities = Omit<CellMindOptions, 'script' | 'policy'>

interface OpenedSession {
  readonly given: SessionCapabilities
  readonly mind: CellMind
}

/**
 * The cells of one name: their registration for all callers and the capabilities of each session. Every session has its own mind, so that no other session
 * changes its mandate, tools or models.
 */
export class NamedCells {
  readonly name: string
  /** Application state by session, which tools read from `metadata.state` of their context. */
  readonly appStates: Map<string, unknown> = new Map()
  readonly #service: object
  readonly #kernel: Kernel
  readonly #sessions = new Map<string, OpenedSession>()
  /**
   * Undefined if only sessions use the name. A session that was not opened in this process may have had any mandate, so its runs are not resumed without one.
   */
  #registered: CellMind | undefined
  #options: CellMindOptions = {}

  constructor(service: object, name: string) {
    this.name = name
    this.#service = service
    this.#kernel = kernelOf(service)
    // Cells can wait for graph reviews, so the mind of reviews must be registered.
    graphReviews(service)
    this.#announce(this.#build({}))
  }

  register(options: CellMindOptions): void {
    this.#registered = this.#build(options)
    this.#options = options
    this.#announce(this.#registered)
    for (const [id, { given }] of this.#sessions) this.give(id, given)
  }

  /** Adds or replaces capabilities of a session; others are kept. */
  give(id: string, capabilities: SessionCapabilities): void {
    const given = merged(this.#sessions.get(id)?.given ?? {}, capabilities)
    this.#sessions.set(id, { given, mind: this.#build(merged(this.#options, given)) })
  }

  /** Returns the capabilities of a session. */
  givenTo(id: string): SessionCapabilities {
    return this.#sessions.get(id)?.given ?? {}
  }

  /** Frees what is kept for a session that evaluates no more cells. */
  forget(id: string): void {
    this.#sessions.delete(id)
    this.appStates.delete(id)
  }

  mindOf(id: string): CellMind | undefined {
    return this.#sessions.get(id)?.mind ?? this.#registered
  }

  #build(options: CellMindOptions): CellMind {
    if (options.mandate !== undefined) checkMandate(options.mandate)
    const { registry, journal } = this.#kernel
    const { appStates } = this
    const live = liveSessionsOf(journal)
    return cellMind(this.name, { registry, journal, service: this.#service, live, appStates }, options)
  }

  #announce(mind: CellMind): void {
    this.#kernel.registry.registerMind({ ...mind, ofSession: (id) => this.mindOf(id) }, { override: true })
  }
}

/** Merges options; undefined fields are ignored. */
function merged<O extends object>(before: O, given: O): O {
  return { ...before, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) }
}

const named = new WeakMap<object, Map<string, NamedCells>>()

/**
 * Registers cells under a name with a service, so that their runs can be resumed and called: by a `repl_agent` node of a graph, or by a cell. With `script`,
 * a call evaluates that cell with the input as `context`. Replaces earlier options of the name; sessions under it keep their own capabilities and use these
 * options for the rest.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { registerCells } from 'mandate/repl'
 * const service = new AgentService()
 * registerCells(service, 'average', { script: 'context.values.reduce((a, b) => a + b, 0) / context.values.length' })
 * ```
 */
export function registerCells(service: object, name: string, options: CellMindOptions = {}): string {
  cellsOf(service, name).register(options)
  return name
}

/** Returns the cells registered under a name, and creates them on first use. */
export function cellsOf(service: object, name: string): NamedCells {
  const { registry } = kernelOf(service)
  const known = named.get(registry) ?? new Map<string, NamedCells>()
  named.set(registry, known)
  let cells = known.get(name)
  if (cells === undefined) known.set(name, (cells = new NamedCells(service, name)))
  return cells
}
