import { MandateError } from '../../core/index.ts'
import type { ErrorInfo, Json, JsonObject } from '../../core/index.ts'
import { foldRun, readAll } from '../../journal/index.ts'
import type { Entry, RunFold, RunSummary } from '../../journal/index.ts'
import { childId, kernelOf } from '../../run/index.ts'
import type { ApprovalRequest, Kernel } from '../../run/index.ts'
import type { Blueprint } from '../blueprint/blueprint.ts'
import { compileGraph } from './compiled-graph.ts'
import type { CompiledGraph } from './compiled-graph.ts'
import { Machine } from './machine.ts'
import { isFailure } from './node-result.ts'
import type { Activation, NodeFailure, NodeResult, Target } from './node-result.ts'
import { registeredGraph } from './nodes/registered-graphs.ts'
import { asksRouter, catchesFailure } from './routes.ts'
import { readUpdate } from './state-update.ts'
import { recordedChoice, recordedResult } from './step-record.ts'
import { checkInput } from './value-check.ts'

/** A question that waits for a person. */
interface GraphInterrupt {
  /** The id to answer by. */
  readonly id: string
  /** The asking run: this one, or one that a node of it started. */
  readonly run: string
  readonly reason: ApprovalRequest['reason']
  readonly text: string
  readonly input: Json
}

/** One node that runs next, or is running. */
interface GraphTask {
  readonly node: string
  /** The item that it was sent, if there is one. */
  readonly item?: Json | undefined
  readonly status: 'open' | 'done' | 'failed' | 'waiting'
  readonly error?: ErrorInfo | undefined
  readonly interrupts: readonly GraphInterrupt[]
}

/** The state of a run after a step, from its journal. */
export interface GraphState {
  readonly run: string
  /** The number of finished steps: 0 is the state with the input alone. */
  readonly step: number
  readonly values: JsonObject
  /** The nodes of the next step; none if the graph has finished. */
  readonly next: readonly string[]
  /** The same with their progress. */
  readonly tasks: readonly GraphTask[]
  /** Its cause: the input, a step, or an update from outside. */
  readonly source: 'input' | 'step' | 'update'
  /** The last entry on which it is based. */
  readonly seq: number
  /** The current state of the run. */
  readonly state: RunSummary['state']
}

/**
 * The current state of a graph run: the values of its channels, what runs next, and what waits for people. Read from the journal, whether the run is
 * live, suspended or over.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { getState } from 'mandate/graph'
 * async function show(service: AgentService, runId: string) {
 *   const { values, next, tasks } = await getState(service, runId)
 *   for (const { interrupts } of tasks) for (const { id, text } of interrupts) console.log(id, text)
 *   return { values, next }
 * }
 * ```
 */
export async function getState(host: object, runId: string): Promise<GraphState> {
  const kernel = kernelOf(host)
  const { states, fold } = await readHistory(kernel, runId)
  const last = states.at(-1)!
  const requests = await kernel.approvals(runId)
  if (requests.length === 0) return last.state
  const tasks = last.state.tasks.map((task, index) => {
    const interrupts = requests.filter((request) => isOf(request, { runId, fold, key: last.active[index]!.key }))
    return interrupts.length === 0 ? task : { ...task, status: 'waiting' as const, interrupts: interrupts.map(shown) }
  })
  return { ...last.state, tasks }
}

/**
 * Every state of a graph run, newest first: one for the input, one for each step, one for each update. `updateState` can continue from any of them.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { getStateHistory } from 'mandate/graph'
 * async function stepsOf(service: AgentService, runId: string) {
 *   const history = await getStateHistory(service, runId)
 *   return history.map(({ step, next }) => `${step}: ${next.join(', ')}`)
 * }
 * ```
 */
export async function getStateHistory(host: object, runId: string): Promise<readonly GraphState[]> {
  const { states } = await readHistory(kernelOf(host), runId)
  return states.map(({ state }) => state).toReversed()
}

interface Moment {
  readonly state: GraphState
  readonly active: readonly Activation[]
}

interface History {
  readonly fold: RunFold
  readonly graph: CompiledGraph
  /** The recorded results of the nodes whose failure ended the run, and the last entry among them. */
  readonly failed: { readonly keys: readonly string[]; readonly seq: number } | undefined
  readonly states: readonly Moment[]
}

/** Reconstructs the states of a run from its journal. Nothing is executed. */
export async function readHistory(kernel: Kernel, runId: string): Promise<History> {
  const entries = await readAll(kernel.journal, runId)
  if (entries.length === 0)
    throw new MandateError('NOT_FOUND', `There is no run "${runId}". List the runs to see what there is.`)
  const fold = foldRun(entries)
  const start = fold.start!
  if (start.mind !== 'graph')
    throw new MandateError(
      'INPUT_INVALID',
      `Run "${runId}" is a run of the ${start.mind} "${start.name}", not of a graph.`,
    )
  const graph = graphOfRun(kernel, start.name, start.pins)
  const states = new Walk(runId, graph, fold).states()
  const failed = fold.state === 'failed' ? leftByFailed(entries, fold, states.at(-1)!) : undefined
  return { graph, fold, states, failed }
}

