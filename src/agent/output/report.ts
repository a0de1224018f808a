import { describeOutcome, frozenCopy } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { lostValues } from '../../redact/index.ts'
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
import { NO_USAGE, textOf } from '../../model/index.ts'
import type { Message, ModelReply, TokenUsage } from '../../model/index.ts'
import { ConversationFold } from '../transcript/conversation-fold.ts'
import { THINKING } from '../../run/index.ts'
import { CallFold, errorIn, iso } from './call-fold.ts'
import { cellActions } from './cell-actions.ts'
import type { ActionRecord, ModelCall, Provenance, ResultMetrics } from './result-types.ts'
import { CALLS } from '../config/callable.ts'

/** Everything in a result except its status, from one pass over the entries. */
export interface Report {
  readonly messages: Message[]
  /** The texts that are part of the run's text: all assistant messages except cells. */
  readonly texts: readonly string[]
  readonly actions: ActionRecord[]
  readonly modelCalls: ModelCall[]
  readonly memoryDeltas: MemoryChange[]
  readonly prompt?: { readonly template: string; readonly version: string } | undefined
  /** In code mode: the template of the instructions about cells. */
  readonly code?: Provenance['code'] | undefined
  readonly warnings: string[]
  readonly traces: string[]
  readonly retryInfo: { readonly attempts: number; readonly lastError?: string }
  readonly turns: number
  metrics(durationMs: number): ResultMetrics
}

/** The members of an entry that a report needs. */
export type ReportEntry = Told<IntactEntry>

type Told<E extends IntactEntry> = E extends IntactEntry
  ? Pick<E, 'run' | 'seq' | 'at' | 'type' | 'key' | 'data'>
  : never

/** A request for an effect that has not started. */
interface Asked {
  readonly kind: EffectStartData['kind']
  readonly name: string
  readonly input: Json
  readonly at: number
}

interface Effect {
  readonly key: string
  readonly start: EffectStartData
  readonly startedAt: number
  readonly seq: number
  readonly end: EffectEndData
  readonly endedAt: number
}

/** Folds a report entry by entry. Its data is not reachable for the run's mind. */
export class ReportFold {
  readonly #conversation = new ConversationFold()
  readonly #starts = new Map<string, { data: EffectStartData; at: number; seq: number }>()
  /** Requests that wait, or that the gate refused. */
  readonly #asked = new Map<string, Asked>()
  readonly #calls = new CallFold()
  readonly #messages: Message[] = []
  readonly #texts: string[] = []
  readonly #actions: ActionRecord[] = []
  readonly #modelCalls: ModelCall[] = []
  readonly #memoryDeltas: MemoryChange[] = []
  readonly #warnings: string[] = []
  readonly #traces: string[] = []
  readonly #retries: string[] = []
  /** The spend of failed attempts, by their keys. */
  readonly #earlier = new Map<string, Spend>()
  readonly #turns = new Set<string>()
  #prompt: Report['prompt']
  #code: Report['code']
  #modelTimeMs = 0

  add(entry: ReportEntry): void {
    const { run, type, key, data, at, seq } = entry
    for (const message of this.#conversation.add(entry)) this.#said(message, entry)
    const turn = key === undefined ? undefined : /^turn:\d+/.exec(key)?.[0]
    if (turn !== undefined) this.#turns.add(turn)
    if (type === 'run-start') this.#given('The input', data.input)
    else if (type === 'approval-response') this.#given('An answer', data as unknown as Json)
    else if (type === 'effect-start') this.#starts.set(key!, { data, at, seq })
    else if (type === 'effect-decide' || type === 'approval-request') this.#asked.set(key!, { ...data, at })
    else if (type === 'message-append') this.#actions.push(...this.#calls.results(key, data.message, at))
    else if (type === 'effect-end') this.#end(run, key!, { data, at })
    else if (type === 'effect-retry') this.#retry(key!, data)
    else if (type === 'note' && key === undefined) this.#note(data)
    else if (type === 'note' && key === 'cells') this.#code = codeOfNote(data)
    else if (type === 'note') this.#calls.noted(key!, data, at)
  }

  /** Something that a person gave: what was redacted in it, nothing of the run can use. */
  #given(what: string, value: Json): void {
    const lost = lostValues(what, value)
    if (lost !== undefined) this.#warnings.push(lost)
  }

