import { MandateError } from '../../core/index.ts'
import type { Identifier } from './parser/ast.ts'
import { type RefusedFeature, refusals } from './refusals.ts'

interface Position {
  /** Starts at 1, as in editors. */
  readonly line: number
  readonly column: number
}

/** The fault of a script as data: the `info` of the error that `script` throws. */
export interface ScriptProblem extends Position {
  /** `syntax`: invalid JavaScript. `refused`: valid, but outside the subset. `limit`: too long or too deep. */
  readonly kind: 'syntax' | 'refused' | 'limit'
  readonly feature?: RefusedFeature
  /** The missing name. */
  readonly name?: string
  /** Equivalent code inside the subset. */
  readonly instead?: string
}

/** Line and column of an offset. */
function positionOf(source: string, offset: number): Position {
  let line = 1
  let lineStart = 0
  for (let at = 0; at < offset; at += 1) {
    const code = source.charCodeAt(at)
    if (code === 10 || code === 0x2028 || code === 0x2029 || (code === 13 && source.charCodeAt(at + 1) !== 10)) {
      line += 1
      lineStart = at + 1
    }
  }
  return { line, column: offset - lineStart + 1 }
}

/** Creates the error for a script that is not JavaScript. */
export function syntaxProblem(source: string, offset: number, message: string): MandateError {
  const at = positionOf(source, offset)
  const info: ScriptProblem = { kind: 'syntax', ...at }
  return new MandateError('INPUT_INVALID', `${message} (line ${at.line}, column ${at.column})`, { info })
}

/** Creates the error for a valid script that uses a feature outside the subset. */
export function refusedProblem(source: string, offset: number, feature: RefusedFeature): MandateError {
  const at = positionOf(source, offset)
  const { title, why, instead } = refusals[feature]
  const info: ScriptProblem = { kind: 'refused', feature, instead, ...at }
  const message = `${title} is not available: ${why} (line ${at.line}, column ${at.column}). Write instead: ${instead}`
  return new MandateError('INPUT_INVALID', message, { info })
}

/** Creates the error for a script that uses a name which exists in other engines only. */
export function missingProblem(source: string, { name, start }: Identifier, advice: string): MandateError {
  const at = positionOf(source, start)
  const info: ScriptProblem = { kind: 'refused', name, instead: advice, ...at }
  const message = `\`${name}\` is not available (line ${at.line}, column ${at.column}). ${advice}`
  return new MandateError('INPUT_INVALID', message, { info })
}

/** Creates the error for a script that is too long or too deep. */
export function limitProblem(source: string, offset: number, message: string): MandateError {
  const at = positionOf(source, offset)
  const info: ScriptProblem = { kind: 'limit', ...at }
  return new MandateError('LIMIT_EXCEEDED', `${message} (line ${at.line}, column ${at.column})`, { info })
}

/** Absolute depth limit of the parser, for the native stack. */
const READ_DEPTH_MAX = 200

/** Throws if a location is nested deeper than a limit allows. */
export function checkDepth(depth: number, max: number, source: string, offset: number): void {
  if (depth <= max && depth <= READ_DEPTH_MAX) return
  const allowed =
    max < READ_DEPTH_MAX ? `limit \`expressionDepth\` allows (${max})` : `any script may be (${READ_DEPTH_MAX})`
  throw limitProblem(source, offset, `The script is nested deeper than ${allowed}`)
}
