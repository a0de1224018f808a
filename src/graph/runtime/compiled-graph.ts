import { MandateError } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { END, FAILED } from '../blueprint/blueprint.ts'
import type { Blueprint, NodeBlueprint, RetryBlueprint, SendBlueprint } from '../blueprint/blueprint.ts'
import type { GraphReducer } from '../registry/graph-registry.ts'
import { channelOf } from './channels/channel-kinds.ts'
import type { Channel } from './channels/channel.ts'
import { expressionOf } from './expressions.ts'
import type { Expression } from './expressions.ts'
import type { Target } from './node-result.ts'
import { fieldCheck } from './value-check.ts'
import type { ValueCheck } from './value-check.ts'

/** Decides where a run goes after a node: labels of its routes, names of nodes, or nodes with their own inputs. */
export type Router = (
  state: JsonObject,
  result: Json,
) => Target | readonly Target[] | Promise<Target | readonly Target[]>

/** The functions of a graph: its own, or those that the host has registered. */
export interface GraphFunctions {
  router(name: string): Router | undefined
  reducer(name: string): GraphReducer | undefined
  /** Validates a value that is written to a channel, in addition to the blueprint. */
  check?(channel: string): ValueCheck | undefined
  /** The parts of this node that are code instead of expressions or texts. */
  given?(node: string): GivenByCode | undefined
}

/** Parts of a node that are functions instead of expressions. */
export interface GivenByCode {
  readonly input?: ((state: JsonObject, item: Json | undefined) => unknown) | undefined
  readonly prompt?: ((state: JsonObject, item: Json | undefined) => string) | undefined
  /** Converts the result to an update. */
  readonly output?: ((result: Json, state: JsonObject) => unknown) | undefined
}

/** One route out of a node. */
interface CompiledRoute {
  readonly to: string
  readonly label?: string | undefined
  readonly when?: Expression | undefined
}

export interface CompiledNode {
  readonly name: string
  readonly spec: NodeBlueprint
  /** The channel of its result. */
  readonly writes: string | undefined
  readonly routes: readonly CompiledRoute[]
  /** Its successors if it has neither routes nor a command. */
  readonly edges: readonly string[]
  readonly sends: readonly (SendBlueprint & { readonly list?: Expression | undefined })[]
  readonly updates: readonly { readonly channel: string; readonly value: Json | Expression }[]
  readonly retry: RetryBlueprint | undefined
  readonly timeoutMs: number | undefined
  readonly maxVisits: number | undefined
  readonly pause: 'before' | 'after' | undefined
  /** All nodes that it can start, other than through a join. The set is complete, so joins can determine which nodes can no longer run. */
  readonly leadsTo: ReadonlySet<string>
}

export interface Join {
  readonly sources: readonly string[]
  readonly to: string
}

/** A blueprint prepared for execution. */
export interface CompiledGraph {
  readonly blueprint: Blueprint
  readonly nodes: ReadonlyMap<string, CompiledNode>
  readonly channels: ReadonlyMap<string, Channel>
  readonly checks: ReadonlyMap<string, ValueCheck>
  readonly joins: readonly Join[]
  readonly maxSteps: number
  readonly maxConcurrency: number
  /** The channel of kind `messages` that models and tools use; `undefined` if there is none. */
  readonly conversation: string | undefined
}

const DEFAULT_MAX_STEPS = 50
const DEFAULT_CONCURRENCY = 8

/** Kinds whose result is written to a channel of their name by default. */
const WRITING: ReadonlySet<string> = new Set([
  'model',
  'agent',
  'tool',
  'subgraph',
  'subagent',
  'program',
  'repl_agent',
  'interrupt',
])

/** Prepares a blueprint for execution. Its references have been checked before; a missing reducer is refused here. */
export function compileGraph(blueprint: Blueprint, functions: GraphFunctions): CompiledGraph {
  const { defaults = {} } = blueprint
  const joins = joinsOf(blueprint)
  const channels = channelsOf(blueprint, functions)
  const nodes = new Map(blueprint.nodes.map((spec) => [spec.name, compileNode(blueprint, spec, { joins, functions })]))
  if (!nodes.has(blueprint.start))
    throw new MandateError(
      'CONFIG_INVALID',
      `The graph "${blueprint.name}" starts with "${blueprint.start}", which is no node of it.`,
    )
  return {
    blueprint,
    nodes,
    channels,
    checks: checksOf(blueprint, channels, functions),
    joins,
    maxSteps: defaults.maxSteps ?? DEFAULT_MAX_STEPS,
    maxConcurrency: defaults.maxConcurrency ?? DEFAULT_CONCURRENCY,
    conversation: conversationOf(channels),
  }
}

function joinsOf({ joins, nodes }: Blueprint): readonly Join[] {
  const own = nodes.flatMap(({ kind, name, sources }) =>
    kind === 'join' && sources !== undefined && sources.length > 0 ? [{ sources, to: name }] : [],
  )
  const known = new Set(joins.map(({ to }) => to))
  return [...joins, ...own.filter(({ to }) => !known.has(to))]
}

