import { selectModel, selectionError } from '../../model/index.ts'
import type { Model, ModelNeed } from '../../model/index.ts'
import type { Choice } from './models.ts'
import type { AgentInput, AgentPins } from '../output/output-types.ts'

/** The id of the model that suits a run best: chosen once, and journaled. */
export function chooseModel({ spec, pins, input, context }: Choice, own: readonly Model[]): Promise<string> {
  return context.record('select', async () => {
    const selection = await selectModel(own, needOf(input, pins), spec.selectModel)
    if (selection.model === undefined) throw selectionError(selection)
    return selection.model.id
  })
}

function needOf({ prompt, history }: AgentInput, pins: AgentPins): ModelNeed {
  const parts = [...history, ...(prompt === null ? [] : [prompt])].flatMap(({ content }) => content)
  const modalities = [...new Set(parts.flatMap(({ type }) => (type === 'image' || type === 'file' ? [type] : [])))]
  const tools = pins.tools.length > 0 || pins.agents.length > 0
  return { maxOutputTokens: pins.maxTokens, tools, ...(modalities.length === 0 ? {} : { modalities }) }
}
