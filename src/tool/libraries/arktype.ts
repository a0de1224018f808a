import { type SchemaLibrary, type SchemaSide, membersOf } from './library.ts'

/** ArkType, which converts its own schemas. */
export const arktype: SchemaLibrary = {
  *ways(schema, { side, isStrict }) {
    yield () => told(schema, side, isStrict ? undefined : { fallback: ({ base }: { base: unknown }) => base })
    // Before 2.1.21 it refuses a type if any member cannot be converted, so the members are converted one by one.
    if (!isStrict) yield () => toldByMember(schema, side)
  },
  fix: () => 'Run `npm install arktype@latest`, or give JSON Schema.',
}

export function isArkType(schema: object): boolean {
  return membersOf(membersOf(schema)['~standard'])['vendor'] === 'arktype'
}

function told(schema: object, side: SchemaSide, options?: object): unknown {
  const half = membersOf(schema)[side === 'input' ? 'in' : 'out'] as { toJsonSchema(given?: object): unknown }
  return half.toJsonSchema(options)
}

function toldByMember(schema: object, side: SchemaSide): unknown {
  const members = membersOf(schema)['props'] as readonly { key: string; kind: string; value: object }[] | undefined
  if (members === undefined) return undefined
  const required = members.filter(({ kind }) => kind === 'required').map(({ key }) => key)
  const properties = Object.fromEntries(members.map(({ key, value }) => [key, toldOrAny(value, side)]))
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) }
}

function toldOrAny(schema: object, side: SchemaSide): unknown {
  try {
    return told(schema, side)
  } catch {
    return {}
  }
}
