import { codeOf, describeOutcome, frozenCopy } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { addSpend } from '../../journal/index.ts'
import type {
  EffectEndData,
  EffectRetryData,
  EffectStartData,
  IntactEntry,
  NoteData,
  Spend,
} from '../../journal/index.ts'
import type { MemoryChange, RenderedPrompt } from '../../memory/index.ts'
import { NO_USAGE } from '../../model/index.ts'
import type { Message, ModelReply, TokenUsage } from '../../model/index.ts'
import { ConversationFold } from '../transcript/conversation-fold.ts'
import type { ActionRecord, ModelCall, ResultMetrics } from './result-types.ts'

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
  metrics(durationMs: number): ResultMetrics
}

/** What is kept of an entry to tell of it later: all but what proves it. */
export type ToldEntry = Told<IntactEntry>

type Told<E extends IntactEntry> = E extends IntactEntry
  ? Pick<E, 'run' | 'seq' | 'at' | 'type' | 'key' | 'data'>
  : never

interface Effect {
  readonly key: string
  readonly start: EffectStartData
  readonly startedAt: number
  readonly seq: number
  readonly end: EffectEndData
  readonly endedAt: number
}

/** Gathers a report entry by entry. What it keeps is out of reach of the run's mind. */
export class ReportFold {
  readonly #conversation = new ConversationFold()
  readonly #starts = new Map<string, { data: EffectStartData; at: number; seq: number }>()
  readonly #messages: Message[] = []
  readonly #actions: ActionRecord[] = []
  readonly #modelCalls: ModelCall[] = []
  readonly #memoryDeltas: MemoryChange[] = []
  readonly #warnings: string[] = []
  readonly #traces: string[] = []
  readonly #retries: string[] = []
  /** What failed attempts of calls took, by their keys. */
  readonly #earlier = new Map<string, Spend>()
  readonly #turns = new Set<string>()
  #prompt: Report['prompt']
  #modelTimeMs = 0

