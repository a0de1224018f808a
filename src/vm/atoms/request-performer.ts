import { MandateError, allLabels } from '../../core/index.ts'
import type { EffectLabels, Json, JsonObject, Outcome } from '../../core/index.ts'
import type { Machine } from '../machine/machine.ts'
import { UNITS_PER_FUEL } from '../meter/live.ts'
import type { RequestPort, VmRequest } from '../port.ts'
import { standaloneHost } from './host/standalone-host.ts'
import type { AnyAtom, AtomContext } from './atom.ts'
import { callAtom } from './atom-call.ts'
import type { AtomCall } from './atom-call.ts'
import { OutcomeLabels, effectLabels, inputLabels } from './host/label-outcomes.ts'
import { BlockCache } from './host/block-cache.ts'
import { timerInput } from './timer-atoms.ts'
import type { EffectHost, RunPlace, Session, SessionParts } from './session.ts'

/** The place of a running machine, with its abort signal. */
type NestedPlace = RunPlace & { readonly host: EffectHost; readonly signal: AbortSignal }

/** Maximum nesting of programs that run each other. */
const NESTING_MAX = 10

/** Requests of `memoize` and `cache`. */
const MEMO_OPS = /^(?:memo|cache)[GS]et$/

/** Performs the requests of the programs of one session, and enforces quotas. */
export class RequestPerformer {
  readonly #session: Session
  readonly #parts: SessionParts
  readonly #memory = new BlockCache()
  readonly #calls = new Map<string, number>()
  readonly #followed = new OutcomeLabels()

  constructor(session: Session, parts: SessionParts) {
    this.#session = session
    this.#parts = parts
  }

  /** The request port of a machine. */
  port(place: RunPlace): MachinePort {
    const { read, clock, random } = this.#parts
    const host = place.host ?? standaloneHost({ capabilities: read.capabilities, clock, random })
    return new MachinePort(this, { ...place, host })
  }

  /** Performs a request. */
  async perform(request: VmRequest, machine: Machine, place: NestedPlace): Promise<Outcome> {
    const { name } = request
    const over = this.#count(name)
    if (over !== undefined) return over
    const labels = this.#parts.labels === undefined ? undefined : effectLabels(request, place.labels)
    if (labels === undefined) return this.#carryOut(request, machine, place)
    const outcome = await this.#carryOut(request, machine, place, labels)
    return this.#followed.outcome(name, labels, outcome)
  }

  async #carryOut(request: VmRequest, machine: Machine, place: NestedPlace, labels?: EffectLabels): Promise<Outcome> {
    const { name, kind } = request
    if (MEMO_OPS.test(name)) return this.#memory.recall(request, place, labels)
    if (kind === 'tool') return place.host.tool(name, request.input, place.signal, labels)
    if (name === 'toolCall') return this.#callTool(request.input, place, labels)
    const atom = this.#parts.atoms.get(name)
    if (atom === undefined) return failed('NOT_FOUND', `There is no atom "${name}" here.`)
    const call = {
      ...this.#call(atom, timerInput(kind, name, request.input), machine, {
        ...place,
        labels: labels && allLabels(labels),
      }),
      labels,
    }
    // Running a nested program is not an effect itself; its requests are.
    if (runsProgram(name, request.input)) return callAtom(call)
    return atom.effects === 'pure' ? place.host.pure(call) : place.host.atom(call)
  }

  /** The step `toolCall`, whose tool name and input are computed. */
  async #callTool(given: Json, place: NestedPlace, labels?: EffectLabels): Promise<Outcome> {
    const { name, input } = given as { readonly name?: Json; readonly input?: Json }
    if (typeof name !== 'string' || !this.#parts.tools.includes(name)) {
      const named = typeof name === 'string' ? `"${name.slice(0, 60)}"` : 'without a name'
      return failed('TOOL_UNKNOWN', `There is no tool ${named} here. Grant it to the program.`)
    }
    return this.#count(name) ?? place.host.tool(name, input ?? {}, place.signal, labels && inputLabels(labels))
  }

  #call(atom: AnyAtom, input: Json, machine: Machine, place: NestedPlace): AtomCall {
    const { options, read, clock, procedures } = this.#parts
    const context: Omit<AtomContext, 'signal' | 'op'> = {
      capabilities: read.capabilities,
      context: read.context,
      procedures,
      now: () => place.host.now(),
      random: () => this.#session.draw(place.labels ?? []),
      warn: (message) => void this.#session.warnings.push(message),
      fuelLeft: () => fuelLeft(machine),
      runInside: (program, args, more) => this.#runInside(program, args, { machine, place, fuel: more?.fuel }),
    }
    const timeoutMs = options.timeoutOverrides?.[atom.op] ?? atom.timeoutMs
    return { atom, input, timeoutMs, clock, signal: place.signal, context, spend: (fuel) => spend(machine, fuel) }
  }

  async #runInside(
    program: Json,
    args: Json,
    inside: { readonly machine: Machine; readonly place: NestedPlace; readonly fuel?: number | undefined },
  ): Promise<Json> {
    const { machine, place } = inside
    const depth = place.depth + 1
    if (depth > NESTING_MAX)
      throw new MandateError('LIMIT_EXCEEDED', `Programs run each other ${NESTING_MAX} deep at most.`)
    const fuel = Math.min(inside.fuel ?? Number.POSITIVE_INFINITY, fuelLeft(machine))
    const result = await this.#session.run(() => program as JsonObject, args, {
      ...place,
      host: place.host.nested(),
      fuel,
      depth,
    })
    spend(machine, result.fuelUsed)
    if (result.labels !== undefined) this.#followed.noteStored(Object.values(result.labels).flat())
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

/** The request port of one machine. */
class MachinePort implements RequestPort {
  #machine: Machine | undefined
  readonly #requests: RequestPerformer
  readonly #place: RunPlace & { readonly host: EffectHost }

  constructor(requests: RequestPerformer, place: RunPlace & { readonly host: EffectHost }) {
    this.#requests = requests
    this.#place = place
  }

  answers(machine: Machine): void {
    this.#machine = machine
  }

  async perform(request: VmRequest, signal: AbortSignal): Promise<Outcome> {
    // The request is made in the middle of a turn; the fuel left is known only after it.
    await Promise.resolve()
    return this.#requests.perform(request, this.#machine!, { ...this.#place, signal })
  }
}

/** The fuel left of a waiting machine. */
function fuelLeft({ state }: Machine): number {
  return Math.max(0, state.reserve + state.fuel) / UNITS_PER_FUEL
}

/** Charges fuel to a waiting machine; a negative balance stops it at its next step. */
function spend({ state }: Machine, fuel: number): void {
  state.credit(fuel)
  state.fuel -= Math.ceil(fuel * UNITS_PER_FUEL)
}

/** Whether an atom call runs a nested program. */
function runsProgram(op: string, input: Json): boolean {
  if (op === 'runCode') return true
  const agentId = op === 'agentRun' ? (input as { readonly agentId?: Json }).agentId : undefined
  return (
    (typeof agentId === 'object' && agentId !== null) || (typeof agentId === 'string' && agentId.startsWith('proc_'))
  )
}

function failed(code: 'LIMIT_EXCEEDED' | 'NOT_FOUND' | 'TOOL_UNKNOWN', message: string): Outcome<never> {
  return { status: 'failed', error: { code, message } }
}
