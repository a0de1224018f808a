import { MandateError } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { END } from '../blueprint/blueprint.ts'
import type { Write } from './channels/channel.ts'
import type { CompiledGraph, CompiledNode } from './compiled-graph.ts'
import { isFailure } from './node-result.ts'
import type { Activation, NodeFailure, NodeResult, Target } from './node-result.ts'
import { asksRouter, targetsOf } from './routes.ts'
import { WaitingJoins } from './joins.ts'

/** The result of one activation. */
export interface Finished {
  readonly activation: Activation
  readonly result: NodeResult | NodeFailure
}

/** A change of the state from outside. */
export interface StateUpdate {
  readonly update: JsonObject
  /** As if this node had written it: its successors run next. By default the planned nodes still do. */
  readonly asNode?: string | undefined
}

/**
 * The supersteps of a graph as pure logic: given the results of a step's nodes, it folds the state and determines what runs next. Because it depends
 * only on its inputs, a run is resumed, replayed and inspected by feeding it the journal.
 */
export class Machine {
  readonly graph: CompiledGraph
  readonly #joins: WaitingJoins
  readonly #visits = new Map<string, number>()
  #kept: { readonly [channel: string]: Json | undefined }
  #state: JsonObject
  /** The values of untracked channels. */
  #volatile: { readonly [channel: string]: Json | undefined }
  /** The writes of this step's activations to untracked channels, by their keys. */
  readonly #remembered = new Map<string, JsonObject>()
  #finished: readonly Finished[] = []
  /** The step of `active`, from 1. */
  step = 1
  active: readonly Activation[] = []

  constructor(graph: CompiledGraph, input: JsonObject) {
    this.graph = graph
    this.#joins = new WaitingJoins(graph)
    const kept: { [channel: string]: Json | undefined } = {}
    const state: { [channel: string]: Json } = {}
    const volatile: { [channel: string]: Json | undefined } = {}
    for (const [name, channel] of graph.channels) {
      if (channel.isUntracked === true) {
        if (channel.initial !== undefined) volatile[name] = channel.initial
        continue
      }
      kept[name] = channel.initial
      const seen = channel.view?.(channel.initial) ?? channel.initial
      if (seen !== undefined) state[name] = seen
    }
    this.#kept = kept
    this.#volatile = volatile
    this.#state = Object.freeze(state)
    this.#write(Object.entries(input).map(([channel, value]) => [channel, { node: 'input', value }]))
    this.#activate([graph.blueprint.start])
  }

  /** The state that routes read and snapshots contain. */
  get state(): JsonObject {
    return this.#state
  }

