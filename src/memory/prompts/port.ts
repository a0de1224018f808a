/** The store behind a prompt store: immutable texts by id and number, and movable labels. */
export interface PromptPort {
  /** Stores a version; returns false if the number is taken. */
  add(id: string, version: number, text: string): Promise<boolean>
  /** The given version, or the newest. */
  get(id: string, version?: number): Promise<PromptRow | undefined>
  /** All versions, oldest first. */
  versions(id: string): Promise<readonly PromptRow[]>
  /** The newest version of every template, in the order of creation. */
  newest(): Promise<readonly PromptRow[]>
  setLabel(id: string, label: string, version: number): Promise<void>
  labels(id: string): Promise<ReadonlyMap<string, number>>
  close(): Promise<void>
}

export interface PromptRow {
  readonly id: string
  readonly version: number
  readonly text: string
}

/** A port in the memory of this process. */
export function mapPromptPort(): PromptPort {
  const shelves = new Map<string, { readonly texts: string[]; readonly labels: Map<string, number> }>()
  const row = (id: string, version: number): PromptRow | undefined => {
    const text = shelves.get(id)?.texts[version - 1]
    return text === undefined ? undefined : { id, version, text }
  }
  return {
    async add(id, version, text) {
      const shelf = shelves.get(id) ?? { texts: [] as string[], labels: new Map<string, number>() }
      if (version !== shelf.texts.length + 1) return false
      shelf.texts.push(text)
      shelves.set(id, shelf)
      return true
    },
    async get(id, version) {
      return row(id, version ?? shelves.get(id)?.texts.length ?? 0)
    },
    async versions(id) {
      return (shelves.get(id)?.texts ?? []).map((_, index) => row(id, index + 1)!)
    },
    async newest() {
      return [...shelves].map(([id, { texts }]) => row(id, texts.length)!)
    },
    async setLabel(id, label, version) {
      shelves.get(id)?.labels.set(label, version)
    },
    async labels(id) {
      return new Map(shelves.get(id)?.labels)
    },
    async close() {},
  }
}
