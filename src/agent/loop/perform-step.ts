import type { Json, Outcome } from '../../core/index.ts'
import { userMessage } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import { answerOf } from '../output/agent-answer.ts'
import type { Loop } from './loop.ts'
import type { AgentInput } from '../output/output-types.ts'
import type { PlanStep } from '../config/strategies.ts'
import { inputLabels } from '../transcript/input-labels.ts'
import { intentOf } from '../transcript/attach-intents.ts'
import { isSpawn, performSpawn, withheldBy } from './spawn.ts'

/** A step to be performed, with the last part of its key. */
export interface Call {
  readonly step: PlanStep
  readonly key: string
  /** The source of the step. */
  readonly origin: string
}

/** Performs a call of a tool, or of another agent under a tool's name. */
export async function performStep(loop: Loop, context: RunContext, call: Call): Promise<Outcome<Json>> {
  const { key, origin } = call
  const resolved = loop.handles?.resolve(call.step, loop.said, context.labels) ?? call.step
  if ('status' in resolved) return resolved
  const step = resolved
  const name = step.toolId!
  if (isSpawn(loop, step)) return answerOf(await performSpawn(loop, context, { ...call, step }))
  const isDeclared = step.intent !== undefined || step.intentProblem !== undefined
  const intent = isDeclared ? intentOf(step) : {}
  if (loop.pins.agents.some((agent) => agent.name === name))
    return answerOf(
      await context.perform({
        kind: 'agent',
        name,
        input: taskFor(loop, step),
        key,
        origin,
        ...intent,
        ...withheldBy(loop, step),
      }),
    )
  const { graphs = [], programs = [] } = loop.pins
  if (graphs.some((graph) => graph.name === name))
    return context.perform({
      kind: 'graph',
      name,
      input: step.input ?? {},
      key,
      origin,
      ...intent,
      ...withheldBy(loop, step),
    })
  if (programs.some((program) => program.name === name))
    return answerOf(
      await context.perform({
        kind: 'program',
        name,
        // The whole input is the argument, even if it has fields that look like options.
        input: { $args: step.input ?? {} },
        key,
        origin,
        ...intent,
        ...withheldBy(loop, step),
      }),
    )
  const { spec, transcript } = loop
  const carry = {
    toolCallId: step.toolCallId,
    conversation: transcript.messages,
    agent: Object.freeze({ id: spec.id, name: spec.name }),
    metadata: spec.metadata,
  }
  const input = step.input ?? {}
  const shown = context.labels
  const labels = step.labels ?? (shown.length === 0 ? undefined : inputLabels(input, loop.said, shown))
  const isWithheld = loop.handles !== undefined
  return context.perform({ kind: 'tool', name, input, key, origin, carry, labels, isWithheld, ...intent })
}

/** The input of the other agent: the task, and the context of this run, but not its conversation. */
function taskFor(loop: Loop, { input }: PlanStep): AgentInput {
  const prompt = (input as { prompt?: Json } | null | undefined)?.prompt ?? ''
  const text = typeof prompt === 'string' ? prompt : JSON.stringify(prompt)
  return { prompt: userMessage(text), history: [], context: loop.context }
}
