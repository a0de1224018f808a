import { checkMandate } from '../../gate/index.ts'
import { graphReviews } from '../../graph/index.ts'
import { kernelOf } from '../../run/index.ts'
import type { Kernel } from '../../run/index.ts'
import { cellMind } from './cell-mind.ts'
import type { CellMind, CellMindOptions } from './cell-mind.ts'
import { LiveSessions } from './live-sessions.ts'

/** What one session is given: `script` and `policy` are for cells that others call. */
export type SessionCapabilities = Omit<CellMindOptions, 'script' | 'policy'>

interface OpenedSession {
  readonly given: SessionCapabilities
  readonly mind: CellMind
}

/**
 * The cells of one name: what was registered for all callers, and what each session was given. Every session has a mind of its own, so that no other
 * session changes its mandate, tools or models.
 */
export class NamedCells {
  readonly name: string
  /** What tools of a session find in `metadata.state` of their context. */
  readonly appStates: Map<string, unknown> = new Map()
  readonly #service: object
  readonly #kernel: Kernel
  readonly #live = new LiveSessions()
  readonly #sessions = new Map<string, OpenedSession>()
  /** Undefined where only sessions have the name: one that was not opened here may have had any mandate, so its runs are not resumed under none. */
  #registered: CellMind | undefined
  #options: CellMindOptions = {}

  constructor(service: object, name: string) {
    this.name = name
    this.#service = service
    this.#kernel = kernelOf(service)
    // Reviews that cells wait for need their mind.
    graphReviews(service)
    this.#announce(this.#build({}))
  }

  register(options: CellMindOptions): void {
    this.#registered = this.#build(options)
    this.#options = options
    this.#announce(this.#registered)
    for (const [id, { given }] of this.#sessions) this.give(id, given)
  }

  /** Gives a session what it does not have yet, or has otherwise; what is not given stays. */
  give(id: string, capabilities: SessionCapabilities): void {
    const given = merged(this.#sessions.get(id)?.given ?? {}, capabilities)
    this.#sessions.set(id, { given, mind: this.#build(merged(this.#options, given)) })
  }

  /** What a session was given. */
  givenTo(id: string): SessionCapabilities {
    return this.#sessions.get(id)?.given ?? {}
  }

  mindOf(id: string): CellMind | undefined {
    return this.#sessions.get(id)?.mind ?? this.#registered
  }

  #build(options: CellMindOptions): CellMind {
    if (options.mandate !== undefined) checkMandate(options.mandate)
    const { registry, journal } = this.#kernel
    const { appStates } = this
    return cellMind(this.name, { registry, journal, service: this.#service, live: this.#live, appStates }, options)
  }

  #announce(mind: CellMind): void {
    this.#kernel.registry.registerMind({ ...mind, ofSession: (id) => this.mindOf(id) }, { override: true })
  }
}

/** Options with others laid over them. */
function merged<O extends object>(before: O, given: O): O {
  return { ...before, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) }
}

const named = new WeakMap<object, Map<string, NamedCells>>()

/**
 * Makes cells of a name known to a service, so that their runs can be resumed, and called by others: a node `repl_agent` of a graph, or a cell. With
 * `script`, a call evaluates that cell over the input as `context`. What is given replaces what was registered under the name; sessions under it have what
 * they were given themselves, and this for the rest.
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

/** The cells of a name. */
export function cellsOf(service: object, name: string): NamedCells {
  const { registry } = kernelOf(service)
  const known = named.get(registry) ?? new Map<string, NamedCells>()
  named.set(registry, known)
  let cells = known.get(name)
  if (cells === undefined) known.set(name, (cells = new NamedCells(service, name)))
  return cells
}
