import type { Json } from '../../core/index.ts'
import type { DatabaseQueryOptions } from '../clients.ts'
import { compareJson, fieldOf } from '../query.ts'

interface Candidate<T> {
  readonly item: T
  readonly key: string
  readonly field: Json | undefined
}

/** Sorts and limits the results of a query, keeping only what can be in the answer. */
export class Selection<T> {
  readonly #options: DatabaseQueryOptions
  readonly #from: number
  readonly #to: number
  #kept: Candidate<T>[] = []

  constructor(options: DatabaseQueryOptions) {
    this.#options = options
    this.#from = Math.max(options.offset ?? 0, 0)
    this.#to = options.limit === undefined ? Infinity : this.#from + Math.max(options.limit, 0)
  }

  add(item: T, key: string, value: Json): void {
    const { orderBy } = this.#options
    this.#kept.push({ item, key, field: orderBy === undefined ? undefined : fieldOf(value, orderBy) })
    if (this.#kept.length > this.#to * 2 + 1_000) this.#kept = this.#ordered().slice(0, this.#to)
  }

  list(): readonly T[] {
    return this.#ordered()
      .slice(this.#from, this.#to)
      .map(({ item }) => item)
  }

  #ordered(): Candidate<T>[] {
    const sign = this.#options.descending === true ? -1 : 1
    return this.#kept.sort((a, b) => sign * (compareJson(a.field, b.field) || compareJson(a.key, b.key)))
  }
}
