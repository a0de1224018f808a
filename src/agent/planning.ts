import type { Json, Outcome } from '../core/index.ts'
import { textOf, toolCallsOf } from '../model/index.ts'
import type { ModelReply, ModelRequest, ToolCallPart } from '../model/index.ts'
import type { RunContext } from '../run/index.ts'
import { withIntents } from './declaring.ts'
import { agentLater } from './later.ts'
import type { Loop, Stop } from './loop.ts'
import { appendReply, appendResults } from './message-log.ts'
import { stopFor } from './stopping.ts'
import type { PlanStep } from './strategies.ts'
import { windowStart } from './window.ts'

export interface Plan {
  readonly steps: readonly PlanStep[]
}

/** The planner's part of a turn: a strategy of the host's own, or the model. */
export function plan(loop: Loop, context: RunContext, turn: number): Promise<Plan | Stop> {
  return loop.spec.planner === undefined
    ? planByModel(loop, context, turn)
    : Promise.resolve(agentLater(({ planByStrategy }) => planByStrategy(loop, context, turn)))
}

async function planByModel(loop: Loop, context: RunContext, turn: number): Promise<Plan | Stop> {
  if (loop.pins.history.compact === true) {
    const compacted = await agentLater(({ compactHistory }) => compactHistory(loop, context))
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
  const said = isPlain ? text : saidOf(loop, context, { text, isLast: calls.length === 0 })
  const shown = typeof said === 'string' ? said : await said
  loop.say(shown)
  const cut = cutShort(loop, reply)
  if (cut !== undefined) {
    answerUnperformed(loop, context, calls)
    return cut
  }
  if (calls.length === 0) return { steps: [{ type: 'finish', message: shown }] }
  const steps = withIntents(context, text, calls.map(stepOf))
  return { steps: steps instanceof Promise ? await steps : steps }
}

/** What the user is told of a reply: not what it declares, and in the last one what its handles stand for. */
function saidOf(
  loop: Loop,
  context: RunContext,
  { text, isLast }: { text: string; isLast: boolean },
): string | Promise<string> {
  const isDeclaring = loop.setup.hidesIntents && text.includes('<intent>')
  const said = isDeclaring ? agentLater(({ withoutIntents }) => withoutIntents(text)) : text
  if (loop.handles === undefined || !isLast) return said
  return typeof said === 'string'
    ? fillAnswer(loop, context, said)
    : said.then((late) => fillAnswer(loop, context, late))
}

function fillAnswer({ handles, pins }: Loop, context: RunContext, said: string): string {
  if (handles === undefined) return said
  const filled = handles.filledAnswer(said, pins.output !== null)
  context.admit(filled.labels)
  return filled.text
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
  // Frozen and in the order in which it is written, so that nobody has to copy or sort it.
  return Object.freeze({
    maxOutputTokens: pins.maxTokens,
    setup: setupHash,
    temperature: pins.temperature,
    transcript: Object.freeze({ count: transcript.length, hash: transcript.hash }),
  })
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
