/** The origin of a value, or its confidentiality: `untrusted:web`, `secret`, `pii`, `source:<id>`. */
export type Label = string

/** The labels of the parts of a value, for a mind that tracks them separately. */
export interface LabelMap {
  /**
   * By JSON pointer. A part without an entry has the labels of the nearest enclosing part, so `{ '': ['untrusted:web'], '/to': [] }` means that
   * everything except `/to` came from the web.
   */
  readonly at: { readonly [pointer: string]: readonly Label[] }
  /** The labels of the control flow that led to the request. */
  readonly pc?: readonly Label[] | undefined
  /** Absent and `null` values have labels too: their own, or those of the enclosing part. Absent: unknown. */
  readonly coversAbsent?: boolean | undefined
}

/** The labels of an effect's input: one list for all of it, or one for each part. */
export type EffectLabels = readonly Label[] | LabelMap

/** The labels of a value derived from several labelled ones: their union, in a fixed order. */
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

/** A set that has grown too large is reduced to the kinds of its labels: `untrusted:*` in place of a thousand sources. */
function widened(labels: readonly Label[]): readonly Label[] {
  if (labels.length <= MANY) return labels
  return [
    ...new Set(labels.map((label) => (label.includes(':') ? `${label.slice(0, label.indexOf(':'))}:*` : label))),
  ].sort()
}

/** Every label of an input: of all its parts, and of the control flow that led to it. */
export function allLabels(labels: EffectLabels | undefined): readonly Label[] {
  if (labels === undefined || isList(labels)) return labels ?? []
  return joinLabels(labels.pc, ...Object.values(labels.at))
}

/** Whether a label matches a pattern; `untrusted:*` matches `untrusted` and every label that begins with `untrusted:`, and `*` matches every label. */
export function matchesLabel(pattern: string, label: Label): boolean {
  // A widened set may stand for any label of that kind.
  if (label.endsWith(':*') && pattern.startsWith(label.slice(0, -1))) return true
  if (!pattern.endsWith('*')) return pattern === label
  const start = pattern.slice(0, -1)
  return label.startsWith(start) || (start.endsWith(':') && label === start.slice(0, -1))
}

/** Whether the labels are one list for the whole input. */
export function isList(labels: EffectLabels): labels is readonly Label[] {
  return Array.isArray(labels)
}
