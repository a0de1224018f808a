import { MandateError } from '../core/index.ts'
import type { Json, Outcome } from '../core/index.ts'
import { assistantMessage, textOf, toolCallsOf } from '../model/index.ts'
import type { ModelReply, ModelRequest, Part, ToolCallPart } from '../model/index.ts'
import type { RunContext } from '../run/index.ts'
import { compactHistory } from './compaction.ts'
import { withIntents } from './declaring.ts'
import type { Loop, Stop } from './loop.ts'
import { appendReply, appendResults } from './message-log.ts'
import { stopFor } from './stopping.ts'
import type { PlanStep } from './strategies.ts'
import { addMessage, plannerState, sayAloud } from './strategy-state.ts'
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
  const steps = (decided as unknown as readonly PlanStep[]).map((step, index) =>
    step.type === 'tool' ? { ...step, toolCallId: `call_${turn}_${index + 1}` } : step,
  )
  const texts = steps.flatMap(({ type, message }) => (type === 'message' || type === 'finish' ? (message ?? []) : []))
  for (const text of texts) sayAloud(loop, context, text)
  const said = texts.filter((text) => text !== '').join('\n')
  // Calls of a planner stand in the conversation like those of a model: otherwise their results would answer nothing.
  const content: readonly Part[] = [
    ...(said === '' ? [] : [{ type: 'text' as const, text: said }]),
    ...steps.flatMap((step) => (step.type === 'tool' ? [callOf(step)] : [])),
  ]
  if (content.length > 0) addMessage(loop, context, assistantMessage(content))
  return { steps }
}

function callOf({ toolCallId, toolId, input }: PlanStep): ToolCallPart {
  return { type: 'tool-call', toolCallId: toolCallId!, name: toolId!, input: input ?? {} }
}

const STEP_TYPES: readonly unknown[] = ['tool', 'message', 'finish', 'internal']

function checkStep(step: PlanStep): void {
  const isKnown = typeof step === 'object' && step !== null && STEP_TYPES.includes(step.type)
  if (!isKnown) {
    const given = JSON.stringify(step) ?? typeof step
    throw new MandateError(
      'CONFIG_INVALID',
      `The planner gave ${given}. A step needs a \`type\`: ${STEP_TYPES.join(', ')}.`,
    )
  }
  if (step.type === 'tool' && typeof step.toolId !== 'string') {
    throw new MandateError('CONFIG_INVALID', 'The planner gave a step of type "tool" without a `toolId`.')
  }
}

async function planByModel(loop: Loop, context: RunContext, turn: number): Promise<Plan | Stop> {
  const compacted = await compactHistory(loop, context)
  if (compacted !== undefined) return compacted
  const asked = await askModels(loop, context, turn)
  if ('status' in asked) return asked
  const { reply, key } = asked
  const text = textOf(reply.message)
  if (loop.derivesMessages) loop.transcript.follow(reply.message)
  else {
    appendReply(context, key)
    loop.transcript.push(reply.message)
  }
  loop.say(text)
  const calls = toolCallsOf(reply.message)
  const cut = cutShort(loop, reply)
  if (cut !== undefined) {
    answerUnperformed(loop, context, calls)
    return cut
  }
  if (calls.length === 0) return { steps: [{ type: 'finish', message: text }] }
  return { steps: withIntents(context, text, calls.map(stepOf)) }
}

function stepOf({ name, input, toolCallId, invalid }: ToolCallPart): PlanStep {
  return { type: 'tool', toolId: name, input, toolCallId, invalid }
}

/** A reply that is not whole is not acted upon. */
function cutShort(loop: Loop, { finishReason }: ModelReply): Stop | undefined {
  if (finishReason === 'length') {
    const message = `The model's reply was cut at ${loop.pins.maxTokens} tokens. Raise \`maxTokens\`.`
    return { status: 'max_tokens', code: 'OUTPUT_TRUNCATED', message }
  }
  if (finishReason !== 'content-filter') return undefined
  return { status: 'failed', code: 'MODEL_FAILED', message: 'The provider withheld the answer (content filter).' }
}

/** Its calls get their results all the same, so that the conversation stays valid. */
function answerUnperformed(loop: Loop, context: RunContext, calls: readonly ToolCallPart[]): void {
  if (calls.length === 0) return
  const value = 'Not performed: the reply was cut.'
  const results = calls.map(({ toolCallId, name }) => {
    return { type: 'tool-result' as const, toolCallId, name, status: 'cancelled' as const, value }
  })
  loop.transcript.push(appendResults(context, results))
}

/** Asks one model after another until one answers. */
async function askModels(
  loop: Loop,
  context: RunContext,
  turn: number,
): Promise<{ reply: ModelReply; key: string } | Stop> {
  let last: Exclude<Outcome, { status: 'ok' }> = {
    status: 'failed',
    error: { code: 'CONFIG_INVALID', message: 'There is no model to ask.' },
  }
  for (const [index, model] of loop.setup.models.entries()) {
    const key = index === 0 ? 'model' : `model:${index + 1}`
    const carry = requestFor(loop, model.capabilities?.tools !== false)
    const effect = { kind: 'model' as const, name: model.id, key, input: inputFor(loop), carry, origin: 'planner' }
    const outcome = await context.perform<ModelReply>(effect)
    if (outcome.status === 'ok') return { reply: outcome.value, key: `turn:${turn}/${key}` }
    last = outcome
    if (outcome.status !== 'failed') break
    context.emit('model-fallback', { from: model.id, message: outcome.error.message })
  }
  return stopFor(last)
}

/** What is hashed and journaled: the transcript by its rolling hash, everything else by the hash of the set-up. */
function inputFor({ transcript, pins, setupHash }: Loop): Json {
  return {
    transcript: { count: transcript.length, hash: transcript.hash },
    setup: setupHash,
    maxOutputTokens: pins.maxTokens,
    temperature: pins.temperature,
  }
}

/** What the model is really sent. It follows from the journal, so it is carried beside the input instead of in it. */
function requestFor(loop: Loop, withTools: boolean): ModelRequest {
  const { setup, pins, transcript } = loop
  return {
    messages: [...loop.preamble, ...transcript.messages.slice(windowStart(transcript, pins.history))],
    maxOutputTokens: pins.maxTokens,
    ...(withTools && setup.tools.length > 0 ? { tools: setup.tools } : {}),
    ...(pins.temperature === null ? {} : { temperature: pins.temperature }),
    ...(pins.output === null ? {} : { responseFormat: { type: 'json' as const, schema: pins.output } }),
  }
}
