import { MandateError, errorInfo, ok, checkFields, systemClock } from '../../core/index.ts'
import type { Json, Outcome, FieldNames } from '../../core/index.ts'
import { compileProgram } from '../compile/compile.ts'
import type { Compiled } from '../compile/compile.ts'
import { scriptLanguage } from '../compile/script/index.ts'
import { scriptBuiltins } from '../builtins/index.ts'
import { createMachine } from '../machine/machine.ts'
import type { VmResult } from '../machine/result.ts'
import { vmLimits } from '../meter/limits.ts'
import type { VmLimits } from '../meter/limits.ts'
import { TIMER_KIND } from '../port.ts'
import type { Capability, SendingPort } from '../port.ts'
import type { Program, Step } from '../program.ts'
import { script } from './script.ts'

/** A host function that a script can call as `tools.<name>(input)`. It receives and must return plain data. */
export type EvalTool = (input: unknown, signal: AbortSignal) => unknown

export interface EvalOptions {
  /** Variables of the script; plain data, copied. */
  readonly vars?: Readonly<Record<string, unknown>> | undefined
  readonly tools?: Readonly<Record<string, EvalTool>> | undefined
  readonly limits?: Partial<VmLimits> | undefined
  readonly signal?: AbortSignal | undefined
  /** The current time for the script, in milliseconds. */
  readonly now?: (() => number) | undefined
  readonly random?: (() => number) | undefined
  readonly onPrint?: ((level: string, text: string) => void) | undefined
}

const EVAL_OPTIONS: FieldNames<EvalOptions> = {
  vars: 'object',
  tools: 'object',
  limits: 'object',
  signal: 'object',
  now: 'function',
  random: 'function',
  onPrint: 'function',
}
const { vars: _, ...FUNCTION_OPTIONS } = EVAL_OPTIONS

/** The result of `Eval`: that of the script, and its printed output. */
export interface EvalResult extends VmResult {
  /** Output of `console`, one line per call. */
  readonly output: readonly string[]
}

function compile(program: unknown, { tools, limits }: EvalOptions, isOurs: boolean): Compiled {
  const names = Object.keys(tools ?? {})
  const capabilities = {
    tools: Object.fromEntries(names.map((name): [string, Capability] => [name, { kind: 'tool', name }])),
  }
  return compileProgram(program, {
    language: scriptLanguage,
    builtins: scriptBuiltins,
    capabilities,
    isOurs,
    limits: vmLimits(limits),
  })
}

function failure(error: unknown): Outcome {
  return { status: 'failed', error: errorInfo(error, 'TOOL_FAILED') }
}

/** A wait in memory: `limits.wallMs` bounds it. */
function waitFor(ms: Json, signal: AbortSignal, end: (outcome: Outcome) => void): void {
  const cancel = systemClock.timer(Number(ms), () => end(ok(null)))
  signal.addEventListener('abort', cancel, { once: true })
}

function portOf(tools: Readonly<Record<string, EvalTool>>): SendingPort {
  // Caches the last tool, because a loop requests the same one repeatedly.
  let last: string | undefined
  return {
    send({ kind, name, input }, signal, end): void {
      if (kind === TIMER_KIND) return waitFor(input, signal, end)
      const fail = (error: unknown): void => end(failure(error))
      let answer: unknown
      try {
        if (name !== last && !Object.hasOwn(tools, name))
          throw new MandateError('TOOL_UNKNOWN', `There is no tool "${name}".`)
        last = name
        answer = tools[name]!(input, signal)
      } catch (error) {
        return void Promise.reject(error).catch(fail)
      }
      void Promise.resolve(answer).then((value) => end(ok(value)), fail)
    },
  }
}