interface Surroundings {
  readonly joins: readonly Join[]
  readonly functions: GraphFunctions
}

function compileNode(blueprint: Blueprint, spec: NodeBlueprint, { joins, functions }: Surroundings): CompiledNode {
  const { defaults = {} } = blueprint
  const { name, kind } = spec
  const edges = blueprint.edges.flatMap(({ from, to }) => (from === name ? [to] : []))
  return {
    name,
    spec,
    writes: spec.writes ?? (WRITING.has(kind) ? name : undefined),
    routes: (spec.routes ?? []).map(({ to, label, when }) => ({
      to,
      label,
      when: when === undefined ? undefined : expressionOf(when, `a condition of node "${name}"`),
    })),
    edges: spec.next === undefined ? edges : [spec.next, ...edges],
    sends: (spec.sends ?? []).map((send) => ({
      ...send,
      list: send.each === undefined ? undefined : expressionOf(send.each, `\`each\` of node "${name}"`),
    })),
    updates: (spec.command?.update ?? []).map((update) => ({
      channel: update.channel,
      value: 'expr' in update ? expressionOf(update.expr, `an update of node "${name}"`) : update.value,
    })),
    retry: spec.retry ?? defaults.retry,
    timeoutMs: spec.timeoutMs ?? defaults.timeoutMs,
    maxVisits: spec.maxVisits ?? defaults.maxVisits,
    pause: spec.pause ?? blueprint.pause,
    leadsTo: new Set(
      leadsTo(blueprint, spec, { edges, joins, hasCode: functions.given?.(name)?.output !== undefined }),
    ),
  }
}

interface Ways {
  readonly edges: readonly string[]
  readonly joins: readonly Join[]
  /** Whether a function converts its result to an update or a command. */
  readonly hasCode: boolean
}

function leadsTo({ nodes }: Blueprint, spec: NodeBlueprint, { edges, joins, hasCode }: Ways): readonly string[] {
  const { name, next, routes = [], command, sends = [], ends, kind, router } = spec
  const ways = [
    ...edges,
    ...(next === undefined ? [] : [next]),
    ...routes.map(({ to }) => to),
    ...(command?.goto === undefined ? [] : [command.goto]),
    ...sends.map(({ to }) => to),
    ...(ends ?? []),
  ]
  // Code without declared targets may go anywhere. A route for failures is not such a declaration.
  const saysNothing = ends === undefined && ways.length === routes.filter(({ label }) => label === FAILED).length
  const isOpen = saysNothing && (kind === 'code' || router !== undefined || hasCode)
  const all = isOpen ? nodes.map((node) => node.name) : ways
  const waiting = joins.flatMap(({ sources, to }) => (sources.includes(name) ? [to] : []))
  return [...all, ...waiting].filter((to) => to !== END)
}

/** Declared channels, the fields of the state, and one for each node that writes to an undeclared channel. */
function channelsOf(blueprint: Blueprint, functions: GraphFunctions): ReadonlyMap<string, Channel> {
  const find = (name: string): GraphReducer | undefined => functions.reducer(name)
  const channels = new Map(blueprint.channels.map((channel) => [channel.name, channelOf(channel, find)]))
  const add = (name: string, reducer: string): void => {
    if (!channels.has(name)) channels.set(name, channelOf({ name, reducer, args: [] }, find))
  }
  for (const field of [...(blueprint.state ?? []), ...(blueprint.input ?? []), ...(blueprint.output ?? [])])
    add(field.name, 'last_value')
  const isSent = new Set(blueprint.nodes.flatMap(({ sends = [] }) => sends.map(({ to }) => to)))
  for (const { name, kind, writes, command, routes = [] } of blueprint.nodes) {
    if (kind === 'tool_executor' || routes.some(({ label }) => label === 'tool_call')) add('messages', 'messages')
    // The results of several runs of one node are collected in a list.
    if (WRITING.has(kind)) add(writes ?? name, isSent.has(name) ? 'topic' : 'last_value')
    else if (writes !== undefined) add(writes, 'last_value')
    for (const { channel } of command?.update ?? []) add(channel, 'last_value')
  }
  return channels
}

function checksOf(
  { state = [], input = [], output = [] }: Blueprint,
  channels: ReadonlyMap<string, Channel>,
  functions: GraphFunctions,
): ReadonlyMap<string, ValueCheck> {
  const checks = new Map<string, ValueCheck>()
  for (const field of [...output, ...input, ...state]) {
    const channel = channels.get(field.name)!
    const check = fieldCheck(field, channel.kind)
    if (check !== undefined) checks.set(field.name, check)
  }
  for (const name of channels.keys()) {
    const check = functions.check?.(name)
    if (check !== undefined) checks.set(name, check)
  }
  return checks
}

function conversationOf(channels: ReadonlyMap<string, Channel>): string | undefined {
  if (channels.get('messages')?.kind === 'messages') return 'messages'
  return [...channels].find(([, { kind }]) => kind === 'messages')?.[0]
}
