import { MandateError, canonical, sha256, systemClock, checkFields } from '../../core/index.ts'
import type { ErrorCode, Json, JsonObject, FieldNames } from '../../core/index.ts'
import { ERROR_CODES } from '../../core/index.ts'
import { intentsOfCode, readIntents } from '../../gate/index.ts'
import type { Intent, IntentLookup, Mandate } from '../../gate/index.ts'
import { MindStop } from '../../run/index.ts'
import type { Mind, MindFacts, Registry, RunContext } from '../../run/index.ts'
import { RISKS, toolsFrom } from '../../tool/index.ts'
import type { Tool, ToolLike } from '../../tool/index.ts'
import type { AnyAtom } from '../atoms/atom.ts'
import { ProcedureStore } from '../atoms/host/procedure-store.ts'
import { checkOverrides } from '../atoms/option-checks.ts'
import { atomsWith } from '../atoms/registry.ts'
import { readOptions } from '../atoms/run-options.ts'
import type { VmRunOptions } from '../atoms/run-options.ts'
import { Session } from '../atoms/session.ts'
import { isTimerAtom } from '../atoms/timer-atoms.ts'
import { specsOf } from '../atoms/set/specs.ts'
import type { VmResult } from '../machine/result.ts'
import { DEFAULT_VM_LIMITS, NO_WALL_MS } from '../meter/limits.ts'
import { atomTool } from './atom-tool.ts'
import { kernelHost } from './kernel-host.ts'
import { VM_PINS, WAITING_CLOCK, checkVmPins, fuelOf, withoutMeasures } from './vm-pins.ts'
import type { VmPins } from './vm-pins.ts'
import { untilDropped } from './until-dropped.ts'

/** How a program runs under a kernel. */
export interface ProgramMindOptions extends Pick<
  VmRunOptions,
  'fuel' | 'capabilities' | 'context' | 'costOverrides' | 'timeoutOverrides' | 'quotas' | 'limits' | 'trace'
> {
  /** The name under which it is registered; derived from its content when absent. */
  readonly name?: string | undefined
  /** What it is good for: shown to agents that may call it. */
  readonly description?: string | undefined
  /** The host's own atoms. */
  readonly atoms?: Readonly<Record<string, AnyAtom>> | undefined
  /** Applied below the mandates of the host and of every parent. */
  readonly mandate?: Mandate | undefined
  /**
   * Intents of its calls of tools and agents, for mandates that require intents, if the program does not declare them itself. Each covers all calls of its
   * tool.
   */
  readonly intents?: readonly Intent[] | undefined
  /** Tools of only this program, in any accepted shape. Scripts call them, and those of the host, as `tools.name(input)`. */
  readonly tools?: readonly ToolLike[] | undefined
  /** When labels are tracked per value: if a mandate has flow rules (`rules`, the default), always, or never. */
  readonly labels?: 'rules' | 'always' | 'never' | undefined
  /** The registered model of `llmPredict` if there is no capability `llm`. */
  readonly model?: string | undefined
  /** The collection of the host's database that store atoms use when there is no capability `store`; `programs` when absent. */
  readonly collection?: string | undefined
}

type Pins = VmPins & {
  readonly program: JsonObject
  readonly hash: string
  readonly limits: JsonObject
  readonly intents?: readonly Json[]
}

/** The default name of a program. */
function programName(program: JsonObject): string {
  return typeof program['name'] === 'string' && program['name'] !== ''
    ? program['name']
    : `program-${sha256(canonical(program)).slice(0, 12)}`
}

export const PROGRAM_MIND_OPTIONS: FieldNames<ProgramMindOptions> = {
  fuel: true,
  capabilities: 'object',
  context: 'object',
  costOverrides: 'object',
  timeoutOverrides: 'object',
  quotas: 'object',
  limits: 'object',
  trace: 'number|flag',
  name: 'text',
  description: 'text',
  atoms: 'object',
  mandate: 'object',
  intents: 'objects',
  tools: 'list',
  labels: 'text',
  model: 'text',
  collection: 'text',
}

const INTENT: FieldNames<Intent> = { toolName: 'text', purpose: 'text', expectedOutcome: 'text', riskLevel: 'text' }

/** Throws on declared intents that would be read as none. */
export function checkIntents({ intents = [] }: Pick<ProgramMindOptions, 'intents'>): void {
  for (const intent of intents) {
    checkFields(intent, 'a field of one of `intents`', INTENT)
    if (intent.riskLevel === undefined || RISKS.includes(intent.riskLevel)) continue
    const known = RISKS.join(', ')
    throw new MandateError('CONFIG_INVALID', `\`riskLevel\` of one of \`intents\` must be one of: ${known}.`)
  }
}

