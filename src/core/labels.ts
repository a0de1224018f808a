/** Where a value came from, or who may see it: `untrusted:web`, `secret`, `pii`, `source:<id>`. */
export type Label = string

/** Labels of the parts of a value, for a mind that knows them one by one. */
export interface LabelMap {
  /**
   * By JSON pointer. What has no entry of its own has that of the nearest part around it, so `{ '': ['untrusted:web'], '/to': [] }` says that
   * everything but `/to` came from the web.
   */
  readonly at: { readonly [pointer: string]: readonly Label[] }
  /** Labels of what decided that this is asked for at all. */
  readonly pc?: readonly Label[] | undefined
  /** What is not there or is `null` carries labels as well: its own, or those of the part around it. Absent: nothing is said of it. */
  readonly coversAbsent?: boolean | undefined
}

/** Labels of an effect's input: one set for all of it, or one for each part. */
export type EffectLabels = readonly Label[] | LabelMap

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
  return joined === undefined ? only : widened([...joined].sort())
}

/** More labels than anyone would write a rule for. */
const MANY = 16

/** A set that has grown too large keeps the kinds of its labels: `untrusted:*` in the place of a thousand sources. */
function widened(labels: readonly Label[]): readonly Label[] {
  if (labels.length <= MANY) return labels
  return [
    ...new Set(labels.map((label) => (label.includes(':') ? `${label.slice(0, label.indexOf(':'))}:*` : label))),
  ].sort()
}

/** Every label an input carries, whichever part of it, and whatever led to its being asked for. */
export function allLabels(labels: EffectLabels | undefined): readonly Label[] {
  if (labels === undefined || isList(labels)) return labels ?? []
  return joinLabels(labels.pc, ...Object.values(labels.at))
}

/** Whether a label is the pattern; `untrusted:*` means every label that is `untrusted` or begins with `untrusted:`, and `*` every label. */
export function matchesLabel(pattern: string, label: Label): boolean {
  // A set that was widened may hold any label of that kind.
  if (label.endsWith(':*') && pattern.startsWith(label.slice(0, -1))) return true
  if (!pattern.endsWith('*')) return pattern === label
  const start = pattern.slice(0, -1)
  return label.startsWith(start) || (start.endsWith(':') && label === start.slice(0, -1))
}

/** Whether all of an effect has the same labels. */
export function isList(labels: EffectLabels): labels is readonly Label[] {
  return Array.isArray(labels)
}
