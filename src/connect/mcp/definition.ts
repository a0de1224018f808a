import { type Json, type JsonObject, canonical, sha256, toPlain, isRecord } from '../../core/index.ts'
import type { Risk } from '../../tool/index.ts'

/** A server's definition of a tool, after validation. */
export interface Definition {
  /** The server's own name. */
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject | undefined
  readonly risk: Risk
  /** The hash of the whole definition. */
  readonly hash: string
}

export interface Refused {
  readonly name: string
  readonly reason: string
}

export interface Definitions {
  readonly usable: ReadonlyMap<string, Definition>
  readonly refused: readonly Refused[]
}

const TOOLS_MAX = 512
const NAME_SHAPE = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/
const DESCRIPTION_MAX = 4_000
const SCHEMA_BYTES = 64_000
const SCHEMA_DEPTH = 32
/** Characters that disguise a text: bidirectional marks, tags, variation selectors. */
const DECEIVING = /[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E0FFF}\uFFF9-\uFFFB]/u
/** Invisible characters. Joiners are part of normal writing and are allowed. */
const INVISIBLE = /[[\p{Cc}--[\t\n\r]]\u00AD\u180E\u200B\u2060-\u2064\uFEFF]/gv

/** Validates the tools that a server lists: unusable ones are returned with the reason, and never offered. */
export function readDefinitions(listed: readonly unknown[]): Definitions {
  const usable = new Map<string, Definition>()
  const refused: Refused[] = []
  const seen = new Map<string, number>()
  for (const one of listed.slice(0, TOOLS_MAX)) seen.set(nameOf(one), (seen.get(nameOf(one)) ?? 0) + 1)
  for (const one of listed.slice(0, TOOLS_MAX)) {
    const name = nameOf(one)
    const shown = JSON.stringify(name.slice(0, 64)).slice(1, -1)
    const read = seen.get(name)! > 1 ? 'it is listed more than once' : readDefinition(one, name)
    if (typeof read === 'string') refused.push({ name: shown, reason: read })
    else usable.set(name, read)
  }
  if (listed.length > TOOLS_MAX)
    refused.push({
      name: '*',
      reason: `it lists ${listed.length} tools; those after the first ${TOOLS_MAX} are not offered`,
    })
  return { usable, refused }
}

function nameOf(listed: unknown): string {
  const name = (listed as { name?: unknown } | null)?.name
  return typeof name === 'string' ? name : ''
}

function readDefinition(listed: unknown, name: string): Definition | string {
  if (!NAME_SHAPE.test(name)) return 'its name is not 1 to 128 letters, digits, "_", "-" and "."'
  const { value, issues } = toPlain(listed)
  const plain = value as JsonObject
  const text = JSON.stringify(plain)
  if (issues.length > 0) return `its definition is not plain data: ${issues[0]}`
  if (DECEIVING.test(text)) return 'its definition holds characters that hide or turn round text'
  const { inputSchema, outputSchema } = plain
  if (!isSchema(inputSchema)) return 'its input schema is not an object schema'
  for (const schema of [inputSchema, outputSchema ?? {}]) {
    if (JSON.stringify(schema).length > SCHEMA_BYTES) return `a schema of it is larger than ${SCHEMA_BYTES} bytes`
    if (depthOf(schema) > SCHEMA_DEPTH) return `a schema of it is nested deeper than ${SCHEMA_DEPTH}`
    if (/"\$(dynamic|recursive)?ref":"(?!#)/i.test(JSON.stringify(schema)))
      return 'a schema of it refers to another document'
  }
  const description = typeof plain['description'] === 'string' ? plain['description'] : ''
  return {
    name,
    description: description.replace(INVISIBLE, '').slice(0, DESCRIPTION_MAX),
    inputSchema: closed(visible(inputSchema) as JsonObject),
    outputSchema: isRecord(outputSchema) ? outputSchema : undefined,
    risk: riskOf(plain['annotations']),
    hash: sha256(canonical(plain)),
  }
}

/** Hints can only raise the risk: a server's claim that its tool is harmless is ignored. */
function riskOf(annotations: Json | undefined): Risk {
  return isRecord(annotations) && annotations['destructiveHint'] === true ? 'destructive' : 'write'
}

/** Refuses arguments that the schema does not name, unless it explicitly allows others. */
function closed(schema: JsonObject): JsonObject {
  const isOpen = [
    'additionalProperties',
    'unevaluatedProperties',
    'patternProperties',
    '$ref',
    'allOf',
    'anyOf',
    'oneOf',
    'if',
  ]
  if (!isRecord(schema['properties']) || isOpen.some((word) => word in schema)) return schema
  return { ...schema, additionalProperties: false }
}

/** The schema without patterns, for validation here: hostile patterns could block the engine for hours, and the server checks its own. */
export function withoutPatterns(schema: Json): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(withoutPatterns)
  if (!isRecord(schema)) return schema
  const kept = Object.entries(schema).filter(([key, value]) => !(key === 'pattern' && typeof value === 'string'))
  const members = kept.map(([key, value]) => [key, withoutPatterns(value)] as const)
  const { patternProperties, ...rest } = Object.fromEntries(members)
  // Names that matched a pattern are allowed then: otherwise valid inputs would be refused.
  return patternProperties === undefined ? rest : { ...rest, additionalProperties: true }
}

function visible(value: Json): Json {
  if (typeof value === 'string') return value.replace(INVISIBLE, '')
  if (Array.isArray(value)) return (value as readonly Json[]).map(visible)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, visible(member)]))
}

function depthOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value as JsonObject).map(depthOf))
}

function isSchema(value: Json | undefined): value is JsonObject {
  return isRecord(value) && (value['type'] === undefined || value['type'] === 'object')
}
