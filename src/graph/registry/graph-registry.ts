import { MandateError, checkFields, checkName, nearest } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { givenModel } from '../../model/index.ts'
import type { GivenModel } from '../../model/index.ts'
import { kernelOf } from '../../run/index.ts'
import type { Registry } from '../../run/index.ts'
import { CATALOG_KINDS } from '../blueprint/blueprint.ts'
import type { Blueprint, CatalogKind } from '../blueprint/blueprint.ts'
import type { Catalog } from './catalog.ts'
import { findingsOf } from './registry-findings.ts'
import type { RegistryFinding } from './registry-findings.ts'

/** Chooses the route out of a node: the label of a route, or several. Called once per step; its choice is journaled. */
type GraphRouter = (state: JsonObject, result: Json) => string | readonly string[] | Promise<string | readonly string[]>

/**
 * Folds one update into the value of a channel; `current` is `undefined` before the first. Called again whenever a run is resumed or replayed, so it
 * must be a pure function.
 */
export type GraphReducer = (
  current: Json | undefined,
  update: Json,
  args: readonly (string | number | boolean)[],
) => Json

/** All names that graphs can use, as plain data. */
export type RegistrySnapshot = Readonly<
  Record<CatalogKind, { readonly names: readonly string[]; readonly aliases: Readonly<Record<string, string>> }>
>

interface RegisterOptions {
  /** Replaces an existing name. */
  readonly override?: boolean | undefined
}

const REGISTER_OPTIONS = { override: 'flag' }

/** The prefix of the package's own minds, such as the one of schedules. */
const INTERNAL = 'mandate-'

/**
 * The names that graphs can use: models, tools, agents, graphs and programs of a service, its stores, and routers, reducers and aliases, which are
 * registered here. It reads the service's registry, so that later registrations are visible at once.
 */
export class GraphRegistry implements Catalog {
  readonly #registry: Registry
  readonly #routers = new Map<string, GraphRouter>()
  readonly #reducers = new Map<string, GraphReducer>()
  readonly #aliases = new Map<CatalogKind, Map<string, string>>()

  constructor(registry: Registry) {
    this.#registry = registry
  }

  /** Adds a model under a name for graphs. Calls use the model's id, never this name. */
  registerModel(name: string, model: GivenModel, options?: RegisterOptions): void {
    this.#checkFree('model', name, options)
    this.#registry.registerModel(name, givenModel(model))
  }

  registerRouter(name: string, router: GraphRouter, options?: RegisterOptions): void {
    this.#checkFree('router', name, options)
    this.#routers.set(name, checkFunction('router', name, router))
  }

  registerReducer(name: string, reducer: GraphReducer, options?: RegisterOptions): void {
    this.#checkFree('reducer', name, options)
    this.#reducers.set(name, checkFunction('reducer', name, reducer))
  }

