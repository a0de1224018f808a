import { MandateError, errorInfo, freezeDeep, isRecord, messageOf, toPlain } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { MindStop, Slots } from '../../run/index.ts'
import type { Mind, Registry, Resources, RunContext } from '../../run/index.ts'
import type { Mandate } from '../../gate/index.ts'
import type { Blueprint } from '../blueprint/blueprint.ts'
import { inputSchemaOf, outputSchemaOf } from '../blueprint/field-schema.ts'
import { blueprintHash } from '../blueprint/hash.ts'
import type { GraphRegistry } from '../registry/graph-registry.ts'
import { activate, nodeError } from './activation.ts'
import type { Running } from './activation.ts'
import { compileGraph } from './compiled-graph.ts'
import type { CompiledGraph, GraphFunctions } from './compiled-graph.ts'
import { Machine } from './machine.ts'
import type { Finished, StateUpdate } from './machine.ts'
import { noteGraph } from './nodes/registered-graphs.ts'
import type { NodeFunction } from './nodes/code-node.ts'
import { isFailure } from './node-result.ts'
import type { NodeFailure, NodeResult, Target } from './node-result.ts'
import { asksRouter, catchesFailure, checkTargets, choiceOf } from './routes.ts'
import { readUpdate } from './state-update.ts'
import { checkInput } from './value-check.ts'

/** The version of the semantics of graph runs, pinned by them. */
const GRAPH_BUILD = 1

type Pins = { readonly graph: number; readonly blueprint: Blueprint; readonly hash: string }

/** A graph with its functions in this process. */
export interface GraphParts {
  readonly blueprint: Blueprint
  readonly functions: GraphFunctions
  /** The functions of its nodes of kind `code`. */
  readonly nodes?: ReadonlyMap<string, NodeFunction> | undefined
  readonly resources?: Resources | undefined
  readonly mandate?: Mandate | undefined
}

/** Wraps a graph as a mind. Its structure is pinned: a resumed run continues with the one it started with. */
export function graphMind(parts: GraphParts, registry: Registry, names: GraphRegistry): Mind {
  const { blueprint, functions, nodes, resources, mandate } = parts
  const own = compileGraph(blueprint, functions)
  const plain = JSON.parse(JSON.stringify(blueprint)) as Blueprint
  const pins: Pins = freezeDeep({ graph: GRAPH_BUILD, blueprint: plain, hash: blueprintHash(blueprint) })
  const pinned = (context: RunContext): CompiledGraph => {
    const { mind } = context.pins as unknown as { readonly mind: Pins }
    // The labels of the graph's text apply to all its effects.
    context.admit(mind.blueprint.provenance?.labels ?? [])
    return mind.hash === pins.hash ? own : compileGraph(mind.blueprint, functions)
  }
  const start = (input: Json, context: RunContext): Promise<Json> => {
    const graph = pinned(context)
    const lanes = new Slots(graph.maxConcurrency)
    const machine = new Machine(graph, checkInput(graph, input))
    const running = { graph, lanes, machine, functions, names, registry, context }
    return runGraph({ ...running, function: (name) => nodes?.get(name) })
  }
  const mind: Mind = {
    kind: 'graph',
    name: blueprint.name,
    ...(mandate === undefined ? {} : { mandate }),
    ...(resources === undefined ? {} : { resources }),
    facts: () => ({
      description: blueprint.description,
      inputSchema: inputSchemaOf(blueprint),
      outputSchema: outputSchemaOf(blueprint),
    }),
    pins: () => pins as unknown as Json,
    checkPins: (all) => checkPins((all as unknown as { readonly mind: Pins }).mind, pins),
    readEdit: (edit) => checkInput(own, edit),
    start,
  }
  noteGraph(mind, { graph: own, functions, hash: pins.hash })
  return mind
}

/** Functions are not journaled: a run of a graph with functions can continue only with the structure to which these functions belong. */
function checkPins(then: Pins, now: Pins): void {
  if (then.graph !== GRAPH_BUILD)
    throw new MandateError(
      'VERSION_UNSUPPORTED',
      `The run began with version ${then.graph} of graphs; this is ${GRAPH_BUILD}. Resume it with the version of mandate that wrote it.`,
    )
  const hasCode = [then, now].some(({ blueprint }) => blueprint.nodes.some(({ kind }) => kind === 'code'))
  if (then.hash === now.hash || !hasCode) return
  throw new MandateError(
    'VERSION_UNSUPPORTED',
    `The run began with another structure of the graph "${now.blueprint.name}" (${then.hash.slice(0, 12)}, now ${now.hash.slice(0, 12)}), and its functions are in the code. Register the graph as it was to resume the run, or start a new one.`,
    { info: { then: then.hash, now: now.hash } },
  )
}

/** Executes superstep after superstep, until there is nothing left to run. */
async function runGraph(running: Running): Promise<Json> {
  const { machine } = running
  tell(running, { mode: 'values', step: 0, values: machine.state })
  try {
    for (;;) {
      await applySteering(running)
      if (machine.isOver) return machine.output
      await superstep(running)
    }
  } catch (error) {
    if (error instanceof MindStop) throw error
    const { code, message, info } = errorInfo(error, 'MIND_FAILED')
    throw new MindStop(code, message, machine.output, info === undefined ? undefined : toPlain(info).value)
  }
}

