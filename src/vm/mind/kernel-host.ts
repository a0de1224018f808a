import { allLabels, controlLabels, errorInfo } from '../../core/index.ts'
import type { EffectLabels, Json, LabelMap, Outcome } from '../../core/index.ts'
import type { Effect, IntentLookup } from '../../gate/index.ts'
import { systemMessage, textOf, userMessage } from '../../model/index.ts'
import type { ModelReply } from '../../model/index.ts'
import type { Registry, RunContext } from '../../run/index.ts'
import { callAtom } from '../atoms/atom-call.ts'
import type { AtomCall } from '../atoms/atom-call.ts'
import type { Capabilities } from '../atoms/host/capabilities.ts'
import type { EffectHost } from '../atoms/session.ts'
import { isTimerAtom, wakeTime } from '../atoms/timer-atoms.ts'

interface KernelParts {
  readonly registry: Registry
  readonly capabilities: Capabilities
  /** The model of `llmPredict` if there is no capability `llm`. */
  readonly model?: string | undefined
  /** The database collection of store atoms if there is no capability `store`. */
  readonly collection: string
  /** Declared intents of the program. */
  readonly intents: IntentLookup
}

type Asked = Readonly<Record<string, Json>>

/** The effect host of a program under the kernel: every request is an effect. */
export function kernelHost(context: RunContext, parts: KernelParts): EffectHost {
  const perform = (effect: Effect): Promise<Outcome<Json>> =>
    context.perform({ key: keyOf(effect.name), origin: 'program', ...effect, ...parts.intents(effect.name) })
  const host: EffectHost = {
    atom: (call) =>
      viaTimer(perform, call, context) ??
      viaModel(perform, call, parts) ??
      viaDatabase(perform, call, parts) ??
      viaRun(perform, call, parts) ??
      perform({ kind: 'tool', name: call.atom.op, input: call.input, labels: call.labels }),
    pure: (call) => computed(context, call),
    tool: (name, input, _signal, labels) => perform({ kind: 'tool', name, input, labels }),
    storeGet: (key, _signal, labels) => perform({ ...storeEffect('storeGet', { key }, parts), labels }),
    storeSet: (entry, _signal, labels) =>
      perform({ ...storeEffect('storeSet', entry, parts), labels: mergedLabels(labels) }),
    nested: () => kernelHost(nestedContext(context), parts),
    now: () => context.now(),
    random: () => context.random(),
  }
  return host
}

/** A task context for a nested program: its effects get keys of their own, independent of concurrent ones. */
function nestedContext(context: RunContext): RunContext {
  let inner = context
  void context.task('inside', async (own) => void (inner = own))
  return inner
}

/** Merges labels into one set for the whole input, for effects whose input has another structure than the request. */
function mergedLabels(labels: EffectLabels | undefined): EffectLabels | undefined {
  return labels && { at: { '': allLabels(labels) }, pc: controlLabels(labels) }
}

