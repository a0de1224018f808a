import { allLabels, failed } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import type { Effect } from '../../gate/index.ts'
import { userMessage } from '../../model/index.ts'
import type { ToolSpec } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { PlanStep } from '../config/strategies.ts'
import type { AgentInput, AgentOutput, AgentPins } from '../output/output-types.ts'
import { intentOf } from '../transcript/attach-intents.ts'
import type { Loop } from './loop.ts'
import type { Call } from './perform-step.ts'

/** The tool with which an agent starts another one of a type that it may choose. */
export const SPAWN_TOOL = 'spawn_agent'

/** Whether a step is a spawn; an agent without types does not have this tool, and may have its own of the same name. */
export function isSpawn({ pins: { spawns = [] } }: Loop, { toolId }: PlanStep): boolean {
  return toolId === SPAWN_TOOL && spawns.length > 0
}

/** The tool's description, if there are types. */
export function spawnSpec({ spawns = [] }: AgentPins): readonly ToolSpec[] {
  if (spawns.length === 0) return []
  const types = spawns.map(({ name, description }) => `- ${name}: ${description}`).join('\n')
  return [
    {
      name: SPAWN_TOOL,
      description: `Starts another agent of one of these types, waits for it and gives its answer:\n${types}`,
      inputSchema: {
        type: 'object',
        properties: {
          agentType: { type: 'string', enum: spawns.map(({ name }) => name) },
          prompt: { type: 'string', description: 'The whole task: the other agent knows nothing else.' },
          context: { type: 'string', description: 'Facts it needs for the task.' },
        },
        required: ['agentType', 'prompt'],
      },
    },
  ]
}

/** Why a spawn is invalid; checked before the gate. */
export function refuseSpawn({ pins: { spawns = [] } }: Loop, { input }: PlanStep): Outcome<Json> | undefined {
  const { agentType, prompt } = readSpawn(input)
  const names = spawns.map(({ name }) => name)
  if (!names.includes(agentType))
    return failed('INPUT_INVALID', `\`agentType\` is "${agentType}". Use one of: ${names.join(', ')}.`)
  return prompt === '' ? failed('INPUT_INVALID', '`prompt` is missing. Write down the whole task.') : undefined
}

/**
 * Starts the other agent as a child run: it draws on this run's budget, is bound by this run's mandates and its own, is cancelled with this run, and
 * emits its events on the same bus. Its start and outcome are emitted as events.
 */
export async function performSpawn(
  loop: Loop,
  context: RunContext,
  { step, key, origin }: Call,
): Promise<Outcome<AgentOutput>> {
  const { agentType, prompt, facts } = readSpawn(step.input)
  const tell = (status: string, more: { readonly [name: string]: Json } = {}): void =>
    context.emit('spawn-status', { agentType, key, status, ...more })
  const text = facts === '' ? prompt : `${prompt}\n\nContext:\n${facts}`
  const input: AgentInput = { prompt: userMessage(text), history: [], context: loop.context }
  tell('started')
  const intent = intentOf(step, agentType)
  const outcome = await context.perform<AgentOutput>({
    kind: 'agent',
    name: agentType,
    input,
    key,
    origin,
    ...intent,
    ...withheldBy(loop, step),
  })
  if (outcome.status === 'ok') tell('completed')
  else tell(outcome.status, outcome.status === 'failed' ? { code: outcome.error.code } : {})
  return outcome
}

function readSpawn(input: Json | undefined): { agentType: string; prompt: string; facts: string } {
  const { agentType, prompt, context } = (input ?? {}) as { agentType?: Json; prompt?: Json; context?: Json }
  const text = (value: Json | undefined): string =>
    typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
  return { agentType: text(agentType), prompt: text(prompt), facts: text(context) }
}

/** The withheld members of the effect of another agent if the model uses handles: the parts of its input differ from those of the call. */
export function withheldBy({ handles }: Loop, { labels }: PlanStep): Pick<Effect, 'isWithheld' | 'labels'> {
  if (handles === undefined) return {}
  return labels === undefined ? { isWithheld: true } : { isWithheld: true, labels: allLabels(labels) }
}
