import { MandateError, isRecord, joinLabels } from '../../core/index.ts'
import type { Json, JsonObject, Label } from '../../core/index.ts'

/** A graph that a cell has written and nobody has registered. */
type Draft = {
  readonly blueprint: JsonObject
  readonly hash: string
  /** Every name in it was known when it was looked at. */
  readonly compiled: boolean
  /** A person has seen what it reaches, and it was registered. */
  readonly reviewed?: boolean
  /** What its text was made from. */
  readonly labels: readonly Label[]
}

/** The graphs that cells of a session have written, by name. They are kept from cell to cell. */
export class Drafts {
  /** What is stored; another object whenever something has changed. */
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

  /** The draft that a cell means by a name or by what `graph_define` gave it. */
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

  /** What all drafts were made from: their names too. */
  get labels(): readonly Label[] {
    return joinLabels(...Object.values(this.stored).map((draft) => (draft as Draft).labels))
  }

  /** Whether a graph is one of these that was reviewed. */
  isReviewed(name: string, hash: string): boolean {
    if (!this.has(name)) return false
    const draft = this.stored[name] as Draft
    return draft.reviewed === true && draft.hash === hash
  }

  has(name: string): boolean {
    return Object.hasOwn(this.stored, name)
  }

  /** What a cell gets to see of a draft. */
  describe(name: string): Json {
    const { blueprint, hash, compiled } = this.stored[name] as Draft
    const nodes = (blueprint['nodes'] as readonly JsonObject[]).map((node) => node['name'] ?? null)
    return { name, hash, start: blueprint['start'] ?? null, nodes, compiled, requiresReview: this.#requiresReview }
  }
}
