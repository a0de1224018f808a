import type { Json, Outcome } from '../../core/index.ts'
import { capabilitiesOf, outputTokensWithin, textOf, toolCallsOf } from '../../model/index.ts'
import type { ModelReply, ModelRequest, ToolCallPart, ToolChoice } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { ModelRef } from '../config/models.ts'
import type { PlanStep } from '../config/strategies.ts'
import { choiceOfTurn } from '../config/tool-choice.ts'
import { readIntents } from '../transcript/attach-intents.ts'
import { windowOf } from '../transcript/history-window.ts'
import { appendReply, appendResults } from '../transcript/message-log.ts'
import { saidOf } from '../transcript/visible-reply.ts'
import { planCell } from './cell-turn.ts'
import type { PlannedCell } from './cell-turn.ts'
import { compactHistory } from './compaction.ts'
import { planByStrategy } from './custom-strategies.ts'
import type { Loop, Stop } from './loop.ts'
import { stopFor } from './stop-reasons.ts'

export interface Plan {
  readonly steps: readonly PlanStep[]
  /** In code mode: the cell of the reply. */
  readonly cell?: PlannedCell | undefined
}

/** Plans a turn, with the model or a custom strategy. */
export function plan(loop: Loop, context: RunContext, turn: number): Promise<Plan | Stop> {
  return loop.spec.planner === undefined ? planByModel(loop, context, turn) : planByStrategy(loop, context, turn)
}

async function planByModel(loop: Loop, context: RunContext, turn: number): Promise<Plan | Stop> {
  if (loop.pins.history.compact === true) {
    const compacted = await compactHistory(loop, context)
    if (compacted !== undefined) return compacted
  }
  const asked = await askModels(loop, context, turn)
  if ('status' in asked) return asked
  const { reply, key } = asked
  const text = textOf(reply.message)
  if (loop.derivesMessages) loop.transcript.follow(reply.message)
  else {
    appendReply(context, key)
    loop.transcript.push(reply.message)
  }
  const calls = toolCallsOf(reply.message)
  const isPlain = !loop.setup.hidesIntents && loop.handles === undefined
  const shown = isPlain ? text : saidOf(loop, context, { text, isLast: calls.length === 0 })
  if (!loop.setup.isThinking) loop.say(shown)
  if (reply.finishReason === 'length' || reply.finishReason === 'content-filter') return cutShort(loop, context, reply)
  if (loop.setup.cells !== undefined) return planCell(loop, context, loop.setup.cells, { text, shown })
  if (calls.length === 0) return { steps: [{ type: 'finish', message: shown }] }
  const steps = calls.map(stepOf)
  // Read even if no intents are required: a declared one can raise the risk of its call.
  return { steps: text.includes('<intent>') ? readIntents(context, text, steps) : steps }
}

function stepOf({ name, input, toolCallId, invalid }: ToolCallPart): PlanStep {
  return { type: 'tool', toolId: name, input, toolCallId, invalid }
}

/** Tries the models in order until one answers. */
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
    const { isThinking } = loop.setup
    const call = isThinking ? 'code' : 'model'
    const key = index === 0 ? call : `${call}:${index + 1}`
    const choice = choiceOfTurn(loop.toolChoice, turn)
    const carry = requestFor(loop, context, { model, choice })
    const input = inputFor(loop, choice)
    const effect = {
      kind: 'model' as const,
      name: model.id,
      key,
      input,
      carry,
      origin: 'planner',
      isThought: isThinking,
    }
    const outcome = await context.perform<ModelReply>(effect)
    if (outcome.status === 'ok') return { reply: outcome.value, key: `turn:${turn}/${key}` }
    last = outcome
    if (outcome.status === 'failed') context.emit('model-fallback', { from: model.id, message: outcome.error.message })
    else if (isTooDear(outcome, loop)) context.emit('model-fallback', { from: model.id, message: outcome.reason })
    else break
  }
  return stopFor(last)
}