async function execute(compiled: Compiled, args: unknown, options: EvalOptions): Promise<EvalResult> {
  const output: string[] = []
  const machine = createMachine(compiled, {
    args,
    limits: options.limits,
    port: portOf(options.tools ?? {}),
    now: options.now,
    random: options.random,
    onPrint: (level, text) => {
      output.push(text)
      options.onPrint?.(level, text)
    },
  })
  return { ...(await machine.run(options.signal)), output }
}

const given = '%given'

/** Wraps a script in declarations of the given names, which its own declarations may shadow. */
function withNames(program: Program, declared: readonly Step[]): Program {
  if (declared.length === 0) return program
  const body = [...declared, { op: 'block', body: program.steps }]
  const all: Step = { op: 'let', kind: 'const', name: given, value: { $expr: 'ident', name: 'args' } }
  return { ...program, steps: [all, { op: 'block', body }] }
}

function declareFrom(name: string, key: string | number): Step {
  if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) {
    throw new MandateError('INPUT_INVALID', `"${name}" cannot be the name of a variable. Use letters, digits and _.`)
  }
  const value = { $expr: 'member', object: { $expr: 'ident', name: given }, property: key, computed: true }
  return { op: 'let', kind: 'let', name, value }
}

/**
 * Runs a script once with variables and tools, and returns its value, or its error as data. A script that cannot be parsed is also an error as data; failures
 * of a script never throw.
 *
 * @example
 * ```ts
 * import { Eval } from 'mandate/vm'
 * const { result, fuelUsed } = await Eval('items.filter((x) => x > limit).length', { vars: { items: [1, 5, 9], limit: 4 } })
 * console.log(result, fuelUsed)
 * ```
 */
export async function Eval(source: string, options: EvalOptions = {}): Promise<EvalResult> {
  checkFields(options, 'an option of `Eval`', EVAL_OPTIONS)
  const { vars = {} } = options
  const limits = vmLimits(options.limits)
  const declared = Object.keys(vars).map((name) => declareFrom(name, name))
  let compiled: Compiled
  try {
    compiled = compile(withNames(script(source, { limits }), declared), options, true)
  } catch (error) {
    return unread(error)
  }
  return execute(compiled, vars, options)
}

/** @internal Runs a program of script mode unchanged: the part of `Eval` after parsing. */
export async function runProgramOnce(program: unknown, options: EvalOptions = {}): Promise<EvalResult> {
  return execute(compile(program, options, false), options.vars, options)
}

/** The result of a script that did not start. */
function unread(error: unknown): EvalResult {
  if (!MandateError.isInstance(error)) throw error
  const { line, column } = (error.info ?? {}) as { line?: number; column?: number }
  const place = line === undefined ? {} : { line, column }
  const stats = { requests: 0, jobs: 0, yields: 0, traceDropped: 0 }
  const data = { code: error.code, message: error.message, info: error.info, ...place }
  return { result: undefined, error: data, fuelUsed: 0, memoryPeak: 0, stats, warnings: [], output: [] }
}

/**
 * Makes a function from parameters and a body in the script subset. It is read and checked now, and runs in a machine of its
 * own at each call. Throws if the source cannot be read.
 *
 * @example
 * ```ts
 * import { SafeFunction } from 'mandate/vm'
 * const area = SafeFunction(['width', 'height'], 'return width * height')
 * const { result } = await area(3, 4)
 * ```
 */
export function SafeFunction(
  parameters: readonly string[],
  body: string,
  options: Omit<EvalOptions, 'vars'> = {},
): (...values: readonly unknown[]) => Promise<EvalResult> {
  checkFields(options, 'an option of `SafeFunction`', FUNCTION_OPTIONS)
  if (!Array.isArray(parameters))
    throw new MandateError('INPUT_INVALID', "The parameters are a list of names: SafeFunction(['n'], 'return n * 2').")
  const declared = parameters.map((name, index) => declareFrom(name, index))
  const compiled = compile(withNames(script(body, { limits: options.limits }), declared), options, true)
  return (...values) => execute(compiled, values, options)
}
