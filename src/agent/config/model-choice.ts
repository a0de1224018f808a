import { estimateRequest, selectModel, selectionError, systemMessage } from '../../model/index.ts'
import type { Model, ModelNeed } from '../../model/index.ts'
import type { Choice } from './models.ts'

/** The minimum output of a turn, if the models support it. */
const OUTPUT_TOKENS = 4096

/** The id of the model that fits a run best: selected once, and journaled. */
export function chooseModel(choice: Choice, own: readonly Model[]): Promise<string> {
  const { spec, context } = choice
  return context.record('select', async () => {
    const need = needOf(choice)
    const size = sizeOf(choice)
    let selection = await selectModel(own, { ...need, ...size }, spec.selectModel)
    // Sizes are estimates, and the gate refuses a price with a better message: they rank models but never exclude all of them.
    if (selection.model === undefined) selection = await selectModel(own, need, spec.selectModel)
    if (selection.model === undefined) throw selectionError(selection)
    return selection.model.id
  })
}

/** The capabilities that a run needs. */
function needOf({ input: { prompt, history }, pins, prices }: Choice): ModelNeed {
  const parts = [...history, ...(prompt === null ? [] : [prompt])].flatMap(({ content }) => content)
  const modalities = [...new Set(parts.flatMap(({ type }) => (type === 'image' || type === 'file' ? [type] : [])))]
  const tools = [pins.tools, pins.agents, pins.graphs, pins.programs, pins.spawns].some((list = []) => list.length > 0)
  const maxOutputTokens = pins.maxTokensFollow === true ? Math.min(OUTPUT_TOKENS, pins.maxTokens) : pins.maxTokens
  return { maxOutputTokens, tools, prices, ...(modalities.length === 0 ? {} : { modalities }) }
}

/** The estimated size of the input, and the remaining budget. */
function sizeOf({ input: { prompt, history }, systemPrompt, tools, context }: Choice): ModelNeed {
  const messages = [systemMessage(systemPrompt), ...history, ...(prompt === null ? [] : [prompt])]
  const { money } = context.budget.remaining()
  return {
    inputTokens: estimateRequest({ messages, tools }),
    ...(money === undefined ? {} : { costCeiling: money }),
  }
}
