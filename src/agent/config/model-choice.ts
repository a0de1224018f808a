import { estimateRequest, selectModel, selectionError, systemMessage } from '../../model/index.ts'
import type { Model, ModelNeed } from '../../model/index.ts'
import type { Choice } from './models.ts'

/** A turn wants at least this much room for its answer, if the models have it. */
const OUTPUT_TOKENS = 4096

/** The id of the model that suits a run best: chosen once, and journaled. */
export function chooseModel(choice: Choice, own: readonly Model[]): Promise<string> {
  const { spec, context } = choice
  return context.record('select', async () => {
    const need = needOf(choice)
    const size = sizeOf(choice)
    let selection = await selectModel(own, { ...need, ...size }, spec.selectModel)
    // Sizes are estimates, and what is refused for its price the gate refuses with better words: they choose among models, and never leave none.
    if (selection.model === undefined) selection = await selectModel(own, need, spec.selectModel)
    if (selection.model === undefined) throw selectionError(selection)
    return selection.model.id
  })
}

/** What a model must be able to do. */
function needOf({ input: { prompt, history }, pins, prices }: Choice): ModelNeed {
  const parts = [...history, ...(prompt === null ? [] : [prompt])].flatMap(({ content }) => content)
  const modalities = [...new Set(parts.flatMap(({ type }) => (type === 'image' || type === 'file' ? [type] : [])))]
  const tools = pins.tools.length > 0 || pins.agents.length > 0
  const maxOutputTokens = pins.maxTokensFollow === true ? OUTPUT_TOKENS : pins.maxTokens
  return { maxOutputTokens, tools, prices, ...(modalities.length === 0 ? {} : { modalities }) }
}

/** How much it has to take in, and what is left to pay for it. */
function sizeOf({ input: { prompt, history }, systemPrompt, tools, context }: Choice): ModelNeed {
  const messages = [systemMessage(systemPrompt), ...history, ...(prompt === null ? [] : [prompt])]
  const { money } = context.budget.remaining()
  return {
    inputTokens: estimateRequest({ messages, tools }),
    ...(money === undefined ? {} : { costCeiling: money }),
  }
}
