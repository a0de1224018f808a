import { selectModel, selectionError } from '../model/index.ts'
import type { Model, ModelNeed } from '../model/index.ts'
import type { RunContext } from '../run/index.ts'
import type { AgentSpec } from './config-types.ts'
import type { AgentInput, AgentPins } from './output-types.ts'

interface Choice {
  readonly spec: AgentSpec
  readonly pins: AgentPins
  readonly input: AgentInput
  readonly context: RunContext
  readonly models: readonly Model[]
}

/** Puts the models in the order in which they are tried. A strategy of the host's own is asked once, and what it chose is journaled. */
export async function orderModels({ spec, pins, input, context, models }: Choice): Promise<readonly Model[]> {
  if (models.length < 2 && spec.selectModel === undefined) return models
  const need = needOf(input, pins)
  const chosen = await context.record('select', async () => {
    const selection = await selectModel(models, need, spec.selectModel)
    if (selection.model === undefined) throw selectionError(selection)
    return selection.model.id
  })
  const first = models.find(({ id }) => id === chosen)
  return first === undefined ? models : [first, ...models.filter((model) => model !== first)]
}

function needOf({ prompt, history }: AgentInput, pins: AgentPins): ModelNeed {
  const parts = [...history, ...(prompt === null ? [] : [prompt])].flatMap(({ content }) => content)
  const modalities = [...new Set(parts.flatMap(({ type }) => (type === 'image' || type === 'file' ? [type] : [])))]
  const tools = pins.tools.length > 0 || pins.agents.length > 0
  return { maxOutputTokens: pins.maxTokens, tools, ...(modalities.length === 0 ? {} : { modalities }) }
}
