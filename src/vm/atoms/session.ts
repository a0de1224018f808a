import { MandateError, allLabels, errorInfo, toPlain } from '../../core/index.ts'
import type { Clock, EffectLabels, Json, JsonObject, Label, Outcome, Random } from '../../core/index.ts'
import type { CompileOptions } from '../compile/compile.ts'
import { createMachine } from '../machine/machine.ts'
import type { Machine } from '../machine/machine.ts'
import type { VmResult } from '../machine/result.ts'
import { UNITS_PER_FUEL } from '../meter/live.ts'
import type { AtomSpec, CapabilityTree, RequestPort, VmRequest } from '../port.ts'
import type { AnyAtom, AtomContext } from './atom.ts'
import { callAtom } from './calling.ts'
import type { AtomCall } from './calling.ts'
import { compileWhole } from './compiling.ts'
import { FollowedOutcomes, effectLabels } from './followed.ts'
import type { Memory } from './memo.ts'
import type { Procedures } from './procedures.ts'
import type { ReadOptions, VmRunOptions } from './run-options.ts'

/** How requests reach the world: capabilities alone, or effects through the gate. */
export interface Outside {
  /** An atom that touches the world; `call` does it right here. */
  atom(call: AtomCall): Promise<Outcome>
  /** An atom that does not. */
  pure(call: AtomCall): Promise<Outcome>
  tool(name: string, input: Json, signal: AbortSignal, labels?: EffectLabels): Promise<Outcome>
  storeGet(key: string, signal: AbortSignal, labels?: EffectLabels): Promise<Outcome>
  storeSet(
    entry: { readonly key: string; readonly value: Json },
    signal: AbortSignal,
    labels?: EffectLabels,
  ): Promise<Outcome>
  /** The same for a program that runs inside this one. */
  inside(): Outside
  now(): number
  random(): number
}

interface SessionParts {
  readonly atoms: ReadonlyMap<string, AnyAtom>
  readonly specs: ReadonlyMap<string, AtomSpec>
  readonly options: VmRunOptions
  readonly read: ReadOptions
  readonly clock: Clock
  /** The clock of the machines, where it is not that of the atoms. */
  readonly machineClock?: Clock | undefined
  readonly random: Random
  readonly procedures: Procedures
  /** The time that programs see; the clock's when absent. */
  readonly now?: (() => number) | undefined
  /** Tools that scripts may call. */
  readonly tools: readonly string[]
  /** Labels of the arguments, where those of single values are followed. */
  readonly labels?: readonly Label[] | undefined
}

/** Where in a session a program runs. */
export interface Place {
  readonly outside: Outside
  readonly signal?: AbortSignal | undefined
  readonly fuel: number
  readonly depth: number
  /** Labels of the arguments, and of what decided that the program runs, where labels are followed. */
  readonly labels?: readonly Label[] | undefined
}

/** The same while a machine waits for something: its own signal says when that is over. */
type Inside = Place & { readonly signal: AbortSignal }

/** Programs that run each other, nested; deeper is a mistake or an attack. */
const NESTING_MAX = 10

/** What `memoize` and `cache` ask for. */
const REMEMBERS = /^(?:memo|cache)[GS]et$/

