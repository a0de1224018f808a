import { describeOutcome, failed } from '../core/index.ts'
import type { Json, Outcome } from '../core/index.ts'
import type { RunContext } from '../run/index.ts'
import { tryAnotherTool } from './fallback.ts'
import { NUDGE } from './ladder.ts'
import type { Loop, Stop } from './loop.ts'
import { appendResults } from './message-log.ts'
import type { LoggedResult } from './message-log.ts'
import type { AgentOutput } from './output-types.ts'
import { stopForTool } from './stopping.ts'
import type { ActionResult, PlanStep } from './strategies.ts'

interface Turn {
  readonly turn: number
  readonly steps: readonly PlanStep[]
}

interface Done {
  readonly step: PlanStep
  readonly key: string
  readonly outcome: Outcome<Json>
}

/** Carries out the steps of a turn: tools side by side, their results in the order of the calls. */
export async function act(loop: Loop, context: RunContext, { turn, steps }: Turn): Promise<{ actions: readonly ActionResult[]; stop?: Stop | undefined }> {
  const tools = steps.filter(({ type }) => type === 'tool')
  const done = await Promise.all(tools.map((step, index) => carryOut(loop, context, { step, key: `tool:${index + 1}`, turn })))
  const { stop, notes } = judge(loop, done)
  if (done.length > 0) addResults(loop, context, done, notes)
  const results = new Map(done.map((one) => [one.step, one]))
  return { stop, actions: steps.map((step, index) => actionOf(step, `${turn}.${index + 1}`, results.get(step)?.outcome)) }
}

async function carryOut(loop: Loop, context: RunContext, { step, key, turn }: { step: PlanStep; key: string; turn: number }): Promise<Done> {
  const full = `turn:${turn}/${key}`
  if (step.invalid !== undefined) {
    return { step, key: '', outcome: failed('INPUT_INVALID', `The arguments are not valid JSON: ${step.invalid.slice(0, 200)}. Send one JSON object.`) }
  }
  const { executor } = loop.spec
  if (executor === undefined) {
    const outcome = await performStep(loop, context, { step, key })
    const recovered = outcome.status === 'failed' && outcome.fatal !== true ? await tryAnotherTool(loop, context, { step, key, outcome }) : undefined
    return recovered === undefined ? { step, key: full, outcome } : { step, key: '', outcome: recovered }
  }
  const outcome = await context.record(key, async (strand): Promise<Json> => {
    try {
      const perform = strand.perform.bind(strand)
      return { status: 'ok', value: (await executor.execute(step, { turn, messages: loop.transcript.messages, perform })) ?? null }
    } catch (error) {
      return failed('TOOL_FAILED', error instanceof Error ? error.message : String(error)) as unknown as Json
    }
  })
  return { step, key: '', outcome: outcome as unknown as Outcome<Json> }
}

/** A tool, or another agent under a tool's name. */
export async function performStep(loop: Loop, context: RunContext, { step, key, origin }: { step: PlanStep; key: string; origin?: string }): Promise<Outcome<Json>> {
  const name = step.toolId!
  const from = origin ?? (loop.spec.planner === undefined ? 'model' : 'planner')
  if (loop.pins.agents.includes(name)) {
    const prompt = (step.input as { prompt?: Json } | null)?.prompt
    const input = { prompt: { role: 'user', content: [{ type: 'text', text: typeof prompt === 'string' ? prompt : JSON.stringify(prompt ?? '') }] }, history: [], context: loop.context }
    const outcome = await context.perform<AgentOutput>({ kind: 'agent', name, input, key, origin: from })
    return outcome.status === 'ok' ? { ...outcome, value: outcome.value.result ?? outcome.value.text } : outcome
  }
  const carry = { toolCallId: step.toolCallId, conversation: loop.transcript.messages, agent: { id: loop.spec.id }, metadata: loop.spec.metadata }
  return context.perform({ kind: 'tool', name, input: step.input ?? {}, key, origin: from, carry })
}

function judge(loop: Loop, done: readonly Done[]): { stop: Stop | undefined; notes: readonly string[] } {
  let stop: Stop | undefined
  const notes = done.map(({ step, outcome }) => {
    stop ??= stopForTool(step.toolId!, outcome)
    const judged = loop.ladder.judge(step.toolId!, step.input ?? null, outcome)
    if (judged === 'stop') stop ??= { status: 'failed', code: 'NO_PROGRESS', message: `"${step.toolId!}" failed three times with the same input: ${describeOutcome(outcome)}` }
    return judged === 'nudge' ? NUDGE : ''
  })
  return { stop, notes }
}

/** Every call has exactly one result before the next request, also when the run is about to end. */
function addResults(loop: Loop, context: RunContext, done: readonly Done[], notes: readonly string[]): void {
  const outcomes = new Map(done.map(({ key, outcome }) => [key, outcome]))
  const results = done.map(({ step, key, outcome }, index): LoggedResult => {
    const note = notes[index]!
    const call = { toolCallId: step.toolCallId ?? `${step.toolId!}-${index + 1}`, name: step.toolId! }
    if (key !== '') return note === '' ? { ...call, ref: key } : { ...call, ref: key, note }
    const value: Json = outcome.status === 'ok' ? outcome.value : describeOutcome(outcome) + note
    return { type: 'tool-result', ...call, status: outcome.status === 'ok' ? 'ok' : 'error', value }
  })
  loop.transcript.push(appendResults(context, results, outcomes))
}

function actionOf(step: PlanStep, id: string, outcome: Outcome<Json> | undefined): ActionResult {
  const { type, toolId, toolCallId, input, message } = step
  if (outcome === undefined) return { id, type, ok: true, status: 'ok', output: message ?? null }
  const base = { id, type, toolId, toolCallId, input, status: outcome.status }
  if (outcome.status === 'ok') return { ...base, ok: true, output: outcome.value }
  const code = outcome.status === 'failed' ? outcome.error.code : outcome.status === 'denied' ? outcome.code : outcome.status
  return { ...base, ok: false, error: { code, message: describeOutcome(outcome) } }
}
