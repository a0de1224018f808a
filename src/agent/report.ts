import { describeOutcome } from '../core/index.ts'
import type { Json, Outcome } from '../core/index.ts'
import type { EffectEndData, EffectRetryData, EffectStartData, Entry, NoteData } from '../journal/index.ts'
import type { MemoryChange } from '../memory/index.ts'
import { NO_USAGE } from '../model/index.ts'
import type { Message, ModelReply } from '../model/index.ts'
import { expandMessage } from './message-log.ts'
import type { LoggedMessage } from './message-log.ts'
import type { ActionRecord, ModelCall, ResultMetrics } from './result-types.ts'

/** Everything a result tells that is not its status: one pass over the entries. */
export interface Report {
  readonly messages: readonly Message[]
  readonly actions: readonly ActionRecord[]
  readonly modelCalls: readonly ModelCall[]
  readonly memoryDeltas: readonly MemoryChange[]
  readonly warnings: readonly string[]
  readonly retryInfo: { readonly attempts: number; readonly lastError?: string | undefined }
  readonly turns: number
  /** Every model call had a known price. */
  readonly isPriced: boolean
  metrics(durationMs: number): ResultMetrics
}

interface Effect {
  readonly key: string
  readonly start: EffectStartData
  readonly startedAt: number
  readonly end: EffectEndData
  readonly endedAt: number
}

export function foldReport(entries: readonly Entry[]): Report {
  const outcomes = new Map<string, Outcome<Json>>()
  const starts = new Map<string, { data: EffectStartData; at: number }>()
  const effects: Effect[] = []
  const logged: LoggedMessage[] = []
  const warnings: string[] = []
  const retries: string[] = []
  for (const { type, key, data, at } of entries) {
    if (type === 'effect-start') starts.set(key!, { data: data as unknown as EffectStartData, at })
    else if (type === 'effect-end') {
      const end = data as unknown as EffectEndData
      const start = starts.get(key!)
      outcomes.set(key!, end.outcome)
      if (start !== undefined) effects.push({ key: key!, start: start.data, startedAt: start.at, end, endedAt: at })
      warnings.push(...warningsOf(key!, end))
    } else if (type === 'effect-retry') retries.push((data as unknown as EffectRetryData).reason)
    else if (type === 'message-append') logged.push(...([(data as { message: Json }).message].flat() as unknown as LoggedMessage[]))
    else if (type === 'note' && key === undefined) warnings.push(`${(data as unknown as NoteData).name}: ${JSON.stringify((data as unknown as NoteData).value)}`)
  }
  const modelEffects = effects.filter(({ start }) => start.kind === 'model')
  const actions = effects.filter(({ start }) => start.kind === 'tool' || start.kind === 'agent').map(actionOf)
  return {
    messages: logged.flatMap((message) => expandMessage(message, (key) => outcomes.get(key)) ?? []),
    actions,
    modelCalls: modelEffects.map(modelCallOf),
    memoryDeltas: effects.flatMap(memoryDelta),
    warnings,
    retryInfo: retries.length === 0 ? { attempts: 0 } : { attempts: retries.length, lastError: retries.at(-1) },
    turns: new Set(effects.flatMap(({ key }) => /^turn:\d+/.exec(key)?.[0] ?? [])).size,
    isPriced: modelEffects.every(({ end }) => end.outcome.status !== 'ok' || end.spent.money !== undefined),
    metrics: (durationMs) => metricsOf(actions, modelEffects, durationMs),
  }
}

function warningsOf(key: string, { outcome, meta }: EffectEndData): string[] {
  const facts = (meta ?? {}) as { issues?: readonly string[]; truncated?: boolean }
  const reply = outcome.status === 'ok' ? (outcome.value as { warnings?: readonly string[] } | null)?.warnings : undefined
  return [
    ...(facts.issues ?? []).map((issue) => `${key}: ${issue}`),
    ...(facts.truncated === true ? [`${key}: the result was cut to its size limit`] : []),
    ...(Array.isArray(reply) ? reply.map((warning) => `${key}: ${String(warning)}`) : []),
    ...(outcome.status === 'denied' || outcome.status === 'unknown' ? [`${key}: ${describeOutcome(outcome)}`] : []),
  ]
}

function actionOf({ key, start, startedAt, end, endedAt }: Effect): ActionRecord {
  const { outcome } = end
  const isOk = outcome.status === 'ok'
  const code = outcome.status === 'failed' ? outcome.error.code : outcome.status === 'denied' ? outcome.code : outcome.status
  return {
    id: key,
    toolId: start.name,
    input: start.input,
    output: isOk ? outcome.value : null,
    ok: isOk,
    status: outcome.status,
    ...(isOk ? {} : { error: { code, message: describeOutcome(outcome) } }),
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(endedAt).toISOString(),
    durationMs: end.durationMs,
  }
}

function modelCallOf({ key, start, startedAt, end, endedAt }: Effect): ModelCall {
  const reply = end.outcome.status === 'ok' ? (end.outcome.value as unknown as ModelReply) : undefined
  const performed = (end.meta as { performed?: { provider?: string } } | undefined)?.performed
  return {
    id: key,
    provider: performed?.provider ?? start.name.split('/')[0]!,
    model: start.name,
    promptRef: start.hash,
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(endedAt).toISOString(),
    tokenUsage: reply?.usage ?? NO_USAGE,
    ...(end.spent.money === undefined ? {} : { costEstimate: end.spent.money }),
    ...(reply === undefined ? {} : { finishReason: reply.finishReason }),
  }
}

function memoryDelta({ start, end }: Effect): MemoryChange[] {
  if ((start.kind !== 'memory' && start.kind !== 'database') || end.outcome.status !== 'ok') return []
  const input = start.input as { op?: string; stream?: string; collection?: string; key?: string; entry?: Json; value?: Json }
  if (input.op === 'append') return [{ key: input.stream ?? '', op: 'append', after: input.entry ?? null }]
  if (input.op === 'write') return [{ key: `${input.collection}/${input.key}`, op: 'set', after: input.value ?? null }]
  return input.op === 'clear' ? [{ key: input.stream ?? '', op: 'delete' }] : []
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
  return { durationMs, toolLatencyMs, toolCalls, toolErrors, modelLatencyMs: models.length === 0 ? 0 : modelTime / models.length }
}
