import type { Json } from '../../core/index.ts'
import type { PriceTable, ToolSpec } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { AgentSpec } from '../config/config-types.ts'
import type { Setup } from './loop.ts'
import { orderModels } from '../config/models.ts'
import type { AgentInput, AgentPins } from '../output/output-types.ts'
import { runHooks } from '../config/run-hooks.ts'
import { recall } from '../memory/session-memory.ts'
import { recallNote } from '../memory/agent-note.ts'
import { renderPrompt, withInstructions } from './initial-context.ts'
import { spawnSpec } from './spawn.ts'

export interface Preparation {
  readonly spec: AgentSpec
  readonly pins: AgentPins
  readonly input: AgentInput
  readonly context: RunContext
  readonly prices: PriceTable
}

/** Kickoff: prompt, hooks, choice of model, recalled memory. */
export async function prepare(preparation: Preparation): Promise<Setup> {
  const { spec, pins } = preparation
  const { intent } = preparation.context.pins as { readonly intent?: true | 'hidden' }
  const intentRequired = intent !== undefined
  const systemPrompt = pins.systemPrompt ?? (await renderPrompt(preparation))
  const settled =
    spec.hooks.length === 0
      ? { systemPrompt, tools: pins.tools, ids: pins.models, models: spec.models }
      : await runHooks({ ...preparation, systemPrompt })
  return {
    systemPrompt:
      intentRequired || pins.toolResults === 'handles'
        ? withInstructions(settled.systemPrompt, { intentRequired, handles: pins.toolResults === 'handles' })
        : settled.systemPrompt,
    intentRequired,
    hidesIntents: intent === 'hidden',
    tools:
      pins.agents.length === 0 && pins.spawns === undefined
        ? settled.tools
        : [...settled.tools, ...delegatesOf(pins), ...(pins.spawns === undefined ? [] : spawnSpec(pins))],
    models: await orderModels({ ...preparation, ...settled }),
    recalled: [...(await recallNote(preparation)), ...(spec.memory === undefined ? [] : await recall(preparation))],
  }
}

const DELEGATE_INPUT: Json = {
  type: 'object',
  properties: { prompt: { type: 'string', description: 'The whole task: the other agent knows nothing else.' } },
  required: ['prompt'],
}

function delegatesOf({ agents }: AgentPins): readonly ToolSpec[] {
  return agents.map(({ name, description }) => ({
    name,
    description: `Hands a task to the agent "${name}" and gives its answer.${description === '' ? '' : ` ${description}`}`,
    inputSchema: DELEGATE_INPUT,
  }))
}
