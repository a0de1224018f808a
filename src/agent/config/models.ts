import type { Model, PriceTable, ToolSpec } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { AgentSpec } from './config-types.ts'
import type { AgentInput, AgentPins } from '../output/output-types.ts'
import { chooseModel } from './model-choice.ts'

/** A model as a run knows it: by the id that its journal has. What it can do is known only while it is there. */
export type ModelRef = Pick<Model, 'id' | 'capabilities'>

export interface Choice {
  readonly spec: AgentSpec
  readonly pins: AgentPins
  readonly input: AgentInput
  readonly context: RunContext
  readonly prices: PriceTable
  readonly systemPrompt: string
  readonly tools: readonly ToolSpec[]
  /** The models of this run in the order in which they were given, by what was journaled. */
  readonly ids: readonly string[]
  /** Those that are there now. */
  readonly models: readonly Model[]
}

/**
 * Puts the models in the order in which they are tried. A strategy of the host's own is asked once, and what it chose is journaled.
 * Models that were added since the run began are not for it, and one that is gone is missed only when it is needed.
 */
export async function orderModels(choice: Choice): Promise<readonly ModelRef[]> {
  const { pins, ids, models } = choice
  const own = models.filter(({ id }) => ids.includes(id))
  const refs = ids.map((id): ModelRef => own.find((model) => model.id === id) ?? { id })
  if (ids.length < 2 && !pins.selectsModel) return refs
  const chosen = await chooseModel(choice, own)
  return refs.toSorted((a, b) => Number(b.id === chosen) - Number(a.id === chosen))
}
