/** Where a value came from, or who may see it: `untrusted:web`, `secret`, `pii`, `source:<id>`. */
export type Label = string

/** The labels of something made from several labelled things: all of them, once each, in one order. */
export function joinLabels(...sets: (readonly Label[] | undefined)[]): readonly Label[] {
  let joined: Set<Label> | undefined
  let only: readonly Label[] = []
  for (const set of sets) {
    if (set === undefined || set.length === 0) continue
    if (only.length === 0 && joined === undefined) only = set
    else {
      joined ??= new Set(only)
      for (const label of set) joined.add(label)
    }
  }
  return joined === undefined ? only : [...joined].sort()
}
