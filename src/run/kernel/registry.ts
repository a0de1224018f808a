import { MandateError, checkFields } from '../../core/index.ts'
import { checkMandate, checkNames } from '../../gate/index.ts'
import type { ContentFilter, Mandate } from '../../gate/index.ts'
import type { MindKind } from '../../journal/index.ts'
import type { Model } from '../../model/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { Mind } from '../mind/mind.ts'
import type { Performer } from '../performers/performer.ts'
import { knownTargets } from './known-targets.ts'
import { copyPerformers, hostPerformer, setPerformer } from './performer-table.ts'
import type { Resources } from './resources.ts'

const OVERRIDE = { override: 'flag' }

/** Everything that runs can name: minds by kind and name, models, tools, and the performers of effects. */
export class Registry implements Resources {
  readonly tools: Map<string, Tool> = new Map()
  readonly models: Map<string, Model> = new Map()
  /** Content filters that mandates may name. */
  readonly filters: Map<string, ContentFilter> = new Map()
  readonly #minds = new Map<string, Mind>()
  memory: Resources['memory']
  database: Resources['database']
  prompts: Resources['prompts']
  embedding: Resources['embedding']
  /** Finds the model that a mandate names for its overseer. The host has more models than minds may name. */
  judge: (name: string) => Model | undefined = () => undefined

  /** Registers a mind by kind, so that another mind can start it without importing its room. */
  registerMind(mind: Mind<never>, options: { override?: boolean } = {}): void {
    checkFields(options, 'an option of registering', OVERRIDE)
    if (mind.mandate !== undefined) {
      const mandate = checkMandate(mind.mandate)
      // A service checks the names of its agents itself, once what they may call is here too.
      if (mind.kind === 'graph' || mind.kind === 'program')
        checkNames(mandate, () => knownTargets(this, mind), `The ${mind.kind} "${mind.name}"`)
    }
    const id = `${mind.kind}/${mind.name}`
    if (this.#minds.has(id) && options.override !== true) {
      throw new MandateError(
        'DUPLICATE',
        `A mind "${id}" is already registered. Give it another name, or register it with \`override: true\`.`,
      )
    }
    this.#minds.set(id, mind)
  }

  /** Removes a mind. Runs of it that are under way continue; none is started or resumed. */
  unregisterMind(kind: MindKind, name: string): void {
    this.#minds.delete(`${kind}/${name}`)
  }

  /** The mind of a name; with a session, the variant for its runs. */
  mind(kind: MindKind, name: string, sessionId?: string): Mind | undefined {
    const mind = this.#minds.get(`${kind}/${name}`)
    return sessionId === undefined || mind?.ofSession === undefined ? mind : mind.ofSession(sessionId)
  }

  /** The same, or throws with the names that are registered. */
  requireMind(kind: MindKind, name: string, sessionId?: string): Mind {
    const mind = this.mind(kind, name, sessionId)
    if (mind !== undefined) return mind
    const known = this.mindNames(kind)
    if (known.includes(name))
      throw new MandateError(
        'NOT_FOUND',
        `Session "${sessionId}" of the ${kind} "${name}" is not open here. Open it, with the options that it had, before running or resuming.`,
      )
    throw new MandateError(
      'NOT_FOUND',
      `There is no ${kind} "${name}" here. ${known.length === 0 ? `No ${kind} is registered` : `Registered: ${known.join(', ')}`}; register it before running or resuming.`,
    )
  }

  /** Takes over everything that is registered in another registry now, and that this one does not have, and its performers. */
  adopt(other: Registry): void {
    for (const [name, tool] of other.tools) this.tools.set(name, tool)
    for (const [name, model] of other.models) this.models.set(name, model)
    for (const [name, filter] of other.filters) this.filters.set(name, filter)
    for (const [id, mind] of other.#minds) if (!this.#minds.has(id)) this.#minds.set(id, mind)
    const { memory, database, prompts, embedding } = other
    Object.assign(this, { memory, database, prompts, embedding })
    copyPerformers(other, this)
  }

  /** Every mind as `kind/name`. */
  allMinds(): readonly string[] {
    return [...this.#minds.keys()]
  }

  mindNames(kind: MindKind): readonly string[] {
    return [...this.#minds.values()].filter((mind) => mind.kind === kind).map((mind) => mind.name)
  }

  /** Sets the performer of a kind of effect. It receives only `PerformerRun` of a run, and is called only after the gate has allowed. */
  registerPerformer(performer: Performer): void {
    setPerformer(this, hostPerformer(performer))
  }

  registerTool(tool: Tool, options: { override?: boolean } = {}): void {
    checkFields(options, 'an option of registering', OVERRIDE)
    if (this.tools.has(tool.name) && options.override !== true) {
      throw new MandateError(
        'DUPLICATE',
        `A tool "${tool.name}" is already registered. Give it another name, or register it with \`override: true\`.`,
      )
    }
    this.tools.set(tool.name, tool)
  }

  registerFilter(filter: ContentFilter, options: { override?: boolean } = {}): void {
    checkFields(options, 'an option of registering', OVERRIDE)
    if (this.filters.has(filter.name) && options.override !== true) {
      throw new MandateError(
        'DUPLICATE',
        `A filter "${filter.name}" is already registered. Give it another name, or register it with \`override: true\`.`,
      )
    }
    this.filters.set(filter.name, filter)
  }

  registerModel(name: string, model: Model): void {
    this.models.set(name, model)
  }
}

/** Finds a tool by name: first in the run's own resources, then in its mind's, then in the host's. */
export function findTool(resources: Resources, registry: Registry, name: string): Tool | undefined {
  return resources.tools?.get(name) ?? registry.tools.get(name)
}

export function findModel(resources: Resources, registry: Registry, name: string): Model | undefined {
  return resources.models?.get(name) ?? registry.models.get(name)
}

/** Finds the model of an overseer. Nothing but a name that stands in one of the mandates leads to a model of the host. */
export function findJudge(registry: Registry, mandates: readonly Mandate[], name: string): Model | undefined {
  return mandates.some(({ overseer }) => overseer?.drift?.model === name) ? registry.judge(name) : undefined
}

/** All registered names of a kind, for the message about an unknown one. */
export function findable(sort: 'tools' | 'models', resources: Resources, registry: Registry): readonly string[] {
  return [...(resources[sort]?.keys() ?? []), ...registry[sort].keys()]
}
