import { nearest } from '../../core/index.ts'
import { CATALOG_KINDS } from '../blueprint/blueprint.ts'
import type { RegistrySnapshot } from './graph-registry.ts'

/** A problem or a possible surprise among registered names. */
export interface RegistryFinding {
  readonly severity: 'error' | 'warning' | 'note'
  readonly code: 'dangling-alias' | 'shadowed-alias' | 'shared-name'
  readonly message: string
  readonly help: string
}

export function findingsOf(snapshot: RegistrySnapshot): readonly RegistryFinding[] {
  return [...aliasFindings(snapshot), ...sharedNames(snapshot)]
}

function aliasFindings(snapshot: RegistrySnapshot): readonly RegistryFinding[] {
  const found: RegistryFinding[] = []
  for (const kind of CATALOG_KINDS) {
    const { names, aliases } = snapshot[kind]
    for (const [alias, target] of Object.entries(aliases)) {
      if (names.includes(alias))
        found.push({
          severity: 'warning',
          code: 'shadowed-alias',
          message: `The alias "${alias}" of the ${kind} "${target}" is never used: a ${kind} is registered under that name.`,
          help: 'Rename one of them.',
        })
      if (!names.includes(target) && !Object.hasOwn(aliases, target))
        found.push({
          severity: 'error',
          code: 'dangling-alias',
          message: `The alias "${alias}" stands for the ${kind} "${target}", which is not registered.`,
          help: nearTo(target, names) ?? `Register the ${kind} "${target}", or give the alias another target.`,
        })
    }
  }
  return found
}

function nearTo(target: string, names: readonly string[]): string | undefined {
  const near = nearest(target, names)
  return near === undefined ? undefined : `Did you mean "${near}"?`
}

function sharedNames(snapshot: RegistrySnapshot): readonly RegistryFinding[] {
  const kindsOf = new Map<string, string[]>()
  for (const kind of CATALOG_KINDS)
    for (const name of snapshot[kind].names) kindsOf.set(name, [...(kindsOf.get(name) ?? []), kind])
  return [...kindsOf]
    .filter(([, kinds]) => kinds.length > 1)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, kinds]) => ({
      severity: 'note',
      code: 'shared-name',
      message: `"${name}" is the name of several things: ${kinds.join(', ')}.`,
      help: 'Graphs tell them apart by kind; readers may not.',
    }))
}
