import { MandateError, parseJson, repeatedName } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { jsonSchemaCheck } from '../../tool/index.ts'
import { Refusal } from './error-answers.ts'
import type { JsonSchema, Route } from './route.ts'

type Check = (value: Json) => void

/** The input checks of a route, prepared once. */
export interface InputChecks {
  readonly query: (search: URLSearchParams) => JsonObject
  readonly body: Check
}

/** Builds the checks from the schemas of a route. */
export function inputChecks({ query, body }: Route): InputChecks {
  const properties = (query?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  const checkQuery = query === undefined ? undefined : checkOf({ additionalProperties: false, ...query }, 'query')
  const checkBody = body === undefined ? () => {} : checkOf(body, 'body')
  return {
    query(search) {
      const value = readQuery(search, properties)
      checkQuery?.(value)
      return value
    },
    body: checkBody,
  }
}

function checkOf(schema: JsonSchema, what: string): Check {
  const check = jsonSchemaCheck(schema, `the ${what}`)
  return (value) => {
    // Of a large body the first problems are enough: finding all of them would take longer than reading it.
    const checked = isLarge(value) ? check(withFewUnknown(value, schema), true) : check(value)
    if (checked.valid) return
    const lines = checked.issues
      .slice(0, PROBLEMS_MAX)
      .map(({ path, message }) => `${path === '' ? `the ${what}` : path}: ${message}`)
    throw new MandateError('INPUT_INVALID', `The ${what} of the request is not valid: ${lines.join('; ')}.`)
  }
}

/** The number of problems that are told. */
const PROBLEMS_MAX = 10

/** The same object with few of the names that its schema does not know: the others would be refused one by one. */
function withFewUnknown(value: Json, { properties }: JsonSchema): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || properties === undefined) return value
  const members = value as JsonObject
  const few: Record<string, Json> = {}
  let unknown = 0
  for (const name in members)
    if (Object.hasOwn(properties as object, name) || ++unknown <= PROBLEMS_MAX) few[name] = members[name]!
  return few
}

/** The number of values from which on a body is large. */
const LARGE = 1_000

function isLarge(value: Json): boolean {
  const open: Json[] = [value]
  for (let each = open.pop(), count = 0; each !== undefined; each = open.pop()) {
    if (typeof each !== 'object' || each === null) continue
    const members = each as JsonObject
    for (const name in members) {
      if (++count === LARGE) return true
      open.push(members[name]!)
    }
  }
  return false
}

function readQuery(search: URLSearchParams, properties: Readonly<Record<string, JsonSchema>>): JsonObject {
  const value: Record<string, Json> = {}
  for (const [name, text] of search) {
    if (!Object.hasOwn(properties, name)) {
      const known = Object.keys(properties).join(', ') || 'none'
      throw new MandateError('INPUT_INVALID', `${shown(name)} is not a parameter of this request. Known: ${known}.`)
    }
    if (Object.hasOwn(value, name))
      throw new MandateError('INPUT_INVALID', `The parameter \`${name}\` is given twice. Give it once.`)
    value[name] = readParameter(text, properties[name]!['type'])
  }
  return value
}

/** Converts a parameter to the type in its schema. Text that does not fit the type is returned unchanged, and the schema check refuses it. */
function readParameter(text: string, type: Json | undefined): Json {
  if (type === 'array') return text === '' ? [] : text.split(',')
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  const isNumber = (type === 'integer' || type === 'number') && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)
  return isNumber ? Number(text) : text
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 80))
}

/** Content types that a form of any page can send without a CORS preflight. */
const SIMPLE = /^(?:text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)\b/i
const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i

interface BodyLimits {
  readonly bodyBytes: number
  readonly bodyDepth: number
}

/** Reads the body as JSON, within the limits. */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<Json> {
  checkType(request.headers.get('content-type') ?? '')
  const bytes = await readBytes(request, limits.bodyBytes)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new MandateError('JSON_INVALID', 'The body is not UTF-8.')
  }
  checkShape(text, limits.bodyDepth)
  const value = parseJson(text, 'The body')
  checkValues(value)
  const repeated = repeatedName(text)
  if (repeated === undefined) return value
  // JSON parsers differ in which of the two values they keep.
  throw new MandateError(
    'JSON_INVALID',
    `${shown(repeated)} stands twice in one object of the body. Send each name once.`,
  )
}

function checkType(type: string): void {
  if (JSON_TYPE.test(type.trim())) return
  if (type === '' || SIMPLE.test(type))
    throw new Refusal(
      403,
      'DENIED',
      'Only bodies of the type application/json are taken: any page can send the others.',
    )
  throw new Refusal(415, 'INPUT_INVALID', 'Only bodies of the type application/json are taken, in UTF-8.')
}

/** Reads the body as bytes, and refuses it as soon as it exceeds the limit. */
export async function readBytes(request: Request, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = (): Refusal =>
    new Refusal(413, 'LIMIT_EXCEEDED', `The body has more than ${most} bytes.`, { connection: 'close' })
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge()
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the body, so that the rest is not read.
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > most) throw tooLarge()
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** Refuses values that JSON text can express but parsers do not preserve: infinite numbers, unpaired surrogates, a member `__proto__`. */
function checkValues(value: Json): void {
  const open: Json[] = [value]
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (typeof each === 'number' && !Number.isFinite(each)) throw unkeepable('a number that is too large')
    if (typeof each === 'string' && !each.isWellFormed()) throw unkeepable('a text with half a character')
    if (Array.isArray(each)) for (const item of each as readonly Json[]) open.push(item)
    else if (typeof each === 'object' && each !== null) {
      if (Object.hasOwn(each, '__proto__')) throw unkeepable('a member `__proto__`')
      const members = each as JsonObject
      for (const name in members) {
        if (!name.isWellFormed()) throw unkeepable('a name with half a character')
        open.push(members[name]!)
      }
    }
  }
}

function unkeepable(what: string): MandateError {
  return new MandateError('JSON_INVALID', `The body has ${what}. Leave it out.`)
}

/** The maximum number of names in one object. Objects with very many are slow to read; lists of any length are not. */
const NAMES_MAX = 50_000

/** Checks the shape of the text outside of strings, before it is parsed: its nesting depth, and the number of names in each object. */
function checkShape(text: string, most: number): void {
  const names: number[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfText(text, at)
    else if (code === OPEN_LIST || code === OPEN_OBJECT) names.push(0)
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) names.pop()
    else if (code === COLON && ++names[names.length - 1]! > NAMES_MAX)
      throw new MandateError('JSON_INVALID', `An object of the body has more than ${NAMES_MAX} names. Send a list.`)
    if (names.length > most) throw new MandateError('JSON_INVALID', `The body is nested deeper than ${most} levels.`)
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

function endOfText(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return text.length
}
