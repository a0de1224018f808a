import type { Json, JsonObject } from '../../core/index.ts'

/** Members of a schema that hold values, not schemas. */
const VALUES = new Set(['const', 'enum', 'default', 'examples'])

/**
 * Rewrites `$dynamicRef` and `$dynamicAnchor`, which the validator does not support, to `$ref` and `$anchor`. They are equivalent if every dynamic
 * anchor has a unique name. Otherwise the target depends on the path through the schema, and ignoring that would accept invalid input; then the
 * reason why the schema cannot be used is returned.
 */
export function withoutDynamic(schema: JsonObject): { readonly schema: JsonObject } | { readonly refused: string } {
  const found: Survey = { isDynamic: false, anchors: [], isNamedTwice: false }
  survey(schema, found)
  if (!found.isDynamic) return { schema }
  if (new Set(found.anchors).size < found.anchors.length)
    return { refused: 'two $dynamicAnchor of one name are not supported. Use $anchor and $ref.' }
  if (found.isNamedTwice)
    return { refused: '$anchor and $dynamicAnchor on one schema are not supported. Keep one of them.' }
  return { schema: rewrite(schema) as JsonObject }
}

interface Survey {
  isDynamic: boolean
  readonly anchors: string[]
  isNamedTwice: boolean
}

function survey(value: Json, found: Survey): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) {
    const { $anchor, $dynamicRef, $dynamicAnchor } = value as JsonObject
    found.isDynamic ||= typeof $dynamicRef === 'string' || typeof $dynamicAnchor === 'string'
    if (typeof $dynamicAnchor === 'string') found.anchors.push($dynamicAnchor)
    found.isNamedTwice ||= typeof $anchor === 'string' && typeof $dynamicAnchor === 'string'
  }
  for (const [key, member] of Object.entries(value)) if (!VALUES.has(key)) survey(member as Json, found)
}

function rewrite(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map(rewrite)
  const made: Record<string, Json> = {}
  for (const [key, member] of Object.entries(value)) {
    if (key === '$dynamicAnchor' && typeof member === 'string') made['$anchor'] = member
    else if (key !== '$dynamicRef' || typeof member !== 'string') made[key] = VALUES.has(key) ? member : rewrite(member)
  }
  const { $dynamicRef, $ref } = value as JsonObject
  if (typeof $dynamicRef !== 'string') return made
  if ($ref === undefined) return { ...made, $ref: $dynamicRef }
  const others = Array.isArray(made['allOf']) ? (made['allOf'] as readonly Json[]) : []
  return { ...made, allOf: [...others, { $ref: $dynamicRef }] }
}
