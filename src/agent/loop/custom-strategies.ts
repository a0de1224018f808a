import { DEFAULT_RUN_LIMITS, MandateError, failed, messageOf } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import type { MandateEvent } from '../../journal/index.ts'
import { assistantMessage } from '../../model/index.ts'
import type { Part, ToolCallPart } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import { capResult, isConnectorResult } from '../../tool/index.ts'
import type { PlanStep, Reflection } from '../config/strategies.ts'
import { addMessage, plannerState, sayAloud, tellModel } from '../config/strategy-state.ts'
import { AnswerStream } from './answer-stream.ts'
import type { Done, Numbered } from './act.ts'
import type { Loop, Stop } from './loop.ts'
import type { Plan } from './plan.ts'

/** Runs a custom runner. */
export async function runOwn(loop: Loop, context: RunContext): Promise<Stop> {
  loop.phase.move('executing')
  const answer = new AnswerStream(context)
  const speak = (event: MandateEvent): void => answer.add(event)
  const input = { messages: [...loop.transcript.messages], context: loop.context, speak }
  const { text, result } = await loop.spec.runner!.run(context, loop.spec, loop.prompt, input)
  loop.phase.move('reconciling')
  if (answer.text === '') sayAloud(loop, context, text)
  else {
    loop.say(text)
    answer.end(text)
  }
  return { status: 'completed', result: result ?? text }
}

/** Plans a turn with a custom planner. */
export async function planByStrategy(loop: Loop, context: RunContext, turn: number): Promise<Plan> {
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
  // Calls of a planner are in the conversation like those of a model: otherwise their results would answer nothing.
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

/** Performs a step with a custom executor. */
export async function carryOutByStrategy(
  loop: Loop,
  context: RunContext,
  { step, key, turn }: Numbered,
): Promise<Done> {
  const messages = [...loop.transcript.messages]
  const outcome = await context.record(key, async (strand): Promise<Json> => {
    try {
      const perform = strand.perform.bind(strand)
      return asJson(
        outcomeOf(await loop.spec.executor!.execute(Object.freeze({ ...step }), { turn, messages, perform })),
      )
    } catch (error) {
      return asJson(failed('TOOL_FAILED', messageOf(error)))
    }
  })
  return { step, outcome: outcome as unknown as Outcome<Json> }
}

/** The outcome of an executor: its value, or `{ ok, output, error }`. */
function outcomeOf(given: unknown): Outcome<Json> {
  const { value } = capResult(given, DEFAULT_RUN_LIMITS.resultBytes)
  if (!isConnectorResult(value)) return { status: 'ok', value }
  const { ok, output = null, error } = value as { ok: boolean; output?: Json; error?: { message?: Json } }
  if (ok) return { status: 'ok', value: output }
  const message = error?.message ?? output
  return failed('TOOL_FAILED', typeof message === 'string' ? message : JSON.stringify(message))
}

function asJson(outcome: Outcome<Json>): Json {
  return outcome as unknown as Json
}

/** Asks a custom reflector about a turn. Returns a stop, that the loop continues, or `undefined` if the reflector leaves it to the plan. */
export async function askReflector(
  loop: Loop,
  context: RunContext,
  turn: number,
): Promise<{ readonly stop?: Stop | undefined } | undefined> {
  const decided = (await context.record('reflect', async (strand) => {
    return ((await loop.spec.reflector!.reflect(plannerState(loop, strand, turn))) ?? null) as Json
  })) as unknown as Reflection | null
  if (decided?.message !== undefined) tellModel(loop, context, decided.message)
  if (decided?.done === true) return { stop: { status: 'completed', result: decided.result ?? loop.text } }
  return decided?.done === false ? {} : undefined
}
