import { MandateError, failed } from '../../../core/index.ts'
import type { Json, Outcome } from '../../../core/index.ts'
import { readIntents, intentOf, toolResult } from '../../../agent/index.ts'
import type { PlanStep } from '../../../agent/index.ts'
import { textOf as messageText, toolCallsOf, toolMessage } from '../../../model/index.ts'
import type { Message } from '../../../model/index.ts'
import type { CompiledGraph } from '../compiled-graph.ts'
import { valueOf } from '../graph-context.ts'
import type { NodeResult } from '../node-result.ts'
import { inputOf } from './node-task.ts'
import type { NodeTask } from './node-task.ts'

/** Makes one call of a tool; its value is the result. */
export async function callTool(task: NodeTask): Promise<NodeResult> {
  const { node, context, names, graph } = task
  const { tool } = node.spec
  if (tool === undefined)
    throw new MandateError('CONFIG_INVALID', `Node "${node.name}" is of kind \`tool\` and names no tool.`)
  const carry = { agent: { id: graph.blueprint.name, name: graph.blueprint.name } }
  const name = names.find('tool', tool) ?? tool
  return {
    result: valueOf(await context.perform({ kind: 'tool', name, input: inputOf(task), carry, origin: 'graph' })),
  }
}

/** Performs the calls of the last reply in the conversation, in parallel; their results are appended in the order of the calls. */
export async function callTools(task: NodeTask): Promise<NodeResult> {
  const { graph, state, context, activation } = task
  const channel = graph.conversation!
  const talk = (state[channel] ?? []) as unknown as readonly Message[]
  const last = talk.at(-1)
  const calls = last === undefined || last.role !== 'assistant' ? [] : toolCallsOf(last)
  if (calls.length === 0) return {}
  const steps = calls.map(({ name, input, toolCallId, invalid }): PlanStep => ({
    type: 'tool',
    toolId: name,
    input,
    toolCallId,
    invalid,
  }))
  const text = messageText(last!)
  const planned = text.includes('<intent>') ? readIntents(context, text, steps) : steps
  const outcomes = await Promise.all(planned.map((step, index) => carryOut(task, step, { talk, index })))
  const fatal = outcomes.find((outcome) => outcome.status === 'failed' && outcome.fatal === true)
  if (fatal !== undefined) valueOf(fatal)
  const parts = outcomes.map((outcome, index) => toolResult(calls[index]!, outcome))
  const message = { id: activation.key.slice('node:'.length), ...toolMessage(parts) }
  return { update: { [channel]: message } }
}

/** The tools offered to models of the graph: a call of any other is refused. */
function offeredIn({ blueprint }: CompiledGraph): readonly string[] {
  return blueprint.nodes.flatMap(({ tools = [] }) => tools)
}

interface Place {
  readonly talk: readonly Message[]
  readonly index: number
}

async function carryOut(task: NodeTask, step: PlanStep, { talk, index }: Place): Promise<Outcome<Json>> {
  const { context, graph, node, names } = task
  if (step.invalid !== undefined)
    return failed(
      'INPUT_INVALID',
      `The arguments are not valid JSON: ${step.invalid.slice(0, 200)}. Send one JSON object.`,
    )
  const allowed = node.spec.tools ?? offeredIn(graph)
  const asked = step.toolId!
  const meant = names.find('tool', asked) ?? asked
  // Models get the registered names, but the graph may use aliases of them.
  if (!allowed.some((each) => each === asked || names.find('tool', each) === meant))
    return failed('TOOL_UNKNOWN', `Node "${node.name}" calls no tool "${asked}". It calls: ${allowed.join(', ')}.`)
  const { blueprint } = graph
  const carry = {
    toolCallId: step.toolCallId,
    conversation: talk,
    agent: { id: blueprint.name, name: blueprint.name },
    metadata: blueprint.metadata ?? {},
  }
  const isDeclared = step.intent !== undefined || step.intentProblem !== undefined
  return context.perform({
    kind: 'tool',
    name: meant,
    input: step.input ?? {},
    key: `tool:${index + 1}`,
    origin: 'model',
    carry,
    ...(isDeclared ? intentOf(step) : {}),
  })
}
