import {
  MandateError,
  allLabels,
  frozenList,
  isAsyncIterable,
  joinLabels,
  seededRandom,
  setMember,
  toPlain,
} from '../../core/index.ts'
import { hasSecret, resolveSecrets } from '../../redact/index.ts'
import type { Clock, Json, JsonObject, Label } from '../../core/index.ts'
import type { Effect, EffectFacts } from '../../gate/index.ts'
import { filesFromBytes, settleResult } from '../../tool/index.ts'
import type { Tool, ToolContext, ToolEmbed, ToolMemory, ToolWrite } from '../../tool/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { KernelHost } from '../kernel/host.ts'
import type { KernelCall, Performed, KernelPerformer } from './performer.ts'
import { findTool, findable } from '../kernel/registry.ts'
import { standInsOf } from './stand-ins.ts'
import { ToolStores } from './tool-stores.ts'
import { proveLease } from '../lifecycle/lease.ts'
import { isFatal, retryTool } from './retry-policy.ts'
import { validateInput } from '../effect/input-validation.ts'

/** The part of an effect's `carry` for the tool's context. */
interface ToolCarry {
  readonly toolCallId?: string | undefined
  readonly conversation?: readonly unknown[] | undefined
  readonly agent?: unknown
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/** Performs tool calls. */
export const toolPerformer: KernelPerformer = {
  kind: 'tool',
  facts: factsOf,
  repeatable: (effect, run) => toolOf(effect, run)?.idempotent === true,
  timeoutMs: (effect, run) => toolOf(effect, run)?.timeoutMs ?? run.limits.toolTimeoutMs,
  resultBytes: (effect, run) => toolOf(effect, run)?.maxResultBytes ?? run.limits.resultBytes,
  labels: (effect, run) => toolOf(effect, run)?.labels,
  perform: performTool,
  reconcile(call) {
    const tool = toolOf(call.effect, call.run)
    if (tool?.reconcile === undefined || call.run.vault === undefined)
      return tool?.reconcile?.(call.input, contextOf(call))
    return call.run.vault.reveal(call).then((input) => tool.reconcile!(input, contextOf(call)))
  },
  retry: (error, attempt, call) => retryTool(error, attempt, toolOf(call.effect, call.run)),
  fatal(error, call) {
    if (MandateError.isInstance(error) && error.code === 'TOOL_FATAL') return true
    return isFatal(toolOf(call.effect, call.run), error)
  },
}

function toolOf(effect: Effect, run: ActiveRun): Tool | undefined {
  const tool = findTool(run.resources, run.host.registry, effect.name)
  return (tool && standInsOf(run)?.tool(tool)) ?? tool
}

function factsOf(effect: Effect, run: ActiveRun): EffectFacts {
  const tool = toolOf(effect, run)
  if (tool === undefined) {
    return {
      known: false,
      alternatives: findable('tools', run.resources, run.host.registry),
      worst: {},
    }
  }
  const bytes = run.budget.isLimited('outputBytes')
    ? { outputBytes: tool.maxResultBytes ?? run.limits.resultBytes }
    : {}
  return {
    known: true,
    risk: tool.risk,
    isForeign: tool.isForeign,
    description: tool.description,
    safeByDefault: tool.safeByDefault,
    needsApproval: tool.needsApproval,
    reveals: tool.reveals,
    takesTokens: tool.takesTokens,
    validate: (input) =>
      run.vault === undefined
        ? validateInput(tool, input)
        : run.vault.validate({ run, effect }, input, (whole) => validateInput(tool, whole)),
    worst: { toolCalls: 1, ...bytes },
  }
}

async function performTool(call: KernelCall): Promise<Performed> {
  const { run, effect } = call
  const tool = toolOf(effect, run)!
  const given = run.vault === undefined ? call.input : await run.vault.reveal(call)
  const isSecret = hasSecret(given)
  const input = isSecret ? ((await secretsIn(given, run)) as Json) : copyOf(given)
  if (isSecret || run.vault !== undefined) await stillWanted(call)
  const added: (readonly Label[])[] = []
  const stores = new ToolStores(call, () => [tool.labels, ...added])
  const returned = await tool.run(input, contextOf(call, added, stores))
  const value = isAsyncIterable(returned)
    ? await settleResult(returned, (item) => tellProgress(call, tool, item))
    : returned
  await stores.settled()
  const toolCallId = (effect.carry as ToolCarry | undefined)?.toolCallId ?? call.idempotencyKey
  const shown = await tool.show?.({ toolCallId, input: given, output: value })
  const files = filesFromBytes(value)
  return {
    value: files instanceof Promise ? await files : files,
    ...(shown === undefined ? {} : { shown: await filesFromBytes(shown) }),
    spent: { toolCalls: 1 },
    labels: added.length === 0 ? tool.labels : joinLabels(tool.labels, ...added),
    meta: call.attempt > 1 ? { attempt: call.attempt } : undefined,
  }
}

/** Checks again before the tool is called, because resolving a secret takes time: the call may have been aborted, or the run cancelled or lost. */
async function stillWanted({ run, signal }: KernelCall): Promise<void> {
  await proveLease(run, true)
  if (run.ended) await new Promise<never>(() => {})
  signal.throwIfAborted()
}

function tellProgress(call: KernelCall, { name }: Tool, progress: unknown): void {
  // If the output of tools is filtered, nothing is emitted before the filters have processed all of it.
  if (!call.run.gate.filtersOutput) call.emit('tool-progress', { name, value: toPlain(progress).value })
}

/** A value with its secret handles resolved. */
async function secretsIn(value: unknown, { host }: ActiveRun): Promise<unknown> {
  return resolveSecrets(value, host.secrets, host.learnSecret)
}

/** A tool may mutate its input; the journal's and the conversation's copy must not change. */
function copyOf(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map(copyOf)
  const copy: Record<string, Json> = {}
  for (const name of Object.keys(value)) setMember(copy, name, copyOf((value as JsonObject)[name]!))
  return copy
}

/** `added` collects the labels that the tool adds to its result. */
function contextOf(call: KernelCall, added: (readonly Label[])[] = [], stores?: ToolStores): ToolContext {
  const { run, effect } = call
  const carry = (effect.carry ?? {}) as ToolCarry
  const { clock, random } = sourcesOf(call)
  return {
    runId: run.id,
    sessionId: run.start.sessionId,
    agentId: run.start.name,
    requestId: run.rootId,
    toolCallId: carry.toolCallId,
    identity: run.start.identity,
    signal: call.signal,
    idempotencyKey: call.idempotencyKey,
    attempt: call.attempt,
    deadline: call.deadline,
    get traceparent() {
      return run.host.events.traceparent(run.id, call.key)
    },
    now: () => clock.now(),
    random: () => random.next(),
    emit: (name, data) => (run.gate.filtersOutput ? undefined : call.emit(name, data)),
    conversation: carry.conversation && frozenList(carry.conversation),
    readFile: async (hash) => run.host.journal.readBlob?.(run.id, hash),
    agent: carry.agent,
    memory: memoryFor(call, added, stores),
    ...(stores === undefined
      ? {}
      : {
          write: (write: ToolWrite) => stores.write(write),
          embed: (request: ToolEmbed) => stores.embed(request),
        }),
    labels: frozenList(allLabels(effect.labels)),
    addLabels: (labels) => void added.push(labels),
    metadata: carry.metadata,
    async secrets(name) {
      return (await secretsIn({ $secret: name }, run)) as string
    },
  }
}

/** Separate sources for a tool that runs in parallel, so that it cannot affect the randomness and time of others where the journal must be deterministic. */
function sourcesOf({
  run,
  key,
  attempt,
}: KernelCall): Pick<KernelHost, 'random'> & { readonly clock: Pick<Clock, 'now'> } {
  if (run.order === undefined) return run.host
  let now = run.fold.lastAt
  return { random: seededRandom(`${run.start.seed}/${key}/${attempt}`), clock: { now: () => (now += 1) } }
}

/** `undefined` where the run has no memory, and during `reconcile`. */
function memoryFor(
  { run }: KernelCall,
  added: (readonly Label[])[],
  stores: ToolStores | undefined,
): ToolMemory | undefined {
  const memory = run.resources.memory ?? run.host.registry.memory
  return memory === undefined ? undefined : stores?.memory(memory, added)
}