  /** The state that nodes read, including untracked channels. */
  get view(): JsonObject {
    if (Object.keys(this.#volatile).length === 0) return this.#state
    return Object.freeze({ ...this.#state, ...this.#volatile }) as JsonObject
  }

  get isOver(): boolean {
    return this.active.length === 0
  }

  /** The output of the graph: its declared fields, or the whole state. */
  get output(): JsonObject {
    const { output } = this.graph.blueprint
    if (output === undefined) return this.#state
    return Object.fromEntries(
      output.flatMap(({ name }) => (this.#state[name] === undefined ? [] : [[name, this.#state[name]]])),
    )
  }

  /** Waiting joins. */
  get waiting(): WaitingJoins['waiting'] {
    return this.#joins.waiting
  }

  /** How often a node has been activated, including this step. */
  visits(node: string): number {
    return this.#visits.get(node) ?? 0
  }

  node(name: string): CompiledNode {
    return this.graph.nodes.get(name)!
  }

  /** Keeps an activation's writes to untracked channels until the step is folded, because the journal does not have them. */
  remember({ key }: Activation, values: JsonObject): void {
    this.#remembered.set(key, values)
  }

  /** The writes of an activation, by channel. */
  written({ node: name, item }: Activation, result: NodeResult, state: JsonObject = this.#state): JsonObject {
    const node = this.node(name)
    const value = resultOf(result)
    const sight = { state, result: value, item }
    const written = new Map<string, Json>()
    if (node.writes !== undefined && result.result !== undefined) written.set(node.writes, value)
    for (const [channel, given] of Object.entries(result.update ?? {})) written.set(channel, given)
    for (const { channel, value: given } of node.updates)
      written.set(channel, typeof given === 'function' ? given(sight) : given)
    return Object.fromEntries(written)
  }

  /** Folds the results of a step, given in the order of the active set. Returns the activations whose routers must be called next. */
  fold(results: readonly (NodeResult | NodeFailure)[]): readonly Finished[] {
    const before = this.#state
    const finished = this.active.map((activation, index) => ({ activation, result: results[index]! }))
    this.#write(finished.flatMap((one) => this.#writesOf(one, before)))
    this.#remembered.clear()
    this.#finished = finished
    return finished.filter(({ activation, result }) => asksRouter(this.node(activation.node), result))
  }

  /** Advances to the next step. `chosen` has the choices of routers, by the keys of their activations. */
  advance(chosen: ReadonlyMap<string, readonly Target[]> = new Map()): void {
    const targets: Target[] = []
    for (const { activation, result } of this.#finished) {
      const node = this.node(activation.node)
      const sight = { state: this.#state, result: resultOf(result), item: activation.item }
      targets.push(...targetsOf(this.graph, node, { result, chosen: chosen.get(activation.key), sight }))
      if (!isFailure(result)) this.#joins.arrive(activation.node)
    }
    this.#finished = []
    this.#go(targets)
  }

  /** Applies a change from outside, before the nodes of this step run. `chosen` is the choice of the router of `asNode`, if it has one. */
  apply({ update, asNode }: StateUpdate, chosen?: readonly Target[]): void {
    const node = asNode ?? 'update'
    this.#write(Object.entries(update).map(([channel, value]) => [channel, { node, value }]))
    if (asNode === undefined) return
    const sight = { state: this.#state, result: update }
    const targets = targetsOf(this.graph, this.node(asNode), { result: { result: update }, chosen, sight })
    this.#joins.arrive(asNode)
    for (const { node: name } of this.active) this.#visits.set(name, this.visits(name) - 1)
    this.step -= 1
    this.#go(targets)
  }

  #go(targets: readonly Target[]): void {
    const plain = new Set<string>()
    const next = targets.filter((target) => {
      if (typeof target !== 'string') return true
      if (target === END || plain.has(target)) return false
      plain.add(target)
      return true
    })
    const released = this.#joins.release(next.map((target) => (typeof target === 'string' ? target : target.to)))
    this.step += 1
    this.#activate([...next, ...released.filter((name) => name !== END && !plain.has(name))])
  }

  #activate(targets: readonly Target[]): void {
    const counts = new Map<string, number>()
    this.active = targets.map((target): Activation => {
      const node = typeof target === 'string' ? target : target.to
      const count = (counts.get(node) ?? 0) + 1
      counts.set(node, count)
      this.#visits.set(node, this.visits(node) + 1)
      const key = `node:${node}:${this.step}${count === 1 ? '' : `:${count}`}`
      return { node, step: this.step, key, ...(typeof target === 'string' ? {} : { item: target.input }) }
    })
  }

  #writesOf({ activation, result }: Finished, state: JsonObject): readonly (readonly [string, Write])[] {
    if (isFailure(result)) return []
    const { node, key } = activation
    const all = { ...this.written(activation, result, state), ...this.#remembered.get(key) }
    return Object.entries(all).map(([channel, value]) => [channel, { node, value }])
  }

  #write(writes: readonly (readonly [string, Write])[]): void {
    const byChannel = new Map<string, Write[]>()
    for (const [channel, write] of writes) {
      const known = byChannel.get(channel)
      if (known === undefined) byChannel.set(channel, [write])
      else known.push(write)
    }
    const kept = { ...this.#kept }
    const volatile = { ...this.#volatile }
    const state: { [channel: string]: Json } = { ...this.#state }
    const show = (name: string, value: Json | undefined): void => {
      if (value === undefined) delete state[name]
      else state[name] = value
    }
    for (const [name, channel] of this.graph.channels)
      if (channel.isEphemeral === true && !byChannel.has(name)) show(name, (kept[name] = undefined))
    for (const [name, list] of byChannel) {
      const channel = this.graph.channels.get(name)
      if (channel === undefined)
        throw new MandateError(
          'INPUT_INVALID',
          `Node "${list[0]!.node}" wrote to "${name}", which is no channel of the graph.`,
        )
      if (channel.isUntracked === true) {
        volatile[name] = channel.fold(volatile[name], list, name)
        continue
      }
      kept[name] = channel.fold(kept[name], list, name)
      show(name, channel.view === undefined ? kept[name] : channel.view(kept[name]))
    }
    this.#kept = kept
    this.#volatile = volatile
    this.#state = Object.freeze(state)
  }
}

function resultOf(result: NodeResult | NodeFailure): Json {
  if (isFailure(result)) return { error: { code: result.failed.code, message: result.failed.message } }
  return result.result ?? result.update ?? null
}
