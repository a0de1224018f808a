import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { assistantMessage } from '../../model/index.ts'
import type { Part, ToolCallPart } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { Loop } from './loop.ts'
import type { Plan } from './plan.ts'
import type { PlanStep } from '../config/strategies.ts'
import { addMessage, plannerState, sayAloud } from '../config/strategy-state.ts'

/** A turn planned by a strategy of the host's own. */
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