async function superstep(running: Running): Promise<void> {
  const { machine } = running
  const { step, active } = machine
  checkLimits(running)
  tell(running, { mode: 'debug', type: 'step', step, nodes: active.map(({ node }) => node) })
  const results = await Promise.all(active.map((activation) => activate(running, activation)))
  const lost = results.findIndex((result, at) => isFailure(result) && !catchesFailure(machine.node(active[at]!.node)))
  if (lost >= 0) throw nodeError(active[lost]!, results[lost] as NodeFailure)
  const asked = machine.fold(results)
  tellResults(running, results)
  machine.advance(await choices(running, asked))
  tell(running, { mode: 'values', step, values: machine.state })
}

function checkLimits({ machine, graph, context }: Running): void {
  const { step, active } = machine
  const { name } = graph.blueprint
  const stop = (code: 'STEPS_EXHAUSTED', message: string): never => {
    throw new MindStop(code, message, machine.output, { step, next: active.map(({ node }) => node) })
  }
  if (step > graph.maxSteps)
    stop(
      'STEPS_EXHAUSTED',
      `The graph "${name}" did not end within ${graph.maxSteps} steps. Raise \`maxSteps\` in its defaults, or look at the loop it is in: next is ${active.map(({ node }) => `"${node}"`).join(', ')}.`,
    )
  for (const { node } of active) {
    const { maxVisits } = machine.node(node)
    if (maxVisits !== undefined && machine.visits(node) > maxVisits)
      stop(
        'STEPS_EXHAUSTED',
        `Node "${node}" of the graph "${name}" was to run more than ${maxVisits} times. Raise its \`maxVisits\`, or let its loop end earlier.`,
      )
  }
  const refused = context.step()
  if (refused?.status === 'failed')
    throw new MindStop(refused.error.code, refused.error.message, machine.output, refused.error.info as Json)
}

/** The choices of routers, which are journaled and not made again. */
async function choices(running: Running, asked: readonly Finished[]): Promise<ReadonlyMap<string, readonly Target[]>> {
  const chosen = asked.map(async ({ activation, result }): Promise<readonly [string, readonly Target[]]> => {
    const { result: value, update } = result as NodeResult
    const key = activation.key.replace('node:', 'route:')
    return [activation.key, await choose(running, { key, node: activation.node, result: value ?? update ?? null })]
  })
  return new Map(await Promise.all(chosen))
}

interface Choosing {
  readonly key: string
  readonly node: string
  readonly result: Json
}

async function choose(running: Running, { key, node: name, result }: Choosing): Promise<readonly Target[]> {
  const { machine, functions, context, graph } = running
  const { spec } = machine.node(name)
  const route = functions.router(spec.router!)
  if (route === undefined)
    throw new MandateError(
      'NOT_FOUND',
      `Node "${name}" names the router "${spec.router!}", which is not registered here. Register it, then resume the run.`,
    )
  const choice = await context.record(key, async () => {
    const given = choiceOf(toPlain(await route(machine.state, result)).value)
    const targets = given.filter((each) => typeof each !== 'string')
    checkTargets(graph, machine.node(name), { targets, who: `The router of node "${name}"` })
    return given
  })
  return choiceOf(choice)
}

/** Applies the changes that were sent to the run since the last step. */
async function applySteering(running: Running): Promise<void> {
  const { machine, context, graph } = running
  await context.task(`step:${machine.step}`, async (strand) => {
    for (const said of strand.steering()) {
      const read = readUpdate(graph, said)
      if ('problem' in read) context.emit('handler-error', { where: 'steering', message: read.problem })
      else
        await applyUpdate({ ...running, context: strand }, read).catch((error: unknown) =>
          reportRefusedUpdate(running, read, error),
        )
    }
  })
}

/** An invalid message is reported, which need not fail the run; an unknown node to continue from fails it. */
function reportRefusedUpdate({ context }: Running, { asNode }: StateUpdate, error: unknown): void {
  if (asNode !== undefined) throw error
  context.emit('handler-error', { where: 'steering', message: messageOf(error) })
}

async function applyUpdate(running: Running, update: StateUpdate): Promise<void> {
  const { machine } = running
  const { asNode } = update
  const asks = asNode !== undefined && asksRouter(machine.node(asNode), { result: update.update })
  machine.apply(update, asks ? await choose(running, { key: 'route', node: asNode, result: update.update }) : undefined)
  tell(running, { mode: 'values', step: machine.step - 1, values: machine.state })
}

function tellResults(running: Running, results: readonly (NodeResult | NodeFailure)[]): void {
  for (const [index, { node, step }] of running.machine.active.entries()) {
    const result = results[index]!
    if (isFailure(result)) {
      tell(running, { mode: 'debug', type: 'failed', node, step, error: { ...result.failed } as Json })
      continue
    }
    const { writes } = running.machine.node(node)
    const own = writes === undefined || result.result === undefined ? {} : { [writes]: result.result }
    const update = { ...own, ...(isRecord(result.update) ? result.update : {}) }
    tell(running, { mode: 'updates', node, step, update })
    tell(running, { mode: 'debug', type: 'result', node, step, result: result })
  }
}

function tell({ context }: Running, data: JsonObject): void {
  context.emit('graph', data)
}
