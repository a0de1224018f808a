import { MandateError, isRecord, joinLabels } from '../../core/index.ts'
import type { Json, JsonObject, Label } from '../../core/index.ts'

/** A graph defined by a cell, before or after its registration. */
type Draft = {
  readonly blueprint: JsonObject
  readonly hash: string
  /** Whether every name in it was known when it was last checked. */
  readonly compiled: boolean
  /** Whether a person has reviewed what it uses and it was registered. */
  readonly reviewed?: boolean
  /** Labels of its source text. */
  readonly labels: readonly Label[]
}

/** The graphs defined by the cells of a session, by name. They persist between cells. */
export class Drafts {
  /** The stored drafts. Replaced by a new object on every change. */
  stored: JsonObject
  readonly #requiresReview: boolean

  constructor(stored: Json | undefined, requiresReview: boolean) {
    this.stored = isRecord(stored) ? stored : {}
    this.#requiresReview = requiresReview
  }

  put(name: string, draft: Draft): Json {
    this.stored = { ...this.stored, [name]: draft }
    return this.describe(name)
  }

  /** Finds a draft by its name or by the result of `graph_define`. */
  find(asked: Json | undefined): { readonly name: string; readonly draft: Draft } {
    const name = isRecord(asked) ? asked['name'] : asked
    const draft = typeof name === 'string' && this.has(name) ? (this.stored[name] as Draft) : undefined
    if (typeof name === 'string' && draft !== undefined) return { name, draft }
    const known = Object.keys(this.stored).join(', ') || 'none'
    throw new MandateError(
      'NOT_FOUND',
      `There is no such draft of a graph. Drafts of this session: ${known}. Write one with graph_define({ name, source }).`,
    )
  }

  /** The labels of all drafts, which also apply to their names. */
  get labels(): readonly Label[] {
    return joinLabels(...Object.values(this.stored).map((draft) => (draft as Draft).labels))
  }

  /** Whether a graph is a reviewed draft of this session. */
  isReviewed(name: string, hash: string): boolean {
    if (!this.has(name)) return false
    const draft = this.stored[name] as Draft
    return draft.reviewed === true && draft.hash === hash
  }

  has(name: string): boolean {
    return Object.hasOwn(this.stored, name)
  }

  /** Returns the description of a draft that cells receive. */
  describe(name: string): Json {
    const { blueprint, hash, compiled } = this.stored[name] as Draft
    const nodes = (blueprint['nodes'] as readonly JsonObject[]).map((node) => node['name'] ?? null)
    return { name, hash, start: blueprint['start'] ?? null, nodes, compiled, requiresReview: this.#requiresReview }
  }
}
