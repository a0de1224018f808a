import { freezeDeep, notes } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { Head, RunOutline } from '../../journal/index.ts'
import type { Message, TokenUsage } from '../../model/index.ts'
import type { RunOutcome } from '../../run/index.ts'
import type { AgentOutput, AgentPins, AgentStatus } from './output-types.ts'
import type { Phase } from '../session/phase.ts'
import { iso } from './call-fold.ts'
import type { Report } from './report.ts'
import { waitsOf } from './pending-calls.ts'
import type { AgentResult, PendingCall, Provenance, RunReport } from './result-types.ts'

/** The source of a result. The report is folded when it is first read. */
interface ResultSource {
  readonly outline: RunOutline
  readonly report: Report
  readonly run: string
  readonly head: Head
  /** Every model call had a known price. */
  readonly isPriced: boolean
}

/** What is removed from the text of a run. */
export interface ResultFilter {
  text(text: string): string
  message(message: Message): Message
}

/** The members of a result that come from the report: computed at their first use, because most callers only need the outcome. */
const REPORTED = {
  messages: ({ report: { messages } }, filter) =>
    filter === undefined ? messages : messages.map((message) => filter.message(message)),
  actions: ({ report }) => report.actions,
  report: reportOf,
} satisfies { readonly [field: string]: (told: ResultSource, filter?: ResultFilter) => unknown }

/** The lazily read sources of a result, and what was read already. */
interface Source {
  readonly told: ResultSource
  readonly filter: ResultFilter | undefined
  readonly values: Map<string, unknown>
}

const sources = notes<Source>()

function lazyValue<F extends keyof typeof REPORTED>(result: object, field: F): ReturnType<(typeof REPORTED)[F]> {
  const { told, filter, values } = sources.get(result)!
  if (!values.has(field)) values.set(field, freezeDeep(REPORTED[field](told, filter)))
  return values.get(field) as ReturnType<(typeof REPORTED)[F]>
}

/** Node's inspector would show getters without their values. */
const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never

/** Shared by all results, because creating property descriptors for each took as long as everything else. */
const LAZY_PROPERTIES: PropertyDescriptorMap = {
  messages: {
    enumerable: true,
    get(this: object) {
      return lazyValue(this, 'messages')
    },
  },
  actions: {
    enumerable: true,
    get(this: object) {
      return lazyValue(this, 'actions')
    },
  },
  report: {
    value(this: object): RunReport {
      return lazyValue(this, 'report')
    },
  },
  [INSPECT]: {
    value(this: object): object {
      return { ...this }
    },
  },
}

/** The parts of a result besides the run's entries. */
export interface ResultParts {
  /** The outcome in this process; if absent, the journal decides. */
  readonly outcome?: RunOutcome | undefined
  readonly filter?: ResultFilter | undefined
  /** The requests that a waiting run waits for. */
  readonly pending?: readonly PendingCall[] | undefined
}

/** Creates the result of a run from its entries. */
export function agentResult(
  told: ResultSource,
  { outcome, filter, pending = [] }: ResultParts = {},
): AgentResult<Json> {
  const { outline: fold, run, head } = told
  const { sessionId } = fold.start!
  const status = statusOf(fold, outcome)
  const { result, text, lastText } = saidOf(told, filter)
  // One object literal, which engines create fast; optional members are added below.
  const made: Made = {
    id: run,
    sessionId,
    status,
    phase: phaseOf(status),
    result,
    text,
    lastText,
    usage: usageOf(fold),
    steps: outputOf(fold)?.turns ?? told.report.turns,
    startedAt: iso(fold.startedAt),
    finishedAt: iso(head.at),
    pending: freezeDeep(status === 'await_user' ? [...pending] : []),
  }
  const answeredBy = outputOf(fold)?.answeredBy
  if (answeredBy !== undefined) made.answeredBy = answeredBy
  if (told.isPriced) made.cost = fold.spent.money ?? 0
  if (fold.end?.labels !== undefined) made.labels = freezeDeep(fold.end.labels)
  if (status === 'await_user') made.suspendReason = waitsOf(fold, outcome)?.reason ?? 'interrupt'
  else if (status !== 'completed') made.error = freezeDeep(errorOf(fold, status))
  sources.set(made, { told, filter, values: new Map() })
  return Object.freeze(Object.defineProperties(made, LAZY_PROPERTIES)) as AgentResult<Json>
}

/** The members of a result that are computed at once. */
type EagerMembers = Omit<AgentResult<Json>, keyof typeof REPORTED>
type Made = { -readonly [F in keyof EagerMembers]: EagerMembers[F] }