/** Results of nodes that succeeded in their only attempt are left out: they are not repeated. */
function leftByFailed(entries: readonly Entry[], fold: RunFold, { active, state }: Moment): History['failed'] {
  const failed = active.flatMap(({ key }, index) => (state.tasks[index]!.status === 'failed' ? [key] : []))
  if (failed.length === 0) return undefined
  const isLeft = (key: string, node: string): boolean => {
    if (!key.startsWith(`${node}/`)) return false
    const end = fold.effects.get(key)?.end
    const isDone =
      end?.data.outcome.status === 'ok' && key.startsWith(`${node}/run/`) && !fold.notes.has(`${node}/run#2`)
    return !isDone
  }
  const keys = entries.flatMap(({ key }) =>
    key !== undefined && failed.some((node) => isLeft(key, node)) ? [key] : [],
  )
  return { keys: [...new Set(keys)], seq: entries.at(-1)!.seq }
}

/** The graph with which a run started. */
function graphOfRun({ registry }: Kernel, name: string, pins: Json): CompiledGraph {
  const { mind } = pins as unknown as { readonly mind: { readonly blueprint: Blueprint; readonly hash: string } }
  const known = registeredGraph(registry, name)
  if (known?.hash === mind.hash) return known.graph
  return compileGraph(mind.blueprint, known?.functions ?? { router: () => undefined, reducer: () => undefined })
}

class Walk {
  readonly #run: string
  readonly #fold: RunFold
  readonly #machine: Machine
  readonly #states: Moment[] = []
  /** The results of the nodes of the last state. */
  #results: readonly ReturnType<typeof recordedResult>[] = []
  #seq = 1

  constructor(run: string, graph: CompiledGraph, fold: RunFold) {
    this.#run = run
    this.#fold = fold
    this.#machine = new Machine(graph, checkInput(graph, fold.start!.input))
  }

  states(): readonly Moment[] {
    this.#take('input')
    while (this.#next()) this.#take('step')
    return this.#states
  }

  /** Advances by one step; returns false at the end of the journal. */
  #next(): boolean {
    const machine = this.#machine
    this.#hear()
    if (machine.isOver) return false
    if (this.#results.some((result) => result === undefined)) return false
    const found = this.#results.map((result) => result!)
    const isLost = found.some(
      ({ value }, at) => isFailure(value) && !catchesFailure(machine.node(machine.active[at]!.node)),
    )
    if (isLost) return false
    try {
      const asked = machine.fold(found.map(({ value }) => value))
      const chosen = new Map<string, readonly Target[]>()
      for (const { activation } of asked) {
        const choice = recordedChoice(this.#fold, activation.key.replace('node:', 'route:'))
        if (choice === undefined) return false
        chosen.set(activation.key, choice.value)
        this.#saw(choice.seq)
      }
      machine.advance(chosen)
    } catch {
      // The step could not be folded: that is why the run failed.
      return false
    }
    for (const { seq } of found) this.#saw(seq)
    return true
  }

  #hear(): void {
    const machine = this.#machine
    const key = `step:${machine.step}`
    const said = this.#fold.messages.get(`${key}/steer`)
    if (said === undefined) return
    this.#saw(said.seq)
    for (const message of said.message as readonly Json[]) {
      const read = readUpdate(machine.graph, message)
      if ('problem' in read) continue
      const { asNode, update } = read
      const asks = asNode !== undefined && asksRouter(machine.node(asNode), { result: update })
      const choice = asks ? recordedChoice(this.#fold, `${key}/route`) : undefined
      try {
        machine.apply(read, choice?.value)
      } catch {
        continue
      }
      this.#saw(choice?.seq ?? 0)
      this.#take('update')
    }
  }

  #saw(seq: number): void {
    this.#seq = Math.max(this.#seq, seq)
  }

  #take(source: GraphState['source']): void {
    const machine = this.#machine
    const { active } = machine
    this.#results = active.map((activation) => recordedResult(this.#fold, activation, machine.node(activation.node)))
    const state: GraphState = {
      run: this.#run,
      step: machine.step - 1,
      values: machine.state,
      next: active.map(({ node }) => node),
      tasks: active.map((activation, index) => taskOf(activation, this.#results[index]?.value)),
      source,
      seq: this.#seq,
      state: this.#fold.state,
    }
    this.#states.push({ state, active })
  }
}

function taskOf({ node, item }: Activation, result: NodeResult | NodeFailure | undefined): GraphTask {
  const base = { node, ...(item === undefined ? {} : { item }), interrupts: [] }
  if (result === undefined) return { ...base, status: 'open' }
  return isFailure(result) ? { ...base, status: 'failed', error: result.failed } : { ...base, status: 'done' }
}

interface Place {
  readonly runId: string
  readonly fold: RunFold
  readonly key: string
}

/** Whether a request belongs to an activation: made by the activation itself, or by a run that it started. */
function isOf({ run, key }: ApprovalRequest, { runId, fold, key: own }: Place): boolean {
  if (run === runId) return key.startsWith(`${own}/`)
  for (const open of fold.openStarts) {
    const child = childId(runId, open)
    if (open.startsWith(`${own}/`) && (run === child || run.startsWith(`${child}.`))) return true
  }
  return false
}

function shown({ id, run, reason, text, input }: ApprovalRequest): GraphInterrupt {
  return { id, run, reason, text, input }
}
