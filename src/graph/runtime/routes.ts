import { MandateError, isRecord, nearest } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { END, FAILED } from '../blueprint/blueprint.ts'
import type { CompiledGraph, CompiledNode } from './compiled-graph.ts'
import type { Sight } from './expressions.ts'
import { isFailure } from './node-result.ts'
import type { NodeFailure, NodeResult, Target } from './node-result.ts'

/** Whether a failure of this node has its own route. */
export function catchesFailure({ routes }: CompiledNode): boolean {
  return routes.some(({ label }) => label === FAILED)
}

/** Whether the router of the node decides where the run goes after this result. */
export function asksRouter({ spec }: CompiledNode, result: NodeResult | NodeFailure): boolean {
  return spec.router !== undefined && spec.kind !== 'router' && !isFailure(result) && result.goto === undefined
}

/** How a node was left: its result, and the choice of its router after the step. */
interface Leaving {
  readonly result: NodeResult | NodeFailure
  readonly chosen?: readonly Target[] | undefined
  readonly sight: Sight
}

/** The successors of a node. */
export function targetsOf(graph: CompiledGraph, node: CompiledNode, leaving: Leaving): readonly Target[] {
  const { result } = leaving
  if (isFailure(result)) return afterFailure(node, result)
  if (result.goto !== undefined) return result.goto
  const sent = sentBy(node, leaving.sight)
  return [...waysOut(graph, node, leaving), ...sent]
}

/** The failure route's node is sent the error. */
function afterFailure(node: CompiledNode, { failed: { code, message } }: NodeFailure): readonly Target[] {
  const input = { node: node.name, error: { code, message } }
  return labelled(node, FAILED).map((to) => (to === END ? END : { to, input }))
}

function waysOut(graph: CompiledGraph, node: CompiledNode, { result, chosen, sight }: Leaving): readonly Target[] {
  const { routes, edges, spec } = node
  if (spec.command?.goto !== undefined) return [spec.command.goto]
  const choice =
    chosen ??
    (spec.kind === 'router' && spec.router !== undefined ? choiceOf((result as NodeResult).result ?? null) : undefined)
  if (choice !== undefined)
    return choice.flatMap((each): readonly Target[] => (typeof each === 'string' ? named(graph, node, each) : [each]))
  if (routes.length === 0) return edges
  const { label, result: value } = result as NodeResult
  const asked = label ?? (typeof value === 'string' ? value : undefined)
  const byLabel = asked === undefined ? [] : labelled(node, asked)
  if (byLabel.length > 0) return byLabel
  const met = routes.find(({ when }) => when !== undefined && truthy(when(sight)))
  if (met !== undefined) return [met.to]
  const otherwise = routes.find((route) => route.label === undefined && route.when === undefined)
  if (otherwise !== undefined) return [otherwise.to]
  // Only failures have a route.
  if (routes.every((route) => route.label === FAILED)) return edges
  throw new MandateError(
    'NOT_FOUND',
    `No route of node "${node.name}" fits ${asked === undefined ? 'its result' : `"${asked.slice(0, 60)}"`}. Labels: ${labelsOf(node)}. Add a route for it, or one with neither a label nor a condition.`,
  )
}

/** The choice of a router, as a list. */
export function choiceOf(value: Json): readonly Target[] {
  return [value].flat() as unknown as readonly Target[]
}

function truthy(value: Json): boolean {
  return value !== null && value !== false && value !== 0 && value !== ''
}

function labelled({ routes }: CompiledNode, asked: string): readonly string[] {
  return routes.flatMap(({ label, to }) => (label === asked ? [to] : []))
}

/** The targets for a label of the node's routes, or for the name of a node. */
function named(graph: CompiledGraph, node: CompiledNode, name: string): readonly string[] {
  const found = labelled(node, name)
  if (found.length > 0) return found
  if (name === END || node.leadsTo.has(name)) return [name]
  const otherwise = node.routes.find((route) => route.label === undefined && route.when === undefined)
  if (otherwise !== undefined) return [otherwise.to]
  if (graph.nodes.has(name)) throw undeclared(node, name, { who: `The router of node "${node.name}"`, index: 0 })
  throw new MandateError(
    'NOT_FOUND',
    `The router of node "${node.name}" chose "${name}", which is neither a label of its routes nor a node. Labels: ${labelsOf(node)}.`,
  )
}

function labelsOf({ routes }: CompiledNode): string {
  return routes.flatMap(({ label }) => label ?? []).join(', ') || 'none'
}

function sentBy(node: CompiledNode, sight: Sight): readonly Target[] {
  return node.sends.flatMap(({ to, input, list }): readonly Target[] => {
    if (list === undefined) return [{ to, input: input ?? null }]
    const items = list(sight)
    if (!Array.isArray(items))
      throw new MandateError('EXPR_FAILED', `\`each\` of node "${node.name}" gave no list. It must give one.`)
    const shared = isRecord(input) ? input : undefined
    return (items as readonly Json[]).map((item) => ({ to, input: shared === undefined ? item : { ...shared, item } }))
  })
}

/** Throws unless a command or a router of the node may go to these targets. */
export function checkTargets(
  { nodes }: CompiledGraph,
  node: CompiledNode,
  { targets, who }: { readonly targets: readonly Target[]; readonly who: string },
): void {
  for (const [index, target] of targets.entries()) {
    const name: unknown = typeof target === 'string' ? target : target?.to
    if (typeof name === 'string') {
      if (node.leadsTo.has(name) || (name === END && typeof target === 'string')) continue
      if (nodes.has(name)) throw undeclared(node, name, { who, index })
    }
    const near = typeof name === 'string' ? nearest(name, [...nodes.keys(), END]) : undefined
    const hint = near === undefined ? `Nodes: ${[...nodes.keys()].join(', ')}, or ${END}.` : `Did you mean "${near}"?`
    throw new MandateError(
      'INPUT_INVALID',
      `${who} goes to ${JSON.stringify(name ?? null)}, which is no node. ${hint}`,
      {
        info: { path: `/goto/${index}` },
      },
    )
  }
}

/** The error for an undeclared target, on whose absence joins rely. */
function undeclared(
  node: CompiledNode,
  name: string,
  { who, index }: { readonly who: string; readonly index: number },
): MandateError {
  const known = [...node.leadsTo, END].join(', ')
  return new MandateError(
    'INPUT_INVALID',
    `${who} goes to "${name}", which is not among the nodes it declares: ${known}. Add it to \`ends\` of the node, to the targets of its route function, or to its routes.`,
    { info: { path: `/goto/${index}` } },
  )
}