/** One run of a program and of those inside it: what they share, and what may be called how often. */
export class Session {
  readonly #parts: SessionParts
  #memory: Promise<Memory> | undefined
  readonly #calls = new Map<string, number>()
  readonly #followed = new FollowedOutcomes()
  readonly warnings: string[] = []

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  /** Runs a program to its end. What is wrong with it is in the result, like everything else that goes wrong. */
  async run(source: () => Promise<JsonObject>, given: unknown, place: Place): Promise<VmResult> {
    const { read, specs, clock, machineClock, random, tools, now } = this.#parts
    const labels = place.labels ?? this.#parts.labels
    try {
      const program = await source()
      const args = plainArgs(given)
      await checkShape(program['inputSchema'], args, 'INPUT_INVALID', 'The arguments do not fit what the program takes')
      const capabilities = program['mode'] === 'script' ? toolTree(tools) : {}
      const isTraced = read.traceMax > 0
      const compiled = await compileWhole(program, {
        atoms: specs,
        capabilities,
        trace: isTraced,
        followsLabels: labels !== undefined,
        limits: compileLimits(read.limits),
      })
      const port = new MachinePort(this, place)
      const machine = createMachine(compiled, {
        args,
        argsLabels: labels,
        limits: { ...read.limits, fuel: place.fuel },
        port,
        clock: machineClock ?? clock,
        now,
        random: () => random.next(),
        onPrint: (level, text) => void (level === 'warn' && this.warnings.push(text)),
      })
      port.machine = machine
      return await checkedResult(program, await machine.run(place.signal))
    } catch (error) {
      return failedResult(error)
    }
  }

  /** Carries a request out. */
  async perform(request: VmRequest, machine: Machine, place: Inside): Promise<Outcome> {
    const { name } = request
    const over = this.#count(name)
    if (over !== undefined) return over
    const labels = this.#parts.labels === undefined ? undefined : effectLabels(request, place.labels)
    if (labels === undefined) return this.#carryOut(request, machine, place)
    const outcome = await this.#carryOut(request, machine, place, labels)
    return this.#followed.outcome(name, labels, outcome)
  }

  async #carryOut(request: VmRequest, machine: Machine, place: Inside, labels?: EffectLabels): Promise<Outcome> {
    const { name, kind } = request
    if (REMEMBERS.test(name)) {
      // Few programs remember, so what does it for them comes with the first that does.
      const remembering = (this.#memory ??= import('./memo.ts').then(({ Memory }) => new Memory()))
      return (await remembering).recall(request, place, labels)
    }
    if (kind === 'tool') return place.outside.tool(name, request.input, place.signal, labels)
    const atom = this.#parts.atoms.get(name)
    if (atom === undefined) return failed('NOT_FOUND', `There is no atom "${name}" here.`)
    const call = {
      ...this.#call(atom, request.input, machine, { ...place, labels: labels && allLabels(labels) }),
      labels,
    }
    // What runs a program inside this one is no effect itself: the effects are those of the program.
    if (nests(name, request.input)) return callAtom(call)
    return atom.effects === 'pure' ? place.outside.pure(call) : place.outside.atom(call)
  }

  #call(atom: AnyAtom, input: Json, machine: Machine, place: Inside): AtomCall {
    const { options, read, clock, procedures } = this.#parts
    const context: Omit<AtomContext, 'signal' | 'op'> = {
      capabilities: read.capabilities,
      context: read.context,
      procedures,
      now: () => place.outside.now(),
      random: () => place.outside.random(),
      warn: (message) => void this.warnings.push(message),
      fuelLeft: () => fuelLeft(machine),
      runInside: (program, args, more) => this.#runInside(program, args, { machine, place, fuel: more?.fuel }),
    }
    const timeoutMs = options.timeoutOverrides?.[atom.op] ?? atom.timeoutMs
    return { atom, input, timeoutMs, clock, signal: place.signal, context, spend: (fuel) => spend(machine, fuel) }
  }

  async #runInside(
    program: Json,
    args: Json,
    inside: { readonly machine: Machine; readonly place: Inside; readonly fuel?: number | undefined },
  ): Promise<Json> {
    const { machine, place } = inside
    const depth = place.depth + 1
    if (depth > NESTING_MAX)
      throw new MandateError('LIMIT_EXCEEDED', `Programs run each other ${NESTING_MAX} deep at most.`)
    const fuel = Math.min(inside.fuel ?? Number.POSITIVE_INFINITY, fuelLeft(machine))
    const result = await this.run(async () => program as JsonObject, args, {
      ...place,
      outside: place.outside.inside(),
      fuel,
      depth,
    })
    spend(machine, result.fuelUsed)
    if (result.labels !== undefined) this.#followed.told(Object.values(result.labels).flat())
    if (result.error !== undefined) throw new MandateError('TOOL_FAILED', result.error.message)
    return result.result as Json
  }

  #count(name: string): Outcome<never> | undefined {
    const max = this.#parts.options.quotas?.[name]
    if (max === undefined) return undefined
    const count = (this.#calls.get(name) ?? 0) + 1
    this.#calls.set(name, count)
    return count <= max
      ? undefined
      : failed('LIMIT_EXCEEDED', `${name} may be called ${max} times in this run (\`quotas\`).`)
  }
}

