import { describeOutcome } from '../core/index.ts'
import type { Json, Outcome } from '../core/index.ts'
import type {
  EffectEndData,
  EffectRetryData,
  EffectStartData,
  Entry,
  MessageAppendData,
  NoteData,
} from '../journal/index.ts'
import type { MemoryChange, RenderedPrompt } from '../memory/index.ts'
import { NO_USAGE } from '../model/index.ts'
import type { Message, ModelReply } from '../model/index.ts'
import { expandMessage } from './message-log.ts'
import type { LoggedMessage } from './message-log.ts'
import type { ActionRecord, ModelCall, ResultMetrics } from './result-types.ts'
import { codeOf } from './stopping.ts'

/** Everything a result tells that is not its status: one pass over the entries. */
export interface Report {
  readonly messages: Message[]
  readonly actions: ActionRecord[]
  readonly modelCalls: ModelCall[]
  readonly memoryDeltas: MemoryChange[]
  readonly prompt?: { readonly template: string; readonly version: string } | undefined
  readonly warnings: string[]
  readonly traces: string[]
  readonly retryInfo: { readonly attempts: number; readonly lastError?: string }
  readonly turns: number
  /** Every model call had a known price. */
  readonly isPriced: boolean
  metrics(durationMs: number): ResultMetrics
}

interface Effect {
  readonly key: string
  readonly start: EffectStartData
  readonly startedAt: number
  readonly seq: number
  readonly end: EffectEndData
  readonly endedAt: number
}

/** What a pass over the entries gathers. */
class Gathering {
  readonly outcomes = new Map<string, Outcome<Json>>()
  readonly starts = new Map<string, { data: EffectStartData; at: number; seq: number }>()
  readonly effects: Effect[] = []
  readonly logged: (LoggedMessage | readonly Json[])[] = []
  readonly warnings: string[] = []
  readonly traces: string[] = []
  readonly retries: string[] = []
  readonly turns = new Set<string>()

  add({ type, key, data, at, seq }: Entry): void {
    const turn = key === undefined ? undefined : /^turn:\d+/.exec(key)?.[0]
    if (turn !== undefined) this.turns.add(turn)
    if (type === 'effect-start') this.starts.set(key!, { data: data as unknown as EffectStartData, at, seq })
    else if (type === 'effect-end') this.#end(key!, data as unknown as EffectEndData, at)
    else if (type === 'effect-retry') this.#retry(key!, data as unknown as EffectRetryData)
    else if (type === 'message-append') this.logged.push((data as unknown as MessageAppendData).message as never)
    else if (type === 'note' && key === undefined) this.#note(data as unknown as NoteData)
  }

  #end(key: string, end: EffectEndData, endedAt: number): void {
    const start = this.starts.get(key)
    this.outcomes.set(key, end.outcome)
    this.warnings.push(...warningsOf(key, start?.data.kind, end))
    if (start === undefined) return
    this.effects.push({ key, start: start.data, startedAt: start.at, seq: start.seq, end, endedAt })
  }

  #retry(key: string, { attempt, reason }: EffectRetryData): void {
    this.retries.push(reason)
    this.traces.push(`${key}: attempt ${attempt} after: ${reason}`)
  }

  #note({ name, value }: NoteData): void {
    // What was asked of a run is no warning; what was refused or has changed under it is.
    const list = name === 'cancel-request' || name === 'wake' ? this.traces : this.warnings
    list.push(`${name}: ${JSON.stringify(value)}`)
  }
}

export function foldReport(entries: readonly Entry[]): Report {
  const gathered = new Gathering()
  for (const entry of entries) gathered.add(entry)
  const { effects, logged, outcomes, warnings, traces, retries, turns } = gathered
  const run = entries[0]?.run ?? ''
  const models = effects.filter(({ start }) => start.kind === 'model')
  const actions = effects.filter(({ start }) => start.kind === 'tool' || start.kind === 'agent').map(actionOf)
  return {
    messages: logged.flatMap((message) => expandMessage(message, (key) => outcomes.get(key))),
    actions,
    modelCalls: models.map((effect) => modelCallOf(run, effect)),
    memoryDeltas: effects.flatMap(memoryDelta),
    prompt: effects.flatMap(promptOf)[0],
    warnings,
    traces,
    retryInfo: retries.length === 0 ? { attempts: 0 } : { attempts: retries.length, lastError: retries.at(-1)! },
    turns: turns.size,
    isPriced: effects.every(({ end }) => (end.spent.totalTokens ?? 0) === 0 || end.spent.money !== undefined),
    metrics: (durationMs) => metricsOf(actions, models, durationMs),
  }
}

