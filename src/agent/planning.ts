import { MandateError } from '../core/index.ts'
import type { Json, Outcome } from '../core/index.ts'
import { assistantMessage, systemMessage, textOf, toolCallsOf } from '../model/index.ts'
import type { ModelReply, ModelRequest, ToolCallPart } from '../model/index.ts'
import type { RunContext } from '../run/index.ts'
import { compactHistory } from './compaction.ts'
import type { Loop, Stop } from './loop.ts'
import { appendReply, appendResults } from './message-log.ts'
import { stopFor } from './stopping.ts'
import type { PlanStep } from './strategies.ts'
import { addMessage, plannerState } from './turn.ts'
import { windowStart } from './window.ts'

export interface Plan {
  readonly steps: readonly PlanStep[]
}

/** The planner's part of a turn: a strategy of the host's own, or the model. */
export async function plan(loop: Loop, context: RunContext, turn: number): Promise<Plan | Stop> {
  return loop.spec.planner === undefined ? planByModel(loop, context, turn) : planByStrategy(loop, context, turn)
}

async function planByStrategy(loop: Loop, context: RunContext, turn: number): Promise<Plan> {
  const planner = loop.spec.planner!
  const decided = await context.record('plan', async (strand) => {
    const steps = [await planner.plan(plannerState(loop, strand, turn))].flat()
    for (const step of steps) checkStep(step)
    return steps as unknown as Json
  })
  const steps = decided as unknown as readonly PlanStep[]
  for (const step of steps) {
    if (step.type !== 'message' && step.type !== 'finish') continue
    if (step.message === undefined || step.message === '') continue
    loop.say(step.message)
    addMessage(loop, context, assistantMessage(step.message))
  }
  return { steps }
}

const STEP_TYPES: readonly unknown[] = ['tool', 'message', 'finish', 'internal']

function checkStep(step: PlanStep): void {
  const isKnown = typeof step === 'object' && step !== null && STEP_TYPES.includes(step.type)
  if (!isKnown) throw new MandateError('CONFIG_INVALID', `The planner gave ${JSON.stringify(step)}. A step needs a \`type\`: ${STEP_TYPES.join(', ')}.`)
  if (step.type === 'tool' && typeof step.toolId !== 'string') throw new MandateError('CONFIG_INVALID', 'A step of type "tool" needs a `toolId`.')
}

async function planByModel(loop: Loop, context: RunContext, turn: number): Promise<Plan | Stop> {
  const compacted = await compactHistory(loop, context)
  if (compacted !== undefined) return compacted
  const asked = await askModels(loop, context, turn)
  if ('status' in asked) return asked
  const { reply, key } = asked
  appendReply(context, key)
  loop.transcript.push(reply.message)
  loop.say(textOf(reply.message))
  const calls = toolCallsOf(reply.message)
  if (reply.finishReason === 'length') return truncated(loop, context, calls)
  if (reply.finishReason === 'content-filter') return { status: 'failed', code: 'MODEL_FAILED', message: 'The provider withheld the answer (content filter).' }
  if (calls.length === 0) return { steps: [{ type: 'finish', message: textOf(reply.message) }] }
  return { steps: calls.map((call): PlanStep => ({ type: 'tool', toolId: call.name, input: call.input, toolCallId: call.toolCallId, invalid: call.invalid })) }
}

/** A reply that was cut is not acted upon; its calls get their results all the same, so that the conversation stays valid. */
function truncated(loop: Loop, context: RunContext, calls: readonly ToolCallPart[]): Stop {
  if (calls.length > 0) {
    const results = calls.map(({ toolCallId, name }) => ({ type: 'tool-result' as const, toolCallId, name, status: 'cancelled' as const, value: 'Not performed: the reply was cut.' }))
    loop.transcript.push(appendResults(context, results))
  }
  return { status: 'max_tokens', code: 'OUTPUT_TRUNCATED', message: `The model's reply was cut at ${loop.pins.maxTokens} tokens. Raise \`maxTokens\`.` }
}

/** Asks one model after another until one answers. */
async function askModels(loop: Loop, context: RunContext, turn: number): Promise<{ reply: ModelReply; key: string } | Stop> {
  let last: Outcome = { status: 'failed', error: { code: 'CONFIG_INVALID', message: 'There is no model to ask.' } }
  for (const [index, model] of loop.setup.models.entries()) {
    const name = index === 0 ? 'model' : `model:${index + 1}`
    const request = requestFor(loop, model.capabilities?.tools !== false)
    const outcome = await context.perform<ModelReply>({ kind: 'model', name: model.id, key: name, input: inputFor(loop), carry: request, origin: 'planner' })
    if (outcome.status === 'ok') return { reply: outcome.value, key: `turn:${turn}/${name}` }
    last = outcome
    if (outcome.status !== 'failed') break
    context.emit('model-fallback', { from: model.id, message: outcome.error.message })
  }
  return stopFor(last) ?? { status: 'failed', code: 'MODEL_FAILED', message: 'The model gave no answer.' }
}

/** What is hashed and journaled: the transcript by its rolling hash, everything else by the hash of the set-up. */
function inputFor(loop: Loop): Json {
  const { transcript, pins, setupHash } = loop
  return { transcript: { count: transcript.length, hash: transcript.hash }, setup: setupHash, maxOutputTokens: pins.maxTokens, temperature: pins.temperature }
}

/** What the model is really sent. It follows from the journal, so it is carried beside the input instead of in it. */
function requestFor(loop: Loop, withTools: boolean): ModelRequest {
  const { setup, pins, transcript } = loop
  const system = setup.systemPrompt === '' ? [] : [systemMessage(setup.systemPrompt)]
  const shown = transcript.messages.slice(windowStart(transcript, pins.history))
  return {
    messages: [...system, ...setup.recalled, ...shown],
    maxOutputTokens: pins.maxTokens,
    ...(withTools && setup.tools.length > 0 ? { tools: setup.tools } : {}),
    ...(pins.temperature === null ? {} : { temperature: pins.temperature }),
    ...(pins.output === null ? {} : { responseFormat: { type: 'json' as const, schema: pins.output } }),
  }
}
