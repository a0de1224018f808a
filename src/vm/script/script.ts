import { checkNumbers, DIRECTION, MandateError, checkFields } from '../../core/index.ts'
import type { JsonObject, FieldNames } from '../../core/index.ts'
import { vmLimits } from '../meter/limits.ts'
import type { VmLimits } from '../meter/limits.ts'
import type { Program } from '../program.ts'
import { declaredIn } from './declared-intents.ts'
import { Lines } from './lines.ts'
import { limitProblem, refusedProblem } from './problem.ts'
import { StatementLowering } from './statement-lowering.ts'
import { StatementParser } from './parser/statement-parser.ts'
import { programBody } from './whole-function.ts'

interface ScriptOptions {
  /** Shown in traces and errors. */
  readonly name?: string | undefined
  readonly inputSchema?: JsonObject | undefined
  readonly outputSchema?: JsonObject | undefined
  /** Characters of source; 256 K by default. */
  readonly sourceLength?: number | undefined
  /** The maximum nesting of brackets, blocks and functions, as in the limits of a run. */
  readonly limits?: Partial<Pick<VmLimits, 'expressionDepth'>> | undefined
}

const SCRIPT_OPTIONS: FieldNames<ScriptOptions> = {
  name: 'text',
  inputSchema: true,
  outputSchema: true,
  sourceLength: true,
  limits: 'object',
}

const sourceLengthMax = 262_144

/**
 * Compiles a script in the JavaScript subset to a program, in the same JSON that builders produce. TypeScript types are allowed and ignored. The value is
 * that of `return` or, without one, of the last expression. A script that consists of one function is called. Anything outside the subset throws here, with
 * line, column and equivalent code.
 *
 * @example
 * ```ts
 * import { script } from 'mandate/vm'
 * const program = script('const hits = await tools.search({ q: args.q }); hits.length')
 * console.log(program.steps.length)
 * ```
 */
export function script(source: string, options: ScriptOptions = {}): Program {
  checkFields(options, 'an option of `script`', SCRIPT_OPTIONS)
  checkNumbers(options, 'an option of `script`', { sourceLength: 'count' })
  if (typeof source !== 'string') {
    throw new MandateError('INPUT_INVALID', `A script is text; this is ${source === null ? 'null' : typeof source}.`)
  }
  const { sourceLength = sourceLengthMax, limits, name, inputSchema, outputSchema } = options
  if (source.length > sourceLength) {
    throw limitProblem(source, 0, `The script has ${source.length} characters; at most ${sourceLength} are read`)
  }
  // Also in comments and strings: bidirectional controls reorder the displayed source.
  const turn = source.search(DIRECTION)
  if (turn >= 0) throw refusedProblem(source, turn, 'bidi')
  const depth = vmLimits(limits).expressionDepth
  const body = new StatementParser(source, depth).program()
  const steps = new StatementLowering(source, new Lines(source), depth).script(programBody(body))
  const intents = declaredIn(source)
  return {
    mandate: 1,
    op: 'seq',
    mode: 'script',
    ...(name === undefined ? {} : { name }),
    ...(inputSchema === undefined ? {} : { inputSchema }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(intents.length === 0 ? {} : { intents }),
    steps,
  }
}