/** Effect keys reserve `/` and `#`. */
function keyOf(name: string): string {
  return name.replaceAll(/[/#]/g, '_')
}

/** Performs a pure atom. Synchronous ones are recomputed on replay; asynchronous ones are recorded, because the order of their completion matters. */
async function computed(context: RunContext, call: AtomCall): Promise<Outcome> {
  const isQuick = call.atom.op.endsWith('Procedure') || call.atom.op.endsWith('Procedures')
  if (isQuick) return callAtom(call)
  return (await context.record(
    keyOf(call.atom.op),
    async () => (await callAtom(call)) as unknown as Json,
  )) as unknown as Outcome
}

type Perform = (effect: Effect) => Promise<Outcome<Json>>

/**
 * Performs a wait as an effect of the kernel, which suspends the run if it is long. It counts from the recorded time, so that a replay requests the same end
 * time.
 */
function viaTimer(
  perform: Perform,
  { atom, input, labels }: AtomCall,
  context: RunContext,
): Promise<Outcome<Json>> | undefined {
  if (!isTimerAtom(atom)) return undefined
  try {
    const until = wakeTime(atom.op, input, context.now())
    return perform({ kind: 'sleep', name: atom.op, input: { until }, labels: mergedLabels(labels) })
  } catch (error) {
    return Promise.resolve({ status: 'failed', error: errorInfo(error) })
  }
}

function viaModel(
  perform: Perform,
  { atom, input, labels }: AtomCall,
  { capabilities, model }: KernelParts,
): Promise<Outcome<Json>> | undefined {
  if (!atom.op.startsWith('llm') || capabilities.llm !== undefined || model === undefined) return undefined
  const { prompt, user, system, options, responseFormat } = input as Asked
  const messages = [
    ...(typeof system === 'string' ? [systemMessage(system)] : []),
    userMessage(textFrom(prompt ?? user)),
  ]
  const request = {
    messages,
    ...(options as Asked | undefined),
    ...(responseFormat === undefined ? {} : { responseFormat }),
  } as unknown as Json
  return perform({ kind: 'model', name: model, input: request, labels: mergedLabels(labels) }).then((outcome) =>
    outcome.status === 'ok' ? { ...outcome, value: textOf((outcome.value as unknown as ModelReply).message) } : outcome,
  )
}

/** Store atoms that the database of the host can serve. */
const STORE_ATOMS: ReadonlySet<string> = new Set(['storeGet', 'storeSet', 'storeQuery', 'storeVectorSearch'])
/** The same default as the `store` capability. */
const NEIGHBOURS = 5

function viaDatabase(
  perform: Perform,
  { atom, input, labels }: AtomCall,
  parts: KernelParts,
): Promise<Outcome<Json>> | undefined {
  if (!STORE_ATOMS.has(atom.op) || parts.capabilities.store !== undefined) return undefined
  return perform({ ...storeEffect(atom.op, input as Asked, parts), labels: limitLabels(labels) })
}

/** Renames the labels of `k` to `limit`, the name of that parameter in the database. */
function limitLabels(labels: EffectLabels | undefined): EffectLabels | undefined {
  if (labels === undefined || Array.isArray(labels)) return labels
  const map = labels as LabelMap
  const { '/k': ofCount, ...at } = map.at
  return ofCount === undefined ? map : { ...map, at: { ...at, '/limit': ofCount } }
}

function storeEffect(op: string, input: Asked, { capabilities, collection }: KernelParts): Effect {
  if (capabilities.store !== undefined) return { kind: 'tool', name: op, input }
  if (op === 'storeVectorSearch') {
    const { k = NEIGHBOURS, ...rest } = input
    return { kind: 'database', name: collection, input: { op: 'search', query: '', limit: k, collection, ...rest } }
  }
  const operation = op === 'storeGet' ? 'read' : op === 'storeSet' ? 'write' : 'query'
  return { kind: 'database', name: collection, input: { op: operation, collection, ...input } }
}

function textFrom(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

/** Starts a child run if an agent or program of that name is registered. It shares the fuel of this program, or gets the given part. */
function viaRun(
  perform: Perform,
  { atom, input, context, spend, labels }: AtomCall,
  { registry }: KernelParts,
): Promise<Outcome<Json>> | undefined {
  if (atom.op !== 'agentRun') return undefined
  const { agentId, input: given = {}, fuel } = input as Asked
  const name = textFrom(agentId)
  if (registry.mind('program', name) !== undefined) {
    const share = Math.min(typeof fuel === 'number' ? fuel : Number.POSITIVE_INFINITY, context.fuelLeft())
    return perform({ kind: 'program', name, input: { $args: given, $fuel: share }, labels: mergedLabels(labels) }).then(
      (outcome) => withFuelSpent(outcome, spend),
    )
  }
  const kind = (['agent', 'graph', 'cell'] as const).find((each) => registry.mind(each, name) !== undefined)
  if (kind === undefined) return undefined
  return perform({
    kind,
    name,
    input: kind === 'agent' ? agentInput(given) : given,
    labels: mergedLabels(labels),
  }).then((outcome) => (outcome.status === 'ok' ? { ...outcome, value: answerOf(outcome.value) } : outcome))
}

/** Charges the fuel of a child run, also if it failed. */
function withFuelSpent(outcome: Outcome<Json>, spend: (fuel: number) => void): Outcome<Json> {
  const output =
    outcome.status === 'ok'
      ? outcome.value
      : outcome.status === 'failed'
        ? (outcome.error.info as Asked | undefined)?.['output']
        : undefined
  const { fuelUsed, result } = (output ?? {}) as Asked
  if (typeof fuelUsed === 'number') spend(fuelUsed)
  return outcome.status === 'ok' ? { ...outcome, value: result ?? null } : outcome
}

function agentInput(given: Json): Json {
  const { prompt } = given as Asked
  const text = typeof prompt === 'string' ? prompt : JSON.stringify(given)
  return { prompt: userMessage(text), history: [], context: given }
}

function answerOf(output: Json): Json {
  const { result, text } = (output ?? {}) as Asked
  return result ?? text ?? output
}