/** Wraps a program as a mind. The program is pinned: a resumed run continues with the one it began with. */
export function programMind(program: JsonObject, registry: Registry, options: ProgramMindOptions = {}): Mind {
  checkFields(options, 'an option of a program', PROGRAM_MIND_OPTIONS)
  checkIntents(options)
  const atoms = atomsWith(options.atoms)
  const read = readOptions(options)
  // Tools may be registered later, so quotas for other names are checked when a run starts.
  checkOverrides(options, atoms, Object.keys(options.quotas ?? {}))
  const own = new Map(toolsFrom((options.tools ?? []) as never).map((tool: Tool) => [tool.name, tool]))
  const parts = { capabilities: read.capabilities, context: read.context, timeoutOverrides: options.timeoutOverrides }
  const outer = [...atoms.values()].filter((atom) => atom.effects === 'io' && !isTimerAtom(atom))
  const tools = new Map([...outer.map((atom): [string, Tool] => [atom.op, atomTool(atom, parts)]), ...own])
  const specs = specsOf(atoms, options.costOverrides, read.context)
  const pins: Pins = {
    program,
    hash: sha256(canonical(program)),
    ...VM_PINS,
    limits: { ...read.limits },
    ...(options.intents === undefined ? {} : { intents: options.intents.map((intent) => ({ ...intent })) }),
  }
  const start = async (input: Json, context: RunContext): Promise<Json> => {
    const pinned = ownPins(context.pins)
    const { args, fuel } = readInput(input, Number(pinned.limits['fuel']))
    const limits = { ...pinned.limits, wallMs: NO_WALL_MS, ...memoryLimit(pinned.limits, context) }
    const names = [
      ...new Set([...own.keys(), ...registry.tools.keys(), ...(context.resources.tools?.keys() ?? [])]),
    ].filter((name) => !atoms.has(name) || isTimerAtom(atoms.get(name)))
    checkOverrides({ quotas: options.quotas }, atoms, names)
    const session = new Session({
      ...{ atoms, specs, options, tools: names },
      read: { ...read, limits },
      pool: fuelOf(pinned, context.fuel),
      clock: systemClock,
      machineClock: WAITING_CLOCK,
      random: { next: () => context.random() },
      now: () => context.now(),
      procedures: new ProcedureStore().of('run'),
      // Whether labels are tracked is pinned at the start of a run, independent of the current mandates.
      labels: (context.pins as { readonly labels?: Json }).labels === 'fine' ? context.labels : undefined,
    })
    const host = kernelHost(context, {
      registry,
      capabilities: read.capabilities,
      model: options.model,
      collection: options.collection ?? 'programs',
      intents: intentsOf(pinned),
    })
    const result = await session.run(() => pinned.program, args, {
      host: host,
      signal: untilDropped(context),
      fuel,
      depth: 0,
    })
    context.fuel.held(result.memoryPeak)
    return conclude(nameMemoryBudget({ ...result, warnings: [...result.warnings, ...session.warnings] }, context))
  }
  return {
    kind: 'program',
    name: options.name ?? programName(program),
    ...(options.mandate === undefined ? {} : { mandate: options.mandate }),
    followsLabels: options.labels ?? 'rules',
    resources: { tools },
    facts: () => factsOf(program, options),
    pins: () => pins,
    checkPins: (all) => checkVmPins(ownPins(all)),
    compared: (output, all) => withoutMeasures(output, ownPins(all)),
    readEdit,
    start,
  }
}

function ownPins(all: Json): Pins {
  return (all as unknown as { readonly mind: Pins }).mind
}

/** Returns the description of a program for callers. */
function factsOf({ inputSchema, outputSchema }: JsonObject, { description }: ProgramMindOptions): MindFacts {
  return { description, inputSchema, outputSchema }
}

/** The memory limit: the smaller of the program's own and the budget of the run tree. */
function memoryLimit(own: JsonObject, { fuel }: RunContext): { readonly memoryBytes?: number } {
  const most = fuel.memoryMax
  if (most === undefined) return {}
  return { memoryBytes: Math.min(Number(own['memoryBytes'] ?? DEFAULT_VM_LIMITS.memoryBytes), most) }
}

/** Adds to the error message which of the two memory limits was exceeded. */
function nameMemoryBudget(result: VmResult, { fuel }: RunContext): VmResult {
  const { error } = result
  const told = (error as { readonly info?: { readonly limit?: string; readonly allowed?: number } } | undefined)?.info
  if (error === undefined || told?.limit !== 'memoryBytes' || told.allowed !== fuel.memoryMax) return result
  const message = `The program held too much memory: the limit \`budget.memory\` is ${told.allowed} bytes. Raise \`budget.memory\` to allow more.`
  return { ...result, error: { ...error, message } }
}

function readEdit(edit: Json): Json {
  if (typeof edit === 'object' && edit !== null && !Array.isArray(edit)) return edit
  throw new MandateError('CONFIG_INVALID', '`edit.input` of a fork of a program is an object with its arguments.')
}

/** Intents of the host override those of the program. */
function intentsOf({ program, intents: given = [] }: Pins): IntentLookup {
  const own = intentsOfCode(readIntents(Array.isArray(program['intents']) ? program['intents'] : []))
  const ofHost = intentsOfCode(readIntents(given))
  return (name) => {
    const found = ofHost(name)
    return found.intent === undefined && found.intentProblem === undefined ? own(name) : found
  }
}

/** The input: arguments alone, or with the fuel share of a parent. */
function readInput(input: Json, fuel: number): { readonly args: Json; readonly fuel: number } {
  const given = (input ?? {}) as Readonly<Record<string, Json>>
  if (typeof given !== 'object' || !Object.hasOwn(given, '$args')) return { args: given, fuel }
  const share = given['$fuel']
  return { args: given['$args'] ?? {}, fuel: typeof share === 'number' && share >= 0 ? share : fuel }
}

function conclude(result: VmResult): Json {
  const { error, stats, ...rest } = result
  const { requests, jobs } = stats
  // Left out: how often the program yielded depends on speed and would differ on replay.
  const output = JSON.parse(JSON.stringify({ ...rest, result: rest.result ?? null, stats: { requests, jobs } })) as Json
  if (error === undefined) return output
  const code = (ERROR_CODES as readonly string[]).includes(error.code) ? (error.code as ErrorCode) : 'MIND_FAILED'
  throw new MindStop(code, error.message, output, JSON.parse(JSON.stringify(error)) as Json)
}
