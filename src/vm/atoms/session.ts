import { MandateError, errorInfo, toPlain } from '../../core/index.ts'
import type { Clock, EffectLabels, Json, JsonObject, Label, Outcome, Random } from '../../core/index.ts'
import type { CompileOptions } from '../compile/compile.ts'
import { TRACING } from '../compile/trace.ts'
import { drawsFrom } from '../machine/random-draws.ts'
import type { Draw } from '../machine/random-draws.ts'
import { createMachine } from '../machine/machine.ts'
import type { VmResult } from '../machine/result.ts'
import type { FuelPool } from '../meter/limits.ts'
import type { AtomSpec, CapabilityTree } from '../port.ts'
import type { AnyAtom } from './atom.ts'
import type { AtomCall } from './atom-call.ts'
import { compileByMode } from './compile-by-mode.ts'
import type { Procedures } from './host/procedures.ts'
import { RequestPerformer } from './request-performer.ts'
import type { ReadOptions, VmRunOptions } from './run-options.ts'
import { schemaCheck } from './schema-check.ts'
import { timerGlobals } from './timer-atoms.ts'

/** Performs the requests of a program: by capabilities (standalone), or as effects through the gate (kernel). */
export interface EffectHost {
  /** Performs an I/O atom. */
  atom(call: AtomCall): Promise<Outcome>
  /** Performs a pure atom. */
  pure(call: AtomCall): Promise<Outcome>
  tool(name: string, input: Json, signal: AbortSignal, labels?: EffectLabels): Promise<Outcome>
  storeGet(key: string, signal: AbortSignal, labels?: EffectLabels): Promise<Outcome>
  storeSet(
    entry: { readonly key: string; readonly value: Json },
    signal: AbortSignal,
    labels?: EffectLabels,
  ): Promise<Outcome>
  /** The host of a nested program. */
  nested(): EffectHost
  now(): number
  random(): number
}

export interface SessionParts {
  readonly atoms: ReadonlyMap<string, AnyAtom>
  readonly specs: ReadonlyMap<string, AtomSpec>
  readonly options: VmRunOptions
  readonly read: ReadOptions
  readonly clock: Clock
  /** The clock of the machines, if different from that of the atoms. */
  readonly machineClock?: Clock | undefined
  readonly random: Pick<Random, 'next'>
  readonly procedures: Procedures
  /** The time that programs see; the clock's when absent. */
  readonly now?: (() => number) | undefined
  /** The fuel pool, if shared with other runs. */
  readonly pool?: FuelPool | undefined
  /** Tools that scripts may call. */
  readonly tools: readonly string[]
  /** Labels of the arguments, if labels are tracked per value. */
  readonly labels?: readonly Label[] | undefined
}

/** Where in a session a program runs: host, fuel and nesting depth. */
export interface RunPlace {
  /** The standalone host when absent. */
  readonly host?: EffectHost | undefined
  readonly signal?: AbortSignal | undefined
  readonly fuel: number
  readonly depth: number
  /** Labels of the arguments and of the control flow that started the program, if labels are tracked. */
  readonly labels?: readonly Label[] | undefined
}

/** One run of a program and its nested programs: shared random numbers, warnings and quotas. */
export class Session {
  readonly #parts: SessionParts
  readonly #requests: RequestPerformer
  readonly warnings: string[] = []
  /** Draws a random number under control-flow labels. */
  readonly draw: Draw

  constructor(parts: SessionParts) {
    this.#parts = parts
    const numbers = (): number => parts.random.next()
    // `drawsFrom` reads ahead once; done here so that it does not depend on labelled control flow.
    this.draw = parts.labels === undefined ? numbers : drawsFrom(numbers)
    this.#requests = new RequestPerformer(this, parts)
  }

  /** Runs a program to its end. All errors are in the result. */
  async run(source: () => JsonObject, given: unknown, place: RunPlace): Promise<VmResult> {
    const { read, specs, options, clock, machineClock, tools, now } = this.#parts
    const labels = place.labels ?? this.#parts.labels
    try {
      const program = source()
      const args = plainArgs(given)
      checkShape(program['inputSchema'], args, 'INPUT_INVALID', 'The arguments do not fit what the program takes')
      const capabilities =
        program['mode'] === 'script' ? { ...timerGlobals(this.#parts.atoms), ...toolTree(tools) } : {}
      const compiled = compileByMode(program, {
        atoms: specs,
        capabilities,
        argNames: new Set([...Object.keys(args), ...schemaNames(program['inputSchema'])]),
        tools,
        tracing: read.traceMax > 0 ? TRACING : undefined,
        followsLabels: labels !== undefined,
        limits: compileLimits(read.limits),
        costs: options.costOverrides,
      })
      const port = this.#requests.port(place)
      const machine = createMachine(compiled, {
        args,
        argsLabels: labels,
        limits: { ...read.limits, fuel: place.fuel },
        pool: this.#parts.pool,
        port,
        clock: machineClock ?? clock,
        now,
        draw: (leading) => this.draw(place.labels === undefined ? leading : [...place.labels, ...leading]),
        onPrint: (level, text) => void (level === 'warn' && this.warnings.push(text)),
      })
      port.answers(machine)
      return checkedResult(program, await machine.run(place.signal))
    } catch (error) {
      return failedResult(error)
    }
  }
}

function compileLimits({ expressionDepth, programNodes }: ReadOptions['limits']): CompileOptions['limits'] {
  return {
    ...(expressionDepth !== undefined && { expressionDepth }),
    ...(programNodes !== undefined && { programNodes }),
  }
}

/** Argument names declared by the input schema, also optional ones. */
function schemaNames(schema: Json | undefined): readonly string[] {
  const { properties } = (schema ?? {}) as { readonly properties?: Json }
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}

function toolTree(tools: readonly string[]): CapabilityTree {
  return { tools: Object.fromEntries(tools.map((name) => [name, { kind: 'tool', name }])) }
}

/** Copies the arguments as plain data, so that the program cannot reach the caller's objects. */
function plainArgs(given: unknown): JsonObject {
  const { value, issues } = toPlain(given)
  if (issues.length === 0 && typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as JsonObject
  const why = issues[0] ?? 'they are no object'
  throw new MandateError('INPUT_INVALID', `The arguments of a program are an object of plain data: ${why}.`)
}

function checkShape(schema: unknown, value: unknown, code: 'INPUT_INVALID' | 'OUTPUT_INVALID', what: string): void {
  if (schema === undefined) return
  const issue = schemaCheck(schema, 'the program')(value)
  if (issue !== undefined) throw new MandateError(code, `${what}: ${issue}.`)
}

function checkedResult(program: JsonObject, result: VmResult): VmResult {
  if (result.error !== undefined || program['outputSchema'] === undefined) return result
  try {
    checkShape(
      program['outputSchema'],
      result.result,
      'OUTPUT_INVALID',
      'What the program gave does not fit what it promises',
    )
    return result
  } catch (error) {
    return { ...result, result: null, error: errorInfo(error) }
  }
}

/** The result of a program that could not start. */
function failedResult(error: unknown): VmResult {
  const { code, message, info } = errorInfo(error)
  const { path, line, column } = (info ?? {}) as Partial<Record<'path', string> & Record<'line' | 'column', number>>
  const place = { ...(path !== undefined && { path }), ...(line !== undefined && { line, column }) }
  return { ...NOTHING, error: { code, message, ...place } }
}

const NOTHING = { result: null, fuelUsed: 0, memoryPeak: 0, stats: {}, warnings: [] } as unknown as VmResult