/** The requests of one machine. */
class MachinePort implements RequestPort {
  machine: Machine | undefined
  readonly #session: Session
  readonly #place: Place

  constructor(session: Session, place: Place) {
    this.#session = session
    this.#place = place
  }

  async perform(request: VmRequest, signal: AbortSignal): Promise<Outcome> {
    // It asks in the middle of its turn; what it has left is known only when it has come to rest.
    await Promise.resolve()
    return this.#session.perform(request, this.machine!, { ...this.#place, signal })
  }
}

/** What a machine that waits for a request has left. */
function fuelLeft({ state }: Machine): number {
  return Math.max(0, state.reserve + state.fuel) / UNITS_PER_FUEL
}

/** Takes fuel from a machine that waits: what is below nothing stops it at its next step. */
function spend({ state }: Machine, fuel: number): void {
  state.fuel -= Math.ceil(fuel * UNITS_PER_FUEL)
}

function compileLimits({ expressionDepth, programNodes }: ReadOptions['limits']): CompileOptions['limits'] {
  return {
    ...(expressionDepth !== undefined && { expressionDepth }),
    ...(programNodes !== undefined && { programNodes }),
  }
}

function toolTree(tools: readonly string[]): CapabilityTree {
  return { tools: Object.fromEntries(tools.map((name) => [name, { kind: 'tool', name }])) }
}

/** Whether an atom runs a program right here. */
function nests(op: string, input: Json): boolean {
  if (op === 'runCode') return true
  const agentId = op === 'agentRun' ? (input as { readonly agentId?: Json }).agentId : undefined
  return (
    (typeof agentId === 'object' && agentId !== null) || (typeof agentId === 'string' && agentId.startsWith('proc_'))
  )
}

/** Arguments are an object of plain data: a copy, so that nothing of the caller's is in reach. */
function plainArgs(given: unknown): JsonObject {
  const { value, issues } = toPlain(given)
  if (issues.length === 0 && typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as JsonObject
  const why = issues[0] ?? 'they are no object'
  throw new MandateError('INPUT_INVALID', `The arguments of a program are an object of plain data: ${why}.`)
}

function failed(code: 'LIMIT_EXCEEDED' | 'NOT_FOUND', message: string): Outcome<never> {
  return { status: 'failed', error: { code, message } }
}

async function checkShape(
  schema: unknown,
  value: unknown,
  code: 'INPUT_INVALID' | 'OUTPUT_INVALID',
  what: string,
): Promise<void> {
  if (schema === undefined) return
  // Only a program that says what it takes or gives needs this.
  const { schemaCheck } = await import('./schema-check.ts')
  const issue = schemaCheck(schema, 'the program')(value)
  if (issue !== undefined) throw new MandateError(code, `${what}: ${issue}.`)
}

async function checkedResult(program: JsonObject, result: VmResult): Promise<VmResult> {
  if (result.error !== undefined || program['outputSchema'] === undefined) return result
  try {
    await checkShape(
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

/** A program that could not even begin. */
function failedResult(error: unknown): VmResult {
  const { code, message, info } = errorInfo(error)
  const path = (info as { readonly path?: string } | undefined)?.path
  return { ...NOTHING, error: { code, message, ...(path === undefined ? {} : { path }) } }
}

const NOTHING = { result: null, fuelUsed: 0, memoryPeak: 0, stats: {}, warnings: [] } as unknown as VmResult
