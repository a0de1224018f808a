/** The fields that kinds of expressions have on the wire: `left right` by `logical`. */
export type WireFields = ReadonlyMap<string, readonly string[]>

/** Parses a table of kinds and their fields; every kind may have a position. */
export function wireFields(table: Readonly<Record<string, string>>): WireFields {
  return new Map(Object.entries(table).map(([kind, names]) => [kind, ['$expr', 'at', ...names.split(' ')]]))
}

/** Returns the first unknown field of a node, which would otherwise be ignored silently. */
export function strangeField(known: readonly string[] | undefined, node: object): string | undefined {
  return known && Object.keys(node).find((name) => !known.includes(name))
}
