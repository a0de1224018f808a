import { isRecord } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { PatternParser, repeatsOf, testsOf } from '../../regexp/index.ts'

/** Members of a schema that hold values, not schemas. */
const VALUES = new Set(['const', 'enum', 'default', 'examples'])
/** A format with this prefix represents a pattern. */
const PREFIX = 'mandate-pattern:'
/** Names of members are matched by the validator's own engine, so patterns over them are bounded instead. */
const NAME_REPEATS_MAX = 3
export const PATTERN_NAME_MAX = 256

/** Formats by name, as the validator looks them up. */
export type Formats = Record<string, ((text: string) => boolean) | undefined>

/** A schema whose patterns the validator does not execute itself. */
interface PatternFree {
  readonly schema: JsonObject
  readonly formats: Readonly<Formats>
  /** Whether names of members are matched against patterns. */
  readonly hasNamePatterns: boolean
}

/**
 * Rewrites every `pattern` to a format that uses the linear-time engine: the validator's backtracking engine can take minutes for `^(a+)+$`, even if
 * the author meant no harm. Throws a `PatternProblem` for a pattern that cannot be linear.
 */
export function withoutPatterns(schema: JsonObject): PatternFree {
  const formats: Formats = {}
  let hasNamePatterns = false
  const rewrite = (value: Json): Json => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return (value as readonly Json[]).map(rewrite)
    const { pattern, patternProperties } = value as JsonObject
    if (isRecord(patternProperties)) {
      hasNamePatterns = true
      for (const name of Object.keys(patternProperties)) checkNamePattern(name)
    }
    const made: Record<string, Json> = {}
    for (const [key, member] of Object.entries(value as JsonObject)) {
      if (key === 'pattern' && typeof member === 'string') continue
      made[key] = VALUES.has(key) ? member : rewrite(member)
    }
    if (typeof pattern !== 'string') return made
    const format = `${PREFIX}${pattern}`
    formats[format] ??= testsOf(pattern, 'u')
    if (made['format'] === undefined) return { ...made, format }
    const others = Array.isArray(made['allOf']) ? (made['allOf'] as readonly Json[]) : []
    return { ...made, allOf: [...others, { format }] }
  }
  return { schema: rewrite(schema) as JsonObject, formats, hasNamePatterns }
}

/** The pattern that a format represents; `undefined` for other formats. */
export function patternOf(format: Json | undefined): string | undefined {
  return typeof format === 'string' && format.startsWith(PREFIX) ? format.slice(PREFIX.length) : undefined
}

/** Restores the patterns in a part of a rewritten schema, as its author wrote it. */
export function patternsShown(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map(patternsShown)
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, member]) => {
      const pattern = key === 'format' ? patternOf(member) : undefined
      return pattern === undefined ? [key, patternsShown(member)] : ['pattern', pattern]
    }),
  )
}

function checkNamePattern(source: string): void {
  const { count, depth } = repeatsOf(new PatternParser(source, 'u').parse().pattern)
  if (depth <= 1 && count <= NAME_REPEATS_MAX) return
  throw new Error(
    `the name pattern /${source.slice(0, 60)}/ of patternProperties could take exponential time. Use at most ${NAME_REPEATS_MAX} open quantifiers, none inside another`,
  )
}