/** Whether the model was refused for its price: a cheaper one may still fit. */
function isTooDear(outcome: Outcome, { pins }: Loop): outcome is Extract<Outcome, { status: 'denied' }> {
  if (outcome.status !== 'denied' || pins.passesOver !== 'budget') return false
  return outcome.rule === 'budget/money' || outcome.rule === 'budget/price'
}

/** The journaled input: the transcript as its rolling hash, everything else as the hash of the setup. */
function inputFor({ transcript, pins, setupHash }: Loop, choice: ToolChoice | undefined): Json {
  // Frozen and with keys in canonical order, so that it is neither copied nor sorted again.
  return Object.freeze({
    maxOutputTokens: pins.maxTokens,
    setup: setupHash,
    temperature: pins.temperature,
    ...(choice === undefined ? {} : { toolChoice: Object.freeze(choice) }),
    transcript: Object.freeze({ count: transcript.length, hash: transcript.hash }),
  })
}

interface Asked {
  readonly model: ModelRef
  readonly choice: ToolChoice | undefined
}

/** The request sent to the model. It can be derived from the journal, so it is carried beside the input. */
function requestFor(loop: Loop, context: RunContext, { model, choice }: Asked): ModelRequest {
  const { setup, pins, transcript } = loop
  const withTools = model.capabilities?.tools !== false
  const messages = [...loop.preamble, ...windowOf(transcript, pins.history)]
  // Frozen, because the kernel reads it again to compute the cost of an aborted call.
  return Object.freeze({
    messages: Object.freeze(messages),
    maxOutputTokens: outputTokens(loop, context, model),
    ...(withTools && setup.tools.length > 0 ? { tools: setup.tools } : {}),
    ...(withTools && setup.tools.length > 0 && choice !== undefined ? { toolChoice: choice } : {}),
    ...(pins.temperature === null ? {} : { temperature: pins.temperature }),
    // In code mode only `answer` has the form of the output: a reply that had to be JSON could not hold a cell.
    ...(pins.output === null || setup.cells !== undefined
      ? {}
      : { responseFormat: { type: 'json' as const, schema: pins.output } }),
  })
}

/** The output limit of one call, in tokens. Without a configured limit it depends on the model and the remaining budget; only the maximum is journaled. */
function outputTokens({ pins, prices, transcript }: Loop, { budget }: RunContext, model: ModelRef): number {
  if (pins.maxTokensFollow !== true) return pins.maxTokens
  const { maxOutputTokens = pins.maxTokens } = capabilitiesOf(model, prices)
  const inputTokens = budget.isLimited('money') ? transcript.tokensFrom(0) : 0
  // The remainder contains the time that is left: reading it only where it matters keeps the logical clock of a deterministic run out of this.
  const isLimited = budget.isLimited('outputTokens') || budget.isLimited('totalTokens') || budget.isLimited('money')
  return outputTokensWithin(Math.min(pins.maxTokens, maxOutputTokens), isLimited ? budget.remaining() : {}, {
    model,
    prices,
    inputTokens,
  })
}

/** A truncated reply: its calls are not performed. */
function cutShort(loop: Loop, context: RunContext, { finishReason, message: reply }: ModelReply): Stop {
  answerUnperformed(loop, context, toolCallsOf(reply))
  if (finishReason !== 'length')
    return { status: 'failed', code: 'MODEL_FAILED', message: 'The provider withheld the answer (content filter).' }
  const message = `The model's reply was cut at ${loop.pins.maxTokens} tokens. Raise \`maxTokens\`.`
  return { status: 'max_tokens', code: 'OUTPUT_TRUNCATED', message }
}

/** Adds results for its calls, so that the conversation stays valid. */
function answerUnperformed(loop: Loop, context: RunContext, calls: readonly ToolCallPart[]): void {
  if (calls.length === 0) return
  const value = 'Not performed: the reply was cut.'
  const results = calls.map(({ toolCallId, name }) => {
    return { type: 'tool-result' as const, toolCallId, name, status: 'cancelled' as const, value }
  })
  loop.transcript.push(appendResults(context, results))
}
