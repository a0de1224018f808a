import { isRecord } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { ModelRequest } from '../model.ts'
import { systemMessage } from '../message.ts'
import type { ProviderRules } from './rules.ts'

/** What the model itself says of structured answers, and what the host has decided. */
export interface AnswerFacts {
  /** Servers with OpenAI's chat API: whether this one enforces schemas. */
  readonly enforces?: boolean | undefined
  /** The host's own `strictJsonSchema`. */
  readonly strict?: boolean | undefined
}

/** The request with the wanted form of the answer as this provider takes it: enforced where it can be, told in the prompt where not. */
export function withAnswerForm(request: ModelRequest, rules: ProviderRules, facts: AnswerFacts = {}): ModelRequest {
  const { responseFormat: format } = request
  if (format?.type !== 'json' || format.schema === undefined || rules.answer === 'package') return request
  const schema = closed(format.schema)
  const isWhole = isObject(schema)
  const isStrict = isWhole && isStrictSchema(schema)
  const enforced = { ...request, responseFormat: { ...format, schema } }
  if (rules.answer !== 'server' && (isStrict || (facts.strict !== undefined && rules.answer === 'strict')))
    return enforced
  const told = toldInPrompt(request, format.schema)
  const canEnforce = rules.answer === 'strict' || (rules.answer === 'server' && facts.enforces === true)
  if (isWhole && canEnforce)
    return isStrict ? { ...enforced, messages: told.messages } : notStrict(told, enforced, rules)
  const { schema: _schema, ...plain } = format
  const { responseFormat: _format, ...untold } = told
  // Without a schema, a provider sees to it that the answer is JSON; a server that takes schemas may take nothing else.
  return rules.answer === 'server' && canEnforce ? untold : { ...told, responseFormat: plain }
}

function notStrict(told: ModelRequest, { responseFormat }: ModelRequest, { options }: ProviderRules): ModelRequest {
  const own = options.map((name) => [name, { ...told.providerOptions?.[name], strictJsonSchema: false }])
  return {
    ...told,
    responseFormat: responseFormat!,
    providerOptions: { ...told.providerOptions, ...Object.fromEntries(own) },
  }
}

/** Only an object is accepted as the whole of an answer. */
function isObject(schema: Json): schema is JsonObject {
  return isRecord(schema) && schema['type'] === 'object' && !('anyOf' in schema) && !('oneOf' in schema)
}

/** The schema with every object closed whose members are listed: an answer with others would be refused anyway, or lose them. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(closed)
  if (!isRecord(schema)) return schema
  const copy: Record<string, Json> = {}
  for (const [name, value] of Object.entries(schema)) copy[name] = VALUES.has(name) ? value : closed(value)
  if (isRecord(copy['properties']) && copy['additionalProperties'] === undefined) copy['additionalProperties'] = false
  return copy
}

/** Keywords whose values are data, not schemas. */
const VALUES = new Set(['const', 'default', 'enum', 'examples', 'required'])

/** Keywords that a strict schema may not have. */
const NOT_STRICT = [
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'oneOf',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
  'prefixItems',
  'unevaluatedProperties',
  'default',
]
const STRICT_DEPTH = 10

/** Whether all objects are closed and complete, and nothing is used that strict decoding does not know. */
export function isStrictSchema(schema: Json, depth = 0): boolean {
  if (Array.isArray(schema)) return (schema as readonly Json[]).every((item) => isStrictSchema(item, depth))
  if (!isRecord(schema)) return true
  const record = schema
  if (depth > STRICT_DEPTH || NOT_STRICT.some((name) => name in record)) return false
  const { properties, required = [], additionalProperties, type } = record
  if (type === 'object' || properties !== undefined) {
    if (additionalProperties !== false || !isRecord(properties)) return false
    if (!Object.keys(properties).every((name) => (required as readonly Json[]).includes(name))) return false
    if (!Object.values(properties).every((member) => isStrictSchema(member, depth + 1))) return false
  }
  return ['items', 'anyOf', '$defs', 'definitions'].every((name) => {
    const inner = record[name]
    if (inner === undefined) return true
    const isMap = name === '$defs' || name === 'definitions'
    return isStrictSchema(isMap && isRecord(inner) ? Object.values(inner) : inner, depth + 1)
  })
}

/** The schema in the instructions: some servers are only told that JSON is wanted, and refuse even that if no message says so. */
function toldInPrompt(request: ModelRequest, schema: Json): ModelRequest {
  const told = `Reply with JSON alone, without any other text, that fits this JSON Schema:\n${JSON.stringify(schema)}`
  const [first, ...rest] = request.messages
  if (first?.role !== 'system') return { ...request, messages: [systemMessage(told), ...request.messages] }
  const content = [...first.content, { type: 'text' as const, text: `\n\n${told}` }]
  return { ...request, messages: [{ ...first, content }, ...rest] }
}
