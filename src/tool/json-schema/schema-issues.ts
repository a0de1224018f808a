import { pointerName } from '../../core/index.ts'
import { patternsShown } from './schema-patterns.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { ISSUES_MAX, messageText, valueAt } from './issue-text.ts'
import { pathText, shown } from '../shown.ts'
import { WORDS, typeNames } from './issue-words.ts'
import type { ValidationIssue } from '../tool.ts'

/** One error of the validator. */
export interface OutputUnit {
  readonly keyword: string
  /** The path in the schema, through references. */
  readonly keywordLocation: string
  /** The path in the input. */
  readonly instanceLocation: string
  readonly error: string
}

/** Keywords whose error only reports that something below failed; the errors below are specific. */
const CONTAINERS = new Set([
  ...['$ref', '$recursiveRef', 'allOf', 'if', 'dependentSchemas'],
  ...['properties', 'patternProperties', 'items', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
])

/** Enough to find the few issues that are reported; a list of ten thousand wrong items has as many errors. */
const UNITS_MAX = 300

/** The issues in words a model can act on, without duplicates and reduced to the most specific ones. */
export function issuesOf(units: readonly OutputUnit[], schema: JsonObject, input: Json): readonly ValidationIssue[] {
  const issues = new Reader(schema, input).read(units.slice(0, UNITS_MAX))
  const found = issues.length > 0 ? issues : [{ path: '', message: messageText(units[0]?.error) }]
  const byText = new Map(found.map((issue) => [`${issue.path}\n${issue.message}`, issue]))
  return [...byText.values()].slice(0, ISSUES_MAX)
}

class Reader {
  readonly #schema: JsonObject
  readonly #input: Json

  constructor(schema: JsonObject, input: Json) {
    this.#schema = schema
    this.#input = input
  }

  read(units: readonly OutputUnit[]): readonly ValidationIssue[] {
    const issues: ValidationIssue[] = []
    for (let at = 0; at < units.length; at++) {
      const unit = units[at]!
      if (unit.keyword === 'anyOf' || unit.keyword === 'oneOf' || unit.keyword === 'propertyNames') {
        const below = unitsBelow(unit, units, at + 1)
        issues.push(...(unit.keyword === 'propertyNames' ? this.#name(unit) : this.#alternatives(unit, below)))
        at += below.length
      } else if (!isAboutContained(unit, units)) issues.push(...this.#issue(unit))
    }
    // The `false` schema gives no reason; the keyword that applied it usually does.
    const forbidden = units.filter((unit) => unit.keyword === 'false').map((unit) => this.#path(unit))
    const isSaid = (path: string): boolean => issues.some((issue) => issue.path === path)
    return [
      ...issues,
      ...forbidden.filter((path) => !isSaid(path)).map((path) => ({ path, message: 'is not allowed here' })),
    ]
  }

  #issue(unit: OutputUnit): readonly ValidationIssue[] {
    if (CONTAINERS.has(unit.keyword) || unit.keyword === 'false') return []
    const keys = keysOf(unit.instanceLocation)
    const wanted = this.#wanted(unit.keywordLocation)
    const below = (key: string, message: string): ValidationIssue[] => [{ path: pathText([...keys, key]), message }]
    const [, first = '', second] = /"(.*?)"(?: but does not have "(.*)")?/s.exec(unit.error) ?? []
    switch (unit.keyword) {
      case 'required':
        return below(/"(.*)"/s.exec(unit.error)?.[1] ?? '', 'is required and was not given')
      case 'dependentRequired':
      case 'dependencies':
        return second === undefined ? [] : below(second, messageText(`is required because ${shown(first)} is given`))
      case 'additionalProperties':
      case 'unevaluatedProperties': {
        const key = /^Property "(.*)" does not match/s.exec(unit.error)?.[1] ?? ''
        return wanted === false ? below(key, messageText(`is not known${this.#knownMembers(unit)}`)) : []
      }
      default: {
        const given = valueAt(this.#input, keys)
        const words = WORDS[unit.keyword]
        const message = words?.({ wanted, given, error: unit.error }) ?? `${unit.error} Given ${shown(given)}`
        return [{ path: pathText(keys), message: messageText(message) }]
      }
    }
  }

  /** If all alternatives failed, reports the nearest one; if only the type is wrong, all of them. */
  #alternatives(unit: OutputUnit, below: readonly OutputUnit[]): readonly ValidationIssue[] {
    const path = this.#path(unit)
    const given = valueAt(this.#input, keysOf(unit.instanceLocation))
    const [, matches] = /\((\d+) matches\)/.exec(unit.error) ?? []
    if (Number(matches ?? 0) > 1)
      return [
        { path, message: `fits ${matches} of the allowed alternatives and must fit only one, given ${shown(given)}` },
      ]
    const branches = branchesOf(unit, below)
    const types = branches.map((branch) => typeWanted(branch, unit, this.#wanted.bind(this)))
    if (types.every((type) => type !== undefined)) {
      const message = WORDS['type']!({ wanted: [...new Set(types.flat())], given, error: unit.error })
      return [{ path, message: messageText(message) }]
    }
    const told = this.#discriminator(branches)
    if (told !== undefined) return [told]
    const nearest = branches.toSorted((a, b) => distance(a, unit) - distance(b, unit))[0]
    const which =
      branches.length > 1 && nearest !== undefined ? `; nearest is number ${branches.indexOf(nearest) + 1}` : ''
    const head = {
      path,
      message: `fits none of the ${branches.length} allowed alternatives${which}, given ${shown(given)}`,
    }
    return [head, ...this.read(nearest ?? [])]
  }

  /** The issue of a discriminator: a member with a fixed value in every alternative, none of which matches the given value. */
  #discriminator(branches: readonly (readonly OutputUnit[])[]): ValidationIssue | undefined {
    const fixed = (branch: readonly OutputUnit[]): readonly OutputUnit[] =>
      branch.filter(({ keyword }) => keyword === 'const')
    const place = fixed(branches[0] ?? []).find(({ instanceLocation }) =>
      branches.every((branch) => fixed(branch).some((one) => one.instanceLocation === instanceLocation)),
    )?.instanceLocation
    if (place === undefined || branches.length < 2) return undefined
    const units = branches.flatMap((branch) => fixed(branch).filter((one) => one.instanceLocation === place))
    const wanted = units.map((unit) => this.#wanted(unit.keywordLocation) ?? null)
    const keys = keysOf(place)
    const message = WORDS['enum']!({ wanted, given: valueAt(this.#input, keys), error: '' })
    return { path: pathText(keys), message: messageText(message) }
  }

  #name(unit: OutputUnit): readonly ValidationIssue[] {
    const key = /^Property name "(.*)" does not match/s.exec(unit.error)?.[1] ?? ''
    const path = pathText([...keysOf(unit.instanceLocation), key])
    const wanted = shown(this.#wanted(unit.keywordLocation))
    return [{ path, message: messageText(`this name is not allowed; names must fit ${wanted}`) }]
  }

  #path(unit: OutputUnit): string {
    return pathText(keysOf(unit.instanceLocation))
  }

  #knownMembers(unit: OutputUnit): string {
    const parent = this.#wanted(unit.keywordLocation.slice(0, unit.keywordLocation.lastIndexOf('/')))
    const properties = typeof parent === 'object' && parent !== null ? (parent as JsonObject)['properties'] : undefined
    const names =
      typeof properties === 'object' && properties !== null
        ? Object.keys(properties).filter((name) => (properties as JsonObject)[name] !== false)
        : []
    return names.length === 0 ? '' : `; known are ${names.slice(0, 20).join(', ')}`
  }

  /** The value of a keyword in the schema, following local references as the validator did. */
  #wanted(location: string): Json | undefined {
    let at: Json | undefined = this.#schema
    for (const key of keysOf(location)) {
      const next: Json | undefined = at === undefined ? undefined : valueAt(at, [key])
      at = key === '$ref' && typeof next === 'string' && next.startsWith('#') ? this.#target(next) : next
    }
    return at === undefined ? undefined : patternsShown(at)
  }

  #target(ref: string): Json | undefined {
    return ref === '#' || ref.startsWith('#/')
      ? valueAt(this.#schema, keysOf(ref))
      : anchored(this.#schema, ref.slice(1))
  }
}

/** The errors that belong to an error: they follow it, and lie below it in schema and input. */
function unitsBelow(unit: OutputUnit, units: readonly OutputUnit[], from: number): readonly OutputUnit[] {
  let end = from
  while (end < units.length && isBelow(units[end]!, unit)) end++
  return units.slice(from, end)
}

function isBelow(inner: OutputUnit, outer: OutputUnit): boolean {
  const isInside = `${inner.instanceLocation}/`.startsWith(`${outer.instanceLocation}/`)
  // The error of a `false` schema does not have its location in the schema.
  return isInside && (inner.keyword === 'false' || inner.keywordLocation.startsWith(`${outer.keywordLocation}/`))
}

function branchesOf(unit: OutputUnit, below: readonly OutputUnit[]): readonly (readonly OutputUnit[])[] {
  const branches = new Map<string, OutputUnit[]>()
  let last = '0'
  for (const one of below) {
    if (one.keyword !== 'false') last = one.keywordLocation.slice(unit.keywordLocation.length + 1).split('/')[0]!
    branches.set(last, [...(branches.get(last) ?? []), one])
  }
  return [...branches.values()]
}

/** The types that an alternative requires, if it failed because the value itself has the wrong type. */
function typeWanted(
  branch: readonly OutputUnit[],
  unit: OutputUnit,
  wantedAt: (location: string) => Json | undefined,
): readonly string[] | undefined {
  const own = branch.find((one) => one.keyword === 'type' && one.instanceLocation === unit.instanceLocation)
  return own === undefined ? undefined : typeNames(wantedAt(own.keywordLocation)).split(' or ')
}

/** The distance of a value from an alternative: a wrong type counts most, a wrong fixed value (discriminator) less, any other error least. */
function distance(branch: readonly OutputUnit[], unit: OutputUnit): number {
  const weights = branch.map((one): number => {
    if (CONTAINERS.has(one.keyword)) return 0
    if (one.keyword === 'type' && one.instanceLocation === unit.instanceLocation) return 100
    return one.keyword === 'const' || one.keyword === 'enum' ? 10 : 1
  })
  return weights.reduce((sum, weight) => sum + weight, 0)
}

/** The errors of single items are irrelevant if only enough of them have to match. */
function isAboutContained(unit: OutputUnit, units: readonly OutputUnit[]): boolean {
  return units.some((one) => {
    if (one.keyword !== 'minContains') return false
    const contains = `${one.keywordLocation.slice(0, -'minContains'.length)}contains/`
    return unit.keywordLocation.startsWith(contains) && unit.instanceLocation.startsWith(`${one.instanceLocation}/`)
  })
}

function anchored(schema: Json, name: string): Json | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  if (!Array.isArray(schema) && (schema as JsonObject)['$anchor'] === name) return schema
  for (const member of Object.values(schema)) {
    const found = anchored(member as Json, name)
    if (found !== undefined) return found
  }
  return undefined
}

function keysOf(pointer: string): string[] {
  const keys = pointer.replace(/^#/, '').split('/').slice(1)
  return keys.map((key) => pointerName(decoded(key)))
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
