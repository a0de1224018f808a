import { MandateError, codeOf, describeOutcome } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { INTENT_INSTRUCTIONS } from '../../gate/index.ts'
import type { RenderedPrompt } from '../../memory/index.ts'
import type { PriceTable, ToolSpec } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { AgentSpec } from '../config/config-types.ts'
import { orderModels } from '../config/models.ts'
import { runHooks } from '../config/run-hooks.ts'
import { recallNote } from '../memory/agent-note.ts'
import { recall } from '../memory/session-memory.ts'
import type { AgentInput, AgentPins } from '../output/output-types.ts'
import { HANDLE_INSTRUCTIONS } from '../transcript/result-handles.ts'
import type { Setup } from './loop.ts'
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

/** After everything else, so that no hook and no template can leave it out. */
function withInstructions(
  systemPrompt: string,
  asked: { readonly intentRequired: boolean; readonly handles: boolean },
): string {
  return [
    ...(systemPrompt === '' ? [] : [systemPrompt]),
    ...(asked.intentRequired ? [INTENT_INSTRUCTIONS] : []),
    ...(asked.handles ? [HANDLE_INSTRUCTIONS] : []),
  ].join('\n\n')
}

/** A prompt of the store is rendered once: the text is in the journal, and a resumed run keeps it. */
async function renderPrompt({ spec, context }: Preparation): Promise<string> {
  if (typeof spec.systemPrompt === 'string') return spec.systemPrompt
  const { template, params = {} } = spec.systemPrompt
  const input = { op: 'render', id: template, params: params as Json }
  const effect = { kind: 'prompt' as const, name: 'prompts', key: 'prompt', input, origin: 'kickoff' }
  const outcome = await context.perform<RenderedPrompt>(effect)
  if (outcome.status === 'ok') return outcome.value.text
  throw new MandateError(codeOf(outcome), `The system prompt "${template}" is not there: ${describeOutcome(outcome)}`)
}
