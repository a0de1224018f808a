import { freezeDeep, notes } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { Head, RunOutline } from '../../journal/index.ts'
import { textOf } from '../../model/index.ts'
import type { Message, TokenUsage } from '../../model/index.ts'
import type { RunOutcome } from '../../run/index.ts'
import type { AgentOutput, AgentPins, AgentStatus } from './output-types.ts'
import type { Phase } from '../session/phase.ts'
import { iso } from './report.ts'
import type { Report } from './report.ts'
import { waitsOf } from './pending-calls.ts'
import type { AgentResult, PendingCall, Provenance, RunReport } from './result-types.ts'

/** What a result is made from. The report is gathered when it is first asked for. */
interface ToldRun {
  readonly outline: RunOutline
  readonly report: Report
  readonly run: string
  readonly head: Head
  /** Every model call had a known price. */
  readonly isPriced: boolean
}

/** What is left out of the words of a run before anyone reads them. */
export interface Hiding {
  text(text: string): string
  message(message: Message): Message
}

/** What a result has from the report: worked out at its first use, because most callers want to know what came out and not every call on the way. */
const REPORTED = {
  messages: ({ report: { messages } }, hiding) =>
    hiding === undefined ? messages : messages.map((message) => hiding.message(message)),
  actions: ({ report }) => report.actions,
  report: reportOf,
} satisfies { readonly [field: string]: (told: ToldRun, hiding?: Hiding) => unknown }

/** The lazily read sources of a result, and what was read already. */
interface Source {
  readonly told: ToldRun
  readonly hiding: Hiding | undefined
  readonly values: Map<string, unknown>
}

const sources = notes<Source>()

function workedOut<F extends keyof typeof REPORTED>(result: object, field: F): ReturnType<(typeof REPORTED)[F]> {
  const { told, hiding, values } = sources.get(result)!
  if (!values.has(field)) values.set(field, freezeDeep(REPORTED[field](told, hiding)))
  return values.get(field) as ReturnType<(typeof REPORTED)[F]>
}

/** Node's printer shows members that are worked out as no more than that. */
const PRINTED: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never

/** Shared by all results: making them anew for each took as long as everything else that it says. */
const WORKED_OUT: PropertyDescriptorMap = {
  messages: {
    enumerable: true,
    get(this: object) {
      return workedOut(this, 'messages')
    },
  },
  actions: {
    enumerable: true,
    get(this: object) {
      return workedOut(this, 'actions')
    },
  },
  report: {
    value(this: object): RunReport {
      return workedOut(this, 'report')
    },
  },
  [PRINTED]: {
    value(this: object): object {
      return { ...this }
    },
  },
}

/** What a result is made with besides the run's entries. */
export interface ResultParts {
  /** How this process saw the run end; without it the journal decides. */
  readonly outcome?: RunOutcome | undefined
  readonly hiding?: Hiding | undefined
  /** What a waiting run waits for. */
  readonly pending?: readonly PendingCall[] | undefined
}

/** Puts the result of a run together from what its entries came to. */
export function agentResult(told: ToldRun, { outcome, hiding, pending = [] }: ResultParts = {}): AgentResult<Json> {
  const { outline: fold, run, head } = told
  const { sessionId } = fold.start!
  const status = statusOf(fold, outcome)
  const { result, text, lastText } = saidOf(told, hiding)
  // Written out in one piece, which engines make quickly; what only some results have is added below.
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
  if (told.isPriced) made.cost = fold.spent.money ?? 0
  if (fold.end?.labels !== undefined) made.labels = freezeDeep(fold.end.labels)
  if (status === 'await_user') made.suspendReason = waitsOf(fold, outcome)?.reason ?? 'interrupt'
  else if (status !== 'completed') made.error = freezeDeep(errorOf(fold, status))
  sources.set(made, { told, hiding, values: new Map() })
  return Object.freeze(Object.defineProperties(made, WORKED_OUT)) as AgentResult<Json>
}

/** What a result says at once. */
type Said = Omit<AgentResult<Json>, keyof typeof REPORTED>
type Made = { -readonly [F in keyof Said]: Said[F] }

/** A run's own seed is a text; only one that a person chose is a number. */
const SEED_NUMBER = /^-?\d{1,15}$/

function reportOf(told: ToldRun): RunReport {
  const { report, outline, run } = told
  const { actions, modelCalls, memoryDeltas, warnings, traces, retryInfo } = report
  const { deterministic = false, toolResults = 'shown' } = pinsOf(outline)
  const { seed } = outline.start!
  return {
    toolsUsed: [...new Set(actions.map(({ toolId }) => toolId))],
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

/** What an agent gave at its end. */
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

function saidOf(told: ToldRun, hiding: Hiding | undefined): Pick<AgentResult<Json>, 'result' | 'text' | 'lastText'> {
  const shown = (text: string): string => (hiding === undefined ? text : hiding.text(text))
  const { outline } = told
  const output = outputOf(outline)
  if (output !== undefined) {
    const { result, text, lastText } = output
    return { result: freezeDeep(result ?? null), text: shown(text), lastText: shown(lastText ?? '') }
  }
  const spoken = told.report.messages.filter(({ role }) => role === 'assistant')
  const texts = spoken.map(textOf).filter((text) => text !== '')
  // Minds of other kinds give their result as it is.
  const result = outline.start!.mind === 'agent' ? null : freezeDeep(outline.end?.output ?? null)
  return { result, text: shown(texts.join('\n')), lastText: shown(texts.at(-1) ?? '') }
}

function usageOf({ spent }: RunOutline): TokenUsage {
  const { inputTokens = 0, outputTokens = 0, totalTokens = inputTokens + outputTokens } = spent
  return Object.freeze({ inputTokens, outputTokens, totalTokens })
}

function provenanceOf({ outline, report: { modelCalls, prompt }, head }: ToldRun): Provenance {
  const { seed, pins } = outline.start!
  return {
    models: [...new Set(modelCalls.map(({ model }) => model))],
    ...(prompt === undefined ? {} : { prompt }),
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

/** Files that models made, by name. */
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

/** A result as plain data, for files and wires. */
export function resultJson(result: AgentResult): Json {
  return JSON.parse(JSON.stringify(result)) as Json
}
