import { MandateError, canonical, isRecord } from '../../core/index.ts'
import type { JsonObject } from '../../core/index.ts'

/** Tests whether a text matches a pattern. Provided by the host of a regular expression engine with linear time (no ReDoS). */
type PatternTest = (pattern: string, text: string) => boolean

/** Returns the problem of a value in one sentence with its location; undefined if it is valid. */
type SchemaCheck = (value: unknown) => string | undefined

const DEPTH_MAX = 64
const ANNOTATIONS = [
  'title',
  'description',
  'default',
  'examples',
  '$schema',
  '$id',
  '$comment',
  'deprecated',
  'readOnly',
  'writeOnly',
]

type Rule = (value: unknown, path: string) => string | undefined
type Compile = (schema: unknown, depth: number) => Rule
type Keyword = (given: unknown, schema: JsonObject, compile: (part: unknown) => Rule) => Rule | undefined

/**
 * Compiles a JSON Schema to a synchronous check. Supports the keywords that `s` and the common converters write. Any other keyword is refused here, because
 * ignoring it would accept values that the schema excludes.
 */
export function schemaCheck(schema: unknown, owner: string, test?: PatternTest): SchemaCheck {
  const fail = (why: string): MandateError =>
    new MandateError('SCHEMA_INVALID', `The schema of ${owner} cannot be used: ${why}`)
  const keywords: Readonly<Record<string, Keyword>> = { ...KEYWORDS, pattern: patternOf(test, fail) }
  const compile: Compile = (part, depth) => {
    if (part === true) return () => undefined
    if (part === false) return (_, path) => `${path} is not allowed`
    if (!isRecord(part)) throw fail(`a schema is an object, not ${shown(part)}.`)
    if (depth > DEPTH_MAX) throw fail(`it is nested deeper than ${DEPTH_MAX}.`)
    const rules: Rule[] = []
    for (const [name, given] of Object.entries(part)) {
      if (ANNOTATIONS.includes(name) || name.startsWith('x-')) continue
      if (!Object.hasOwn(keywords, name))
        throw fail(`the keyword "${name}" is not supported here. Leave it out, or check it with a step.`)
      if (!isSensible(name, given)) throw fail(`"${name}" is ${shown(given)}.`)
      const rule = keywords[name]!(given, part as JsonObject, (inner) => compile(inner, depth + 1))
      if (rule !== undefined) rules.push(rule)
    }
    return all(rules)
  }
  const rule = compile(schema, 0)
  return (value) => rule(value, '')
}

const LISTS = ['required', 'enum', 'anyOf', 'oneOf', 'allOf', 'prefixItems']

/** Whether the value of a keyword is valid. Checked because a schema may come from an untrusted source. */
function isSensible(name: string, given: unknown): boolean {
  if (/^(?:min|max|exclusive|multipleOf)/.test(name)) return typeof given === 'number'
  if (name === 'required') return Array.isArray(given) && given.every((each) => typeof each === 'string')
  if (LISTS.includes(name)) return Array.isArray(given)
  if (name === 'properties') return isRecord(given)
  return name !== 'pattern' || typeof given === 'string'
}

function all(rules: readonly Rule[]): Rule {
  return (value, path) => {
    for (const rule of rules) {
      const issue = rule(value, path)
      if (issue !== undefined) return issue
    }
    return undefined
  }
}

