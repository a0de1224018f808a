import type { Json } from '../core/index.ts'
import { foldRun } from '../journal/index.ts'
import type { Entry, RunEndData, RunFold } from '../journal/index.ts'
import { textOf } from '../model/index.ts'
import type { Message } from '../model/index.ts'
import type { RunOutcome } from '../run/index.ts'
import type { AgentInput, AgentOutput, AgentStatus } from './output-types.ts'
import type { Phase } from './phase.ts'
import { foldReport } from './report.ts'
import type { Report } from './report.ts'
import type { AgentResult, ResultUsage } from './result-types.ts'

/** Folds a run's journal into its result. `outcome` is how this process saw it end; without it the journal alone speaks. */
export function agentResult(entries: readonly Entry[], outcome?: RunOutcome, options: { deterministic?: boolean } = {}): AgentResult {
  const fold = foldRun(entries)
  const report = foldReport(entries)
  const start = fold.start!
  const output = outputOf(fold.end)
  const status = statusOf(fold, outcome, output)
  const texts = report.messages.filter(({ role }) => role === 'assistant').map(textOf).filter((text) => text !== '')
  const text = output?.text ?? texts.join('\n')
  const usage = usageOf(fold)
  const last = entries.at(-1)!
  const assistantMessage = report.messages.findLast(({ role }) => role === 'assistant') ?? null
  return Object.freeze({
    id: last.run,
    sessionId: start.sessionId,
    success: status === 'completed',
    done: status === 'completed',
    status,
    phase: phaseOf(status),
    result: output?.result ?? null,
    text,
    lastText: output?.lastText ?? texts.at(-1) ?? '',
    summary: text,
    response: text,
    assistantMessage,
    intermediateMessages: report.messages.filter((message) => message !== assistantMessage),
    toolsUsed: [...new Set(report.actions.map(({ toolId }) => toolId))],
    tokenUsage: usage,
    usage,
    ...(report.isPriced ? { costEstimate: fold.spent.money ?? 0 } : {}),
    steps: output?.turns ?? report.turns,
    actions: report.actions,
    modelCalls: report.modelCalls,
    memoryDeltas: report.memoryDeltas,
    provenance: { models: [...new Set(report.modelCalls.map(({ model }) => model))], pins: start.pins, head: { seq: last.seq, hash: last.hash } },
    diagnostics: { warnings: report.warnings, traces: [] },
    metrics: report.metrics(fold.end?.activeMs ?? fold.activeMs),
    retryInfo: report.retryInfo,
    seed: start.seed,
    deterministic: options.deterministic ?? false,
    aborted: status === 'cancelled',
    eventStream: `journal:${last.run}`,
    attachments: attachmentsOf(report),
    startedAt: iso(fold.startedAt),
    finishedAt: iso(last.at),
    ...errorOf(fold, outcome, status),
    ...(status === 'await_user' ? { suspendReason: suspendReason(fold, outcome) } : {}),
    pending: outcome?.state === 'suspended' ? outcome.pending : (fold.suspend?.pending ?? []),
  })
}

/** What the run was asked and said, in order: history and prompt first. */
export function conversationOf(entries: readonly Entry[]): readonly Message[] {
  const input = foldRun(entries).start!.input as unknown as AgentInput
  return [...input.history, ...(input.prompt === null ? [] : [input.prompt]), ...foldReport(entries).messages]
}

function outputOf(end: RunEndData | undefined): AgentOutput | undefined {
  const output = end?.output as unknown as AgentOutput | null | undefined
  return typeof output?.text === 'string' ? output : undefined
}

function statusOf(fold: RunFold, outcome: RunOutcome | undefined, output: AgentOutput | undefined): AgentStatus {
  const state = outcome?.state ?? fold.state
  switch (state) {
    case 'completed':
      return output?.status === 'cancelled' ? 'cancelled' : 'completed'
    case 'cancelled':
      return 'cancelled'
    case 'failed':
      return output?.status === 'max_turns' || output?.status === 'max_tokens' ? output.status : 'failed'
    default:
      return 'await_user'
  }
}

function phaseOf(status: AgentStatus): Phase {
  return status === 'completed' || status === 'await_user' ? status : 'failed'
}

function suspendReason(fold: RunFold, outcome: RunOutcome | undefined): AgentResult['suspendReason'] {
  return outcome?.state === 'suspended' ? outcome.reason : (fold.suspend?.reason ?? 'interrupt')
}

function errorOf(fold: RunFold, outcome: RunOutcome | undefined, status: AgentStatus): Pick<AgentResult, 'error'> {
  if (status === 'completed') return {}
  if (outcome?.state === 'suspended' && outcome.error !== undefined) return { error: outcome.error }
  if (status === 'await_user') return { error: { code: 'APPROVAL_REQUIRED', message: 'The run waits. Answer what is pending, then resume it.' } }
  const error = fold.end?.error
  return { error: error ?? { code: status === 'cancelled' ? 'CANCELLED' : 'INTERNAL', message: status } }
}

function usageOf({ spent }: RunFold): ResultUsage {
  const inputTokens = spent.inputTokens ?? 0
  const outputTokens = spent.outputTokens ?? 0
  return { inputTokens, outputTokens, totalTokens: spent.totalTokens ?? inputTokens + outputTokens, promptTokens: inputTokens, completionTokens: outputTokens }
}

/** Files that models made, by name. */
function attachmentsOf({ messages }: Report): { readonly [name: string]: string } {
  const files: Record<string, string> = {}
  for (const { role, content } of messages) {
    for (const part of role === 'assistant' ? content : []) {
      if (part.type !== 'file' && part.type !== 'image') continue
      files[part.filename ?? `${part.type}-${Object.keys(files).length + 1}`] = part.url ?? `data:${part.mediaType};base64,${part.data ?? ''}`
    }
  }
  return files
}

function iso(at: number): string {
  return new Date(at).toISOString()
}

/** A result as plain data, for files and wires. */
export function resultJson(result: AgentResult): Json {
  return JSON.parse(JSON.stringify(result)) as Json
}
