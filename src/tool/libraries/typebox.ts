import type { Json, JsonObject } from '../../core/index.ts'

/** Keywords that hold values, not schemas. */
const VALUES = ['const', 'enum', 'default', 'examples']
const JSON_TYPES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']

/** Whether a schema was made by TypeBox: plain JSON Schema with a hidden symbol, and with types that JSON does not have. */
export function isTypeBox(schema: object): boolean {
  const isOlder = Object.getOwnPropertySymbols(schema).some(({ description }) => description === 'TypeBox.Kind')
  return isOlder || Object.hasOwn(schema, '~kind')
}

/** The schema with anything allowed for types that JSON does not have (dates, bigints, functions). */
export function jsonTypes(schema: JsonObject): JsonObject {
  return withoutForeign(schema) as JsonObject
}

function withoutForeign(part: Json): Json {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map((item: Json) => withoutForeign(item))
  const { type } = part as JsonObject
  if (typeof type === 'string' && !JSON_TYPES.includes(type)) {
    const { description } = part as JsonObject
    return description === undefined ? {} : { description }
  }
  const below = ([name, value]: [string, Json]): [string, Json] => [
    name,
    VALUES.includes(name) ? value : withoutForeign(value),
  ]
  return Object.fromEntries(Object.entries(part as JsonObject).map(below))
}