function patternOf(test: PatternTest | undefined, fail: (why: string) => MandateError): Keyword {
  return (given) => {
    const pattern = String(given)
    if (test === undefined)
      throw fail('"pattern" is not checked in the schemas of programs. Check it in a step, with regexMatch.')
    return (value, path) =>
      typeof value !== 'string' || test(pattern, value) ? undefined : at(path, `does not match ${shown(pattern)}`)
  }
}

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type(given) {
    const types = (Array.isArray(given) ? given : [given]) as unknown[]
    // `s.any.optional` writes a list with a hole, which stands for any type.
    if (types.some((type) => typeof type !== 'string')) return undefined
    return (value, path) =>
      types.includes(typeOf(value)) || (types.includes('number') && typeof value === 'number')
        ? undefined
        : at(
            path,
            `must be ${types.map((type) => (type === 'null' ? 'null' : `${/^[aeiou]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`)).join(' or ')}, not ${shown(value)}`,
          )
  },
  properties(given, _schema, compile) {
    const members = Object.entries(given as object).map(([name, part]) => [name, compile(part)] as const)
    return onRecord((record, path) => {
      for (const [name, rule] of members) {
        const issue =
          Object.hasOwn(record, name) && record[name] !== undefined ? rule(record[name], `${path}.${name}`) : undefined
        if (issue !== undefined) return issue
      }
      return undefined
    })
  },
  required: (given) =>
    onRecord((record, path) => {
      const missing = (given as readonly string[]).find(
        (name) => !Object.hasOwn(record, name) || record[name] === undefined,
      )
      return missing === undefined ? undefined : `${path}.${missing}`.slice(1) + ' is missing'
    }),
  additionalProperties(given, schema, compile) {
    const known = Object.keys((schema['properties'] ?? {}) as object)
    const rule = compile(given)
    if (given === false)
      return onRecord((record, path) => {
        const extra = Object.keys(record).find((name) => !known.includes(name) && record[name] !== undefined)
        return extra === undefined
          ? undefined
          : `${`${path}.${extra}`.slice(1)} is not known; known: ${known.join(', ') || 'nothing'}`
      })
    return onRecord((record, path) =>
      firstIssue(
        Object.keys(record).filter((name) => !known.includes(name)),
        (name) => rule(record[name], `${path}.${name}`),
      ),
    )
  },
  items(given, schema, compile) {
    if (Array.isArray(given)) return tuple(given.map(compile))
    const rule = compile(given)
    const from = Array.isArray(schema['prefixItems']) ? schema['prefixItems'].length : 0
    return onList((list, path) => {
      for (let index = from; index < list.length; index++) {
        const issue = rule(list[index], `${path}[${index}]`)
        if (issue !== undefined) return issue
      }
      return undefined
    })
  },
  prefixItems: (given, _schema, compile) => tuple((given as unknown[]).map(compile)),
  enum: (given) => oneOf(given as readonly unknown[]),
  const: (given) => oneOf([given]),
  anyOf: (given, _schema, compile) => some((given as unknown[]).map(compile), (fitting) => fitting > 0),
  oneOf: (given, _schema, compile) => some((given as unknown[]).map(compile), (fitting) => fitting === 1),
  allOf: (given, _schema, compile) => all((given as unknown[]).map(compile)),
  not(given, _schema, compile) {
    const rule = compile(given)
    return (value, path) => (rule(value, path) === undefined ? at(path, 'is of a kind that is not allowed') : undefined)
  },
  minimum: (given) => onNumber((value) => value >= Number(given), `must be at least ${String(given)}`),
  maximum: (given) => onNumber((value) => value <= Number(given), `must be at most ${String(given)}`),
  exclusiveMinimum: (given) => onNumber((value) => value > Number(given), `must be more than ${String(given)}`),
  exclusiveMaximum: (given) => onNumber((value) => value < Number(given), `must be less than ${String(given)}`),
  multipleOf: (given) =>
    onNumber(
      (value) => Math.abs(value / Number(given) - Math.round(value / Number(given))) < 1e-9,
      `must be a multiple of ${String(given)}`,
    ),
  minLength: (given) =>
    onSize('string', (size) => size >= Number(given), `must have at least ${String(given)} characters`),
  maxLength: (given) =>
    onSize('string', (size) => size <= Number(given), `must have at most ${String(given)} characters`),
  minItems: (given) => onSize('array', (size) => size >= Number(given), `must have at least ${String(given)} items`),
  maxItems: (given) => onSize('array', (size) => size <= Number(given), `must have at most ${String(given)} items`),
  minProperties: (given) =>
    onSize('object', (size) => size >= Number(given), `must have at least ${String(given)} members`),
  maxProperties: (given) =>
    onSize('object', (size) => size <= Number(given), `must have at most ${String(given)} members`),
  // An annotation, as in JSON Schema itself. Use `pattern` or a step to enforce a format.
  format: () => undefined,
}

function firstIssue(names: readonly string[], look: (name: string) => string | undefined): string | undefined {
  for (const name of names) {
    const issue = look(name)
    if (issue !== undefined) return issue
  }
  return undefined
}

function tuple(rules: readonly Rule[]): Rule {
  return onList((list, path) => {
    for (const [index, rule] of rules.entries()) {
      const issue = index < list.length ? rule(list[index], `${path}[${index}]`) : undefined
      if (issue !== undefined) return issue
    }
    return undefined
  })
}

function oneOf(allowed: readonly unknown[]): Rule {
  const texts = new Set(allowed.map(canonical))
  return (value, path) => {
    const isAllowed = typeof value === 'object' ? isJson(value) && texts.has(canonical(value)) : allowed.includes(value)
    return isAllowed ? undefined : at(path, `must be one of ${[...texts].join(', ')}, not ${shown(value)}`)
  }
}

function some(rules: readonly Rule[], isRight: (fitting: number) => boolean): Rule {
  return (value, path) => {
    let fitting = 0
    let last: string | undefined
    for (const rule of rules) {
      const issue = rule(value, path)
      if (issue === undefined) fitting += 1
      else last = issue
    }
    return isRight(fitting) ? undefined : (last ?? at(path, 'fits more than one alternative'))
  }
}

function onRecord(rule: (record: Readonly<Record<string, unknown>>, path: string) => string | undefined): Rule {
  return (value, path) => (isRecord(value) ? rule(value, path) : undefined)
}

function onList(rule: (list: readonly unknown[], path: string) => string | undefined): Rule {
  return (value, path) => (Array.isArray(value) ? rule(value, path) : undefined)
}

function onNumber(isRight: (value: number) => boolean, message: string): Rule {
  return (value, path) =>
    typeof value !== 'number' || isRight(value) ? undefined : at(path, `${message}, not ${value}`)
}

function onSize(type: string, isRight: (size: number) => boolean, message: string): Rule {
  return (value, path) => {
    if (typeOf(value) !== type) return undefined
    const size = typeof value === 'string' || Array.isArray(value) ? value.length : Object.keys(value as object).length
    return isRight(size) ? undefined : at(path, message)
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function isJson(value: unknown): boolean {
  try {
    canonical(value)
    return true
  } catch {
    return false
  }
}

function at(path: string, message: string): string {
  return path === '' ? `it ${message}` : `${path.replace(/^\./, '')} ${message}`
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  return (JSON.stringify(value) ?? typeof value).slice(0, 60)
}
