import { type EffectLabels, type Label, isList, joinLabels } from './labels.ts'

/** The labels of the part at a pointer: its own or those of the nearest enclosing part, and those of everything inside it. */
export function labelsAt(labels: EffectLabels | undefined, pointer: string): readonly Label[] {
  if (labels === undefined || isList(labels)) return labels ?? []
  let around: readonly Label[] | undefined
  for (
    let end = pointer.length;
    around === undefined && end >= 0;
    end = end === 0 ? -1 : pointer.lastIndexOf('/', end - 1)
  )
    if (Object.hasOwn(labels.at, pointer.slice(0, end))) around = labels.at[pointer.slice(0, end)]
  const inside = Object.keys(labels.at).filter((other) => other.startsWith(`${pointer}/`))
  return joinLabels(around, ...inside.map((other) => labels.at[other]))
}

/** Whether absent values have labels as well. */
export function coversAbsent(labels: EffectLabels | undefined): boolean {
  return labels !== undefined && !isList(labels) && labels.coversAbsent === true
}

/** The labels of the control flow that led to a request; if they are not tracked per value, all labels of the mind. */
export function controlLabels(labels: EffectLabels | undefined): readonly Label[] {
  return labels === undefined || isList(labels) ? (labels ?? []) : (labels.pc ?? [])
}