const STORED: readonly (string | undefined)[] = ['memory', 'database', 'prompt']

function warningsOf(key: string, kind: string | undefined, { outcome, meta }: EffectEndData): string[] {
  const facts = (meta ?? {}) as { issues?: readonly string[]; truncated?: boolean }
  const reply =
    outcome.status === 'ok' ? (outcome.value as { warnings?: readonly string[] } | null)?.warnings : undefined
  const isLost = outcome.status === 'denied' || outcome.status === 'unknown'
  // Nobody else hears of a store that failed: it is no result that a model is shown.
  const isSilent = outcome.status === 'failed' && STORED.includes(kind)
  return [
    ...(facts.issues ?? []).map((issue) => `${key}: ${issue}`),
    ...(facts.truncated === true ? [`${key}: the result was cut to its size limit`] : []),
    ...(kind === 'model' && Array.isArray(reply) ? reply.map((warning) => `${key}: ${String(warning)}`) : []),
    ...(isLost || isSilent ? [`${key}: ${describeOutcome(outcome)}`] : []),
  ]
}

function actionOf({ key, start, startedAt, end, endedAt }: Effect): ActionRecord {
  const { outcome, durationMs } = end
  return {
    id: key,
    toolId: start.name,
    input: start.input,
    output: outcome.status === 'ok' ? outcome.value : null,
    ok: outcome.status === 'ok',
    status: outcome.status,
    ...(outcome.status === 'ok' ? {} : { error: { code: codeOf(outcome), message: describeOutcome(outcome) } }),
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(endedAt).toISOString(),
    durationMs,
  }
}

function modelCallOf(run: string, { key, start, startedAt, seq, end, endedAt }: Effect): ModelCall {
  const reply = end.outcome.status === 'ok' ? (end.outcome.value as unknown as ModelReply) : undefined
  const performed = (end.meta as { performed?: { provider?: string } } | undefined)?.performed
  return {
    id: key,
    provider: performed?.provider ?? start.name.split('/')[0]!,
    model: start.name,
    promptRef: `journal:${run}#${seq}`,
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(endedAt).toISOString(),
    tokenUsage: reply?.usage ?? NO_USAGE,
    ...(end.spent.money === undefined ? {} : { costEstimate: end.spent.money }),
    ...(reply === undefined ? {} : { finishReason: reply.finishReason }),
  }
}

function memoryDelta({ start, end }: Effect): MemoryChange[] {
  if ((start.kind !== 'memory' && start.kind !== 'database') || end.outcome.status !== 'ok') return []
  const input = start.input as {
    op?: string
    stream?: string
    collection?: string
    key?: string
    entry?: Json
    value?: Json
  }
  if (input.op === 'append') return [{ key: input.stream ?? '', op: 'append', after: input.entry ?? null }]
  if (input.op === 'write') return [{ key: `${input.collection}/${input.key}`, op: 'set', after: input.value ?? null }]
  return input.op === 'clear' ? [{ key: input.stream ?? '', op: 'delete' }] : []
}

function promptOf({ key, start, end }: Effect): { template: string; version: string }[] {
  if (start.kind !== 'prompt' || key !== 'prompt' || end.outcome.status !== 'ok') return []
  const { id } = start.input as { id: string }
  return [{ template: id, version: (end.outcome.value as unknown as RenderedPrompt).meta.version }]
}

function metricsOf(actions: readonly ActionRecord[], models: readonly Effect[], durationMs: number): ResultMetrics {
  const toolCalls: Record<string, number> = {}
  const toolErrors: Record<string, number> = {}
  const total: Record<string, number> = {}
  for (const { toolId, ok, durationMs: took } of actions) {
    toolCalls[toolId] = (toolCalls[toolId] ?? 0) + 1
    total[toolId] = (total[toolId] ?? 0) + took
    if (!ok) toolErrors[toolId] = (toolErrors[toolId] ?? 0) + 1
  }
  const toolLatencyMs = Object.fromEntries(Object.entries(total).map(([tool, sum]) => [tool, sum / toolCalls[tool]!]))
  const modelTime = models.reduce((sum, { end }) => sum + end.durationMs, 0)
  const modelLatencyMs = models.length === 0 ? 0 : modelTime / models.length
  return { durationMs, toolLatencyMs, toolCalls, toolErrors, modelLatencyMs }
}