  #said(message: Message, entry: ReportEntry): void {
    this.#messages.push(frozenCopy(message) as unknown as Message)
    this.#calls.said(message, entry.at)
    const text = message.role === 'assistant' && !isCell(entry) ? textOf(message) : ''
    if (text !== '') this.#texts.push(text)
  }

  report(): Report {
    const attempts = this.#retries.length
    return {
      messages: this.#messages,
      texts: this.#texts,
      actions: this.#actions,
      modelCalls: this.#modelCalls,
      memoryDeltas: this.#memoryDeltas,
      prompt: this.#prompt,
      code: this.#code,
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
    const asked = this.#asked.get(key)
    this.#starts.delete(key)
    this.#asked.delete(key)
    this.#warnings.push(...warningsOf(key, started?.data.kind, end))
    this.#calls.ended(key)
    if (started === undefined) {
      if (asked !== undefined && (CALLS.has(asked.kind) || asked.kind === 'question'))
        this.#actions.push(unstarted(key, asked, { end, at }))
      return
    }
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
    } else if (CALLS.has(kind)) this.#actions.push(actionOf(effect))
    else if (kind === 'cell')
      this.#actions.push(...cellActions(end.outcome, { id: key, startedAt: iso(started.at), finishedAt: iso(at) }))
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
    // Requests to a run are traces; refusals and changes of it are warnings.
    const list =
      name === 'cancel-request' || name === 'wake' || name === 'budget-changed' ? this.#traces : this.#warnings
    list.push(`${name}: ${JSON.stringify(value)}`)
  }
}

/** Whether an entry is a reply that is a cell. */
function isCell({ type, key = '', data }: ReportEntry): boolean {
  if (type === 'effect-end') return THINKING.test(key)
  const { reply = '' } = (type === 'message-append' ? (data.message ?? {}) : {}) as { readonly reply?: string }
  return THINKING.test(reply)
}

function codeOfNote({ value }: NoteData): Report['code'] {
  const { template, version } = (value as { value: { template?: string; version?: number } }).value
  return template === undefined || version === undefined ? undefined : { template, version }
}

const STORED: readonly (string | undefined)[] = ['memory', 'database', 'prompt']

function warningsOf(key: string, kind: string | undefined, { outcome, meta }: EffectEndData): string[] {
  const facts = (meta ?? {}) as { issues?: readonly string[]; truncated?: boolean }
  const reply =
    outcome.status === 'ok' ? (outcome.value as { warnings?: readonly string[] } | null)?.warnings : undefined
  const isLost = outcome.status === 'denied' || outcome.status === 'unknown'
  // A failed store write is reported only here: no model gets it as a result.
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
    input: frozenCopy(start.input),
    output: outcome.status === 'ok' ? outcome.value : null,
    ok: outcome.status === 'ok',
    status: outcome.status,
    performed: true,
    ...errorIn(outcome),
    startedAt: iso(startedAt),
    finishedAt: iso(endedAt),
    durationMs,
  }
}

/** A call that ended before it started: refused by the gate or by a person; or a question, which a person answered. */
function unstarted(
  key: string,
  { kind, name, input, at: askedAt }: Asked,
  { end, at }: { readonly end: EffectEndData; readonly at: number },
): ActionRecord {
  const { outcome } = end
  return {
    id: key,
    toolId: name,
    input: frozenCopy(input),
    output: outcome.status === 'ok' ? outcome.value : null,
    ok: outcome.status === 'ok',
    status: outcome.status,
    performed: kind === 'question' && outcome.status === 'ok',
    ...errorIn(outcome),
    startedAt: iso(askedAt),
    finishedAt: iso(at),
    durationMs: end.durationMs,
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

/** The usage of a call without a reply. */
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
  for (const { toolId, ok, performed, durationMs: took } of actions) {
    if (!performed) continue
    toolCalls[toolId] = (toolCalls[toolId] ?? 0) + 1
    total[toolId] = (total[toolId] ?? 0) + took
    if (!ok) toolErrors[toolId] = (toolErrors[toolId] ?? 0) + 1
  }
  const toolLatencyMs = Object.fromEntries(Object.entries(total).map(([tool, sum]) => [tool, sum / toolCalls[tool]!]))
  return { toolCalls, toolErrors, toolLatencyMs }
}
