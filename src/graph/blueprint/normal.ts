import type { Blueprint, FieldBlueprint } from './blueprint.ts'

/** The normal form of a blueprint: without its origin, and without members that equal their defaults. */
export function normalBlueprint(blueprint: Blueprint): Omit<Blueprint, 'provenance'> {
  const { provenance: _, allow, state, input, output, ...rest } = blueprint
  const isAllowing = allow !== undefined && Object.values(allow).some((list) => list !== undefined)
  return defined({
    ...rest,
    nodes: rest.nodes.map(defined),
    state: state?.map(normalField),
    input: input?.map(normalField),
    output: output?.map(normalField),
    allow: isAllowing ? allow : undefined,
  })
}

function normalField(field: FieldBlueprint): FieldBlueprint {
  const { optional, ...rest } = field
  return defined({ ...rest, optional: optional === true ? true : undefined })
}

/** Without members that are `undefined`. */
function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}
