import { MandateError, codeOf, describeOutcome, isRecord, toPlain } from '../../core/index.ts'
import type { Json, JsonObject, Outcome } from '../../core/index.ts'
import type { Effect } from '../../gate/index.ts'
import type { RunContext, Slots } from '../../run/index.ts'
import { agentInput, answerFrom } from './nodes/agent-input.ts'
import { textFrom } from './expressions.ts'
import type { CatalogKind } from '../blueprint/blueprint.ts'
import type { GraphRegistry } from '../registry/graph-registry.ts'
import type { Activation } from './node-result.ts'

/**
 * The context of a node's function. All its effects go through it: they pass the gate, draw on the budget of the run and are journaled. A function
 * that was interrupted is called again from its beginning; its recorded effects are then answered from the journal.
 */
export interface GraphContext {
  readonly runId: string
  readonly node: string
  /** The superstep, from 1. */
  readonly step: number
  /** The item that the node was sent; `undefined` if it was reached by an edge. */
  readonly item: Json | undefined
  /** Aborts when the run is cancelled or has reached its time limit. */
  readonly signal: AbortSignal
  /** Performs an effect and returns its outcome as data. */
  perform(effect: Effect): Promise<Outcome<Json>>
  /** Calls a tool and returns its value; throws if there is none, which fails the node. */
  tool(name: string, input?: unknown): Promise<Json>
  /** Gives an agent a task and returns its answer; throws if there is none. */
  agent(name: string, prompt: string): Promise<Json>
  /** Runs another graph and returns its output; throws if there is none. */
  graph(name: string, input?: unknown): Promise<Json>
  /**
   * Asks a person, and suspends the run until there is an answer. A text is the question; `{ text, choices }` offers answers; any other value is
   * shown as it is. Returns the answer; throws if the question is rejected.
   */
  interrupt(payload: unknown): Promise<Json>
  /** Waits durably. */
  sleep(ms: number): Promise<void>
  /** Emits an event to streams with the mode `custom`. */
  emit(data: unknown): void
  /** Opens a task with its own keys, for parallel work. */
  task<T>(name: string, work: (context: GraphContext) => Promise<T>): Promise<T>
  /** Executes work once: its result is journaled, so that it is not repeated with the node. */
  record<T extends Json | void>(name: string, work: (context: GraphContext) => T | Promise<T>): Promise<T>
  now(): number
  random(): number
}

/** The parts of a context. */
interface ContextParts {
  readonly context: RunContext
  readonly activation: Activation
  readonly lanes: Slots
  /** Resolves aliases: effects have registered names. */
  readonly names: Pick<GraphRegistry, 'find'>
}

export function graphContext(parts: ContextParts): GraphContext {
  const { context, activation, lanes, names } = parts
  const named = (kind: CatalogKind, name: string): string => names.find(kind, name) ?? name
  const below = (strand: RunContext): GraphContext => graphContext({ ...parts, context: strand })
  return {
    runId: context.runId,
    node: activation.node,
    step: activation.step,
    item: activation.item,
    signal: context.signal,
    perform: (effect) => context.perform(effect),
    tool: async (name, input = {}) =>
      valueOf(await context.perform({ kind: 'tool', name: named('tool', name), input: plain(input), origin: 'graph' })),
    agent: async (name, prompt) =>
      answerFrom(
        valueOf(
          await context.perform({
            kind: 'agent',
            name: named('agent', name),
            input: agentInput(prompt),
            origin: 'graph',
          }),
        ),
      ),
    graph: async (name, input = {}) =>
      valueOf(
        await context.perform({ kind: 'graph', name: named('graph', name), input: plain(input), origin: 'graph' }),
      ),
    interrupt: (payload) => askPerson({ context, lanes, name: activation.node, payload: plain(payload) }),
    sleep: async (ms) => {
      const input = { until: context.now() + ms }
      valueOf(await lanes.outside(() => context.perform({ kind: 'sleep', name: 'sleep', input, origin: 'graph' })))
    },
    emit: (data) => {
      const { node, step } = activation
      context.emit('graph', { mode: 'custom', node, step, data: plain(data) })
    },
    task: (name, work) => context.task(name, (strand) => work(below(strand))),
    record: (name, work) => context.record(name, (strand) => work(below(strand)), { timeoutMs: Infinity }),
    now: () => context.now(),
    random: () => context.random(),
  }
}

interface Asking {
  readonly context: RunContext
  /** The slots of nodes, of which its own is released while it waits. */
  readonly lanes?: Slots | undefined
  /** The name of the question in the journal. */
  readonly name: string
  readonly payload: Json
  readonly key?: string | undefined
}

/** Asks a person; the node releases its slot while it waits. */
export async function askPerson({ context, lanes, name, payload, key }: Asking): Promise<Json> {
  const input = questionOf(payload)
  const ask = () => context.perform({ kind: 'question', name, input, key, origin: 'graph' })
  return valueOf(await (lanes === undefined ? ask() : lanes.outside(ask)))
}

function questionOf(payload: Json): JsonObject {
  if (isRecord(payload) && typeof payload['text'] === 'string') return payload
  if (typeof payload === 'string') return { text: payload }
  return { text: textFrom(payload), value: payload }
}

function plain(value: unknown): Json {
  return toPlain(value).value
}

/** The value of an outcome; throws if there is none, so that the node fails. */
export function valueOf(outcome: Outcome<Json>): Json {
  if (outcome.status === 'ok') return outcome.value
  const message = outcome.status === 'failed' ? outcome.error.message : describeOutcome(outcome)
  throw new MandateError(codeOf(outcome), message)
}