  add(entry: ToldEntry): void {
    const { run, type, key, data, at, seq } = entry
    for (const message of this.#conversation.add(entry)) this.#messages.push(frozenCopy(message) as unknown as Message)
    const turn = key === undefined ? undefined : /^turn:\d+/.exec(key)?.[0]
    if (turn !== undefined) this.#turns.add(turn)
    if (type === 'effect-start') this.#starts.set(key!, { data, at, seq })
    else if (type === 'effect-end') this.#end(run, key!, { data, at })
    else if (type === 'effect-retry') this.#retry(key!, data)
    else if (type === 'note' && key === undefined) this.#note(data)
  }

  report(): Report {
    const attempts = this.#retries.length
    return {
      messages: this.#messages,
      actions: this.#actions,
      modelCalls: this.#modelCalls,
      memoryDeltas: this.#memoryDeltas,
      prompt: this.#prompt,
      warnings: this.#warnings,
      traces: this.#traces,
      retryInfo: attempts === 0 ? { attempts } : { attempts, lastError: this.#retries.at(-1)! },
      turns: this.#turns.size,
      metrics: (durationMs) => {
        const modelLatencyMs = this.#modelCalls.length === 0 ? 0 : this.#modelTimeMs / this.#modelCalls.length
        return { durationMs, modelLatencyMs, ...toolMetrics(this.#actions) }
      },
    }
  }

  #end(run: string, key: string, { data: end, at }: { data: EffectEndData; at: number }): void {
    const started = this.#starts.get(key)
    this.#starts.delete(key)
    this.#warnings.push(...warningsOf(key, started?.data.kind, end))
    if (started === undefined) return
    const { kind } = started.data
    const whole = { ...end, spent: addSpend(this.#earlier.get(key) ?? {}, end.spent) }
    const effect: Effect = {
      key,
      start: started.data,
      startedAt: started.at,
      seq: started.seq,
      end: whole,
      endedAt: at,
    }
    if (kind === 'model') {
      this.#modelCalls.push(modelCallOf(run, effect))
      this.#modelTimeMs += end.durationMs
    } else if (kind === 'tool' || kind === 'agent') this.#actions.push(actionOf(effect))
    else if (kind === 'prompt') this.#prompt ??= promptOf(effect)
    else this.#memoryDeltas.push(...memoryDelta(effect))
  }

  #retry(key: string, { attempt, reason, spent = {} }: EffectRetryData): void {
    this.#earlier.set(key, addSpend(this.#earlier.get(key) ?? {}, spent))
    this.#retries.push(reason)
    this.#traces.push(`${key}: attempt ${attempt} after: ${reason}`)
  }

  #note({ name, value }: NoteData): void {
    // Sealed values cannot be read here.
    if (name === 'vault') return
    // What was asked of a run is no warning; what was refused or has changed under it is.
    const list =
      name === 'cancel-request' || name === 'wake' || name === 'budget-changed' ? this.#traces : this.#warnings
    list.push(`${name}: ${JSON.stringify(value)}`)
  }
}

const STORED: readonly (string | undefined)[] = ['memory', 'database', 'prompt']

function warningsOf(key: string, kind: string | undefined, { outcome, meta }: EffectEndData): string[] {
  const facts = (meta ?? {}) as { issues?: readonly string[]; truncated?: boolean }
  const reply =
    outcome.status === 'ok' ? (outcome.value as { warnings?: readonly string[] } | null)?.warnings : undefined
  const isLost = outcome.status === 'denied' || outcome.status === 'unknown'
  // A failed store write is reported only here: no model sees it as a result.
  const isSilent = outcome.status === 'failed' && STORED.includes(kind)
  return [
    ...(facts.issues ?? []).map((issue) => `${key}: ${issue}`),
    ...(facts.truncated === true ? [`${key}: the result was cut to its size limit`] : []),
    ...(kind === 'model' && Array.isArray(reply) ? reply.map((warning) => `${key}: ${String(warning)}`) : []),
    ...(isLost || isSilent ? [`${key}: ${describeOutcome(outcome)}`] : []),
  ]
}

/** Entries of one moment are many, and writing a date is dear. */
let lastDate = { at: 0, text: new Date(0).toISOString() }

/** A moment as people and files write it. */
export function iso(at: number): string {
  if (lastDate.at !== at) lastDate = { at, text: new Date(at).toISOString() }
  return lastDate.text
}

function actionOf({ key, start, startedAt, end, endedAt }: Effect): ActionRecord {
  const { outcome, durationMs } = end
  return {
    id: key,
    toolId: start.name,
    input: frozenCopy(start.input),
    output: outcome.status === 'ok' ? outcome.value : null,
    ok: outcome.status === 'ok',
    status: outcome.status,
    ...(outcome.status === 'ok' ? {} : { error: { code: codeOf(outcome), message: describeOutcome(outcome) } }),
    startedAt: iso(startedAt),
    finishedAt: iso(endedAt),
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
    startedAt: iso(startedAt),
    finishedAt: iso(endedAt),
    tokenUsage: reply?.usage ?? usageOf(end.spent),
    ...(end.spent.money === undefined ? {} : { costEstimate: end.spent.money }),
    ...(reply === undefined ? {} : { finishReason: reply.finishReason }),
  }
}

/** What a call is taken to have used that gave no reply. */
function usageOf({ inputTokens = 0, outputTokens = 0, totalTokens = 0 }: Spend): TokenUsage {
  return totalTokens === 0 ? NO_USAGE : { inputTokens, outputTokens, totalTokens, estimated: true }
}

interface Tried {
  readonly performed?: { readonly dryRun?: true }
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
  const tried = (end.meta as Tried | undefined)?.performed?.dryRun === true ? { dryRun: true as const } : {}
  const key = input.stream ?? `${input.collection}/${input.key}`
  if (input.op === 'append') return [{ key, op: 'append', after: frozenCopy(input.entry ?? null), ...tried }]
  if (input.op === 'write') return [{ key, op: 'set', after: frozenCopy(input.value ?? null), ...tried }]
  return input.op === 'clear' || input.op === 'delete' ? [{ key, op: 'delete', ...tried }] : []
}

function promptOf({ key, start, end }: Effect): Report['prompt'] {
  if (key !== 'prompt' || end.outcome.status !== 'ok') return undefined
  const { id } = start.input as { id: string }
  return { template: id, version: (end.outcome.value as unknown as RenderedPrompt).meta.version }
}

function toolMetrics(
  actions: readonly ActionRecord[],
): Pick<ResultMetrics, 'toolCalls' | 'toolErrors' | 'toolLatencyMs'> {
  const toolCalls: Record<string, number> = {}
  const toolErrors: Record<string, number> = {}
  const total: Record<string, number> = {}
  for (const { toolId, ok, durationMs: took } of actions) {
    toolCalls[toolId] = (toolCalls[toolId] ?? 0) + 1
    total[toolId] = (total[toolId] ?? 0) + took
    if (!ok) toolErrors[toolId] = (toolErrors[toolId] ?? 0) + 1
  }
  const toolLatencyMs = Object.fromEntries(Object.entries(total).map(([tool, sum]) => [tool, sum / toolCalls[tool]!]))
  return { toolCalls, toolErrors, toolLatencyMs }
}