  /** Adds an alias. Gate and journal only get the registered name. The target may be registered later; `findings` lists missing ones. */
  alias(kind: CatalogKind, alias: string, target: string, options?: RegisterOptions): void {
    this.#checkFree(kind, alias, options)
    checkName(target, `The target of the alias "${alias}"`)
    const aliases = this.#aliasesOf(kind)
    if (this.#follow(kind, target).includes(alias))
      throw new MandateError(
        'CONFIG_INVALID',
        `The alias "${alias}" of the ${kind} "${target}" would lead back to itself. Give it another target.`,
      )
    aliases.set(alias, target)
  }

  /** The registered name for a name or an alias; a registered name takes precedence over an alias. */
  find(kind: CatalogKind, name: string): string | undefined {
    return this.#follow(kind, checkKind(kind) && name).find((each) => this.#has(kind, each))
  }

  /** The same, or throws with the nearest name. */
  require(kind: CatalogKind, name: string): string {
    const found = this.find(kind, name)
    if (found !== undefined) return found
    const known = this.names(kind)
    const near = nearest(name, known)
    const hint = near === undefined ? `Registered: ${known.join(', ') || 'none'}.` : `Did you mean "${near}"?`
    throw new MandateError('NOT_FOUND', `There is no ${kind} "${name}" here. ${hint}`)
  }

  /** Every name and alias of a kind, sorted. */
  names(kind: CatalogKind): readonly string[] {
    return [...new Set([...this.#registered(checkKind(kind)), ...this.#aliasesOf(kind).keys()])].toSorted()
  }

  router(name: string): GraphRouter {
    return this.#routers.get(this.require('router', name))!
  }

  reducer(name: string): GraphReducer {
    return this.#reducers.get(this.require('reducer', name))!
  }

  /** The blueprint of a registered graph. */
  blueprint(name: string): Blueprint | undefined {
    const found = this.find('graph', name)
    const mind = found === undefined ? undefined : this.#registry.mind('graph', found)
    // A graph pins its blueprint, so that a resumed run continues with the one it started with.
    return (mind?.pins?.() as { readonly blueprint?: Blueprint } | undefined)?.blueprint
  }

  /** All names and aliases, sorted: plain JSON for comparing hosts or releases. */
  snapshot(): RegistrySnapshot {
    const rows = {} as Record<CatalogKind, RegistrySnapshot[CatalogKind]>
    for (const kind of CATALOG_KINDS) {
      const aliases = Object.fromEntries([...this.#aliasesOf(kind)].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      rows[kind] = { names: [...this.#registered(kind)].toSorted(), aliases }
    }
    return rows
  }

  /** Problems with names: aliases without a target, aliases hidden by a registered name, names of several kinds. */
  findings(): readonly RegistryFinding[] {
    return findingsOf(this.snapshot())
  }

  #aliasesOf(kind: CatalogKind): Map<string, string> {
    const aliases = this.#aliases.get(kind) ?? new Map<string, string>()
    this.#aliases.set(kind, aliases)
    return aliases
  }

  /** A name with the targets of its aliases, in order. */
  #follow(kind: CatalogKind, name: string): readonly string[] {
    const path = [name]
    for (let next = this.#aliasesOf(kind).get(name); next !== undefined && !path.includes(next);) {
      path.push(next)
      next = this.#aliasesOf(kind).get(next)
    }
    return path
  }

  #has(kind: CatalogKind, name: string): boolean {
    return this.#registered(kind).includes(name)
  }

  #registered(kind: CatalogKind): readonly string[] {
    const registry = this.#registry
    if (kind === 'model') return [...registry.models.keys()]
    if (kind === 'tool') return [...registry.tools.keys()]
    if (kind === 'router') return [...this.#routers.keys()]
    if (kind === 'reducer') return [...this.#reducers.keys()]
    if (kind === 'store') return STORES.filter((store) => registry[store] !== undefined)
    return registry.mindNames(kind).filter((name) => !name.startsWith(INTERNAL))
  }

  #checkFree(kind: CatalogKind, name: string, options: RegisterOptions | undefined): void {
    checkFields(options, 'an option of registering', REGISTER_OPTIONS)
    checkName(name, `The name of a ${checkKind(kind)}`)
    if (options?.override === true) return
    const isAlias = this.#aliasesOf(kind).has(name)
    if (!isAlias && !this.#has(kind, name)) return
    throw new MandateError(
      'DUPLICATE',
      `${isAlias ? `An alias of a ${kind}` : `A ${kind}`} "${name}" is already registered. Give it another name, or register it with \`override: true\`.`,
    )
  }
}

const STORES = ['memory', 'database', 'prompts'] as const

function checkKind(kind: CatalogKind): CatalogKind {
  if (CATALOG_KINDS.includes(kind)) return kind
  const near = nearest(kind, CATALOG_KINDS)
  const hint = near === undefined ? `Use one of: ${CATALOG_KINDS.join(', ')}.` : `Did you mean "${near}"?`
  throw new MandateError('CONFIG_INVALID', `Nothing is registered as "${kind}". ${hint}`)
}

function checkFunction<T>(kind: CatalogKind, name: string, given: T): T {
  if (typeof given === 'function') return given
  throw new MandateError('CONFIG_INVALID', `The ${kind} "${name}" must be a function.`)
}

const registries = new WeakMap<Registry, GraphRegistry>()

/**
 * The names that graphs of a service can use; always the same object for one service.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { graphRegistry } from 'mandate/graph'
 * import { scripted } from 'mandate/model'
 * const names = graphRegistry(new AgentService())
 * names.registerModel('small', scripted(['Hello.']))
 * names.alias('model', 'default', 'small')
 * names.registerRouter('by_length', (state) => (String(state['text']).length > 100 ? 'long' : 'short'))
 * names.registerReducer('highest', (current, update) => Math.max(Number(current ?? 0), Number(update)))
 * console.log(names.find('model', 'default'), names.findings())
 * ```
 */
export function graphRegistry(service: object): GraphRegistry {
  const { registry } = kernelOf(service)
  const known = registries.get(registry) ?? new GraphRegistry(registry)
  registries.set(registry, known)
  return known
}
