import { MandateError, checkName, nearest } from '../../core/index.ts'
import { isForbidden } from '../../expr/index.ts'
import { END, FAILED } from '../blueprint/blueprint.ts'
import type { Blueprint, ChannelBlueprint, FieldBlueprint, NodeBlueprint } from '../blueprint/blueprint.ts'
import type { DraftNode, GraphDraft } from './define-graph.ts'
import { channelIn } from './graph-code.ts'

const NODE_NAME = /^[A-Za-z_][\w.-]*$/u

/** The blueprint of a graph built in TypeScript. Throws if it cannot run. */
export function blueprintOf(draft: GraphDraft): Blueprint {
  const { options, edges, joins, nodes, start } = draft
  const { name, maxSteps, maxVisits, maxConcurrency, timeoutMs, retry, checkpoint } = options
  checkName(name, 'The name of a graph')
  if (start === undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      `The graph "${name}" has no start. Name its first node with \`.start(...)\`.`,
    )
  const known = [...nodes.keys()]
  checkNames(draft, [
    start,
    ...edges.flatMap(({ from, to }) => [from, to]),
    ...joins.flatMap(({ sources, to }) => [...sources, to]),
  ])
  const defaults = defined({ maxSteps, maxVisits, maxConcurrency, timeoutMs, retry })
  return {
    blueprint: 1,
    name,
    start,
    nodes: known.map((node) => nodeOf(draft, node, nodes.get(node)!)),
    channels: Object.keys(options.state).map((channel) => channelOf(draft, channel)),
    edges,
    joins,
    ...fieldsOf('input', options.input),
    ...fieldsOf('output', options.output),
    ...(Object.keys(defaults).length === 0 ? {} : { defaults }),
    ...(checkpoint === undefined ? {} : { checkpoint }),
    provenance: { origin: 'code' },
  }
}

function fieldsOf(field: 'input' | 'output', names: readonly string[] | undefined): Partial<Blueprint> {
  if (names === undefined) return {}
  return { [field]: names.map((name): FieldBlueprint => ({ name, type: 'any' })) }
}

function channelOf({ options }: GraphDraft, name: string): ChannelBlueprint {
  checkFree(name, 'channel')
  const { reducer, args, initial, reduce } = channelIn(options.state[name]!)
  return {
    name,
    reducer,
    args: reduce === undefined ? args : [`channel:${name}`],
    ...(initial === undefined ? {} : { initial }),
  }
}

/** Refuses names that no expression may use, as in text and JSON: one of them would change the prototype of the state. */
function checkFree(name: string, what: string): void {
  if (isForbidden(name))
    throw new MandateError('CONFIG_INVALID', `A ${what} is called "${name}", which is reserved. Choose another name.`)
}

function nodeOf(draft: GraphDraft, name: string, node: DraftNode): NodeBlueprint {
  checkFree(name, 'node')
  if (!NODE_NAME.test(name) || name === END)
    throw new MandateError(
      'CONFIG_INVALID',
      `A node is called "${name}". Use letters, digits, "_", "-" and "."; "${END}" is the end of a graph.`,
    )
  const { definition, options, router, routes = [], ends } = node
  const { onError, ...rest } = options
  const failing = onError === undefined ? [] : [{ label: FAILED, to: onError }]
  const all = [...routes, ...failing]
  checkNames(draft, [...all.map(({ to }) => to), ...(ends ?? []), ...(rest.ends ?? [])])
  const reachable = ends ?? rest.ends
  return {
    name,
    ...definition.spec,
    ...defined(rest),
    ...(router === undefined ? {} : { router }),
    ...(all.length === 0 ? {} : { routes: all }),
    ...(reachable === undefined ? {} : { ends: reachable }),
  }
}

function checkNames({ nodes, options }: GraphDraft, names: readonly string[]): void {
  const known = [...nodes.keys()]
  for (const name of names) {
    if (name === END || nodes.has(name)) continue
    const near = nearest(name, known)
    const hint = near === undefined ? `Nodes: ${known.join(', ') || 'none'}.` : `Did you mean "${near}"?`
    throw new MandateError(
      'CONFIG_INVALID',
      `The graph "${options.name}" names "${name}", which is no node of it. ${hint}`,
    )
  }
}

function defined<T extends object>(given: T): Partial<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>
}