/** A run's own seed is a text; only one that a person chose is a number. */
const SEED_NUMBER = /^-?\d{1,15}$/

function reportOf(told: ResultSource): RunReport {
  const { report, outline, run } = told
  const { actions, modelCalls, memoryDeltas, warnings, traces, retryInfo } = report
  const { deterministic = false, toolResults = 'shown' } = pinsOf(outline)
  const { seed } = outline.start!
  return {
    toolsUsed: [...new Set(actions.flatMap(({ toolId, performed }) => (performed ? [toolId] : [])))],
    modelCalls,
    memoryDeltas,
    provenance: provenanceOf(told),
    diagnostics: { warnings, traces },
    metrics: report.metrics(outline.activeMs),
    retryInfo,
    attachments: attachmentsOf(report),
    ...(deterministic && SEED_NUMBER.test(seed) ? { seed: Number(seed) } : {}),
    deterministic,
    toolResults,
    eventStream: `journal:${run}`,
  }
}

/** The output of an agent's run. */
function outputOf({ start, end }: RunOutline): AgentOutput | undefined {
  const output = end?.output as unknown as AgentOutput | null | undefined
  return start?.mind === 'agent' && typeof output?.text === 'string' ? output : undefined
}

function statusOf(fold: RunOutline, outcome: RunOutcome | undefined): AgentStatus {
  const ended = outputOf(fold)?.status
  switch (outcome?.state ?? fold.state) {
    case 'completed':
      return 'completed'
    case 'cancelled':
      return 'cancelled'
    case 'failed':
      return ended === 'max_turns' || ended === 'max_tokens' ? ended : 'failed'
    default:
      return 'await_user'
  }
}

function phaseOf(status: AgentStatus): Phase {
  return status === 'completed' || status === 'await_user' ? status : 'failed'
}

function saidOf(
  told: ResultSource,
  filter: ResultFilter | undefined,
): Pick<AgentResult<Json>, 'result' | 'text' | 'lastText'> {
  const shown = (text: string): string => (filter === undefined ? text : filter.text(text))
  const { outline } = told
  const output = outputOf(outline)
  if (output !== undefined) {
    const { result, text, lastText } = output
    return { result: freezeDeep(result ?? null), text: shown(text), lastText: shown(lastText ?? '') }
  }
  const { texts } = told.report
  // Other kinds of minds return their result directly.
  const result = outline.start!.mind === 'agent' ? null : freezeDeep(outline.end?.output ?? null)
  return { result, text: shown(texts.join('\n')), lastText: shown(texts.at(-1) ?? '') }
}

function usageOf({ spent }: RunOutline): TokenUsage {
  const { inputTokens = 0, outputTokens = 0, totalTokens = inputTokens + outputTokens } = spent
  const estimated = spent.estimated === true ? { estimated: true } : {}
  return Object.freeze({ inputTokens, outputTokens, totalTokens, ...estimated })
}

function provenanceOf({ outline, report: { modelCalls, prompt, code }, head }: ResultSource): Provenance {
  const { seed, pins } = outline.start!
  return {
    models: [...new Set(modelCalls.map(({ model }) => model))],
    ...(prompt === undefined ? {} : { prompt }),
    ...(code === undefined ? {} : { code }),
    seed,
    pins,
    head: { seq: head.seq, hash: head.hash },
  }
}

function pinsOf({ start }: RunOutline): Partial<AgentPins> {
  return (start!.pins as { mind?: Partial<AgentPins> | null }).mind ?? {}
}

function errorOf({ end }: RunOutline, status: AgentStatus): NonNullable<AgentResult['error']> {
  return end?.error ?? { code: status === 'cancelled' ? 'CANCELLED' : 'INTERNAL', message: status }
}

/** Files created by models, by name. */
function attachmentsOf({ messages }: Report): { readonly [name: string]: string } {
  const files: Record<string, string> = {}
  for (const { role, content } of messages) {
    for (const part of role === 'assistant' ? content : []) {
      if (part.type !== 'file' && part.type !== 'image') continue
      const name = part.filename ?? `${part.type}-${Object.keys(files).length + 1}`
      files[name] = part.url ?? `data:${part.mediaType};base64,${part.data ?? ''}`
    }
  }
  return files
}

/** A result as plain data, for files and network protocols. */
export function resultJson(result: AgentResult): Json {
  return JSON.parse(JSON.stringify(result)) as Json
}
