import { MandateError, nearest } from '../../core/index.ts'
import type { Model, PriceTable, ToolSpec } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { AgentSpec } from './config-types.ts'
import type { AgentInput, AgentPins } from '../output/output-types.ts'
import { chooseModel } from './model-choice.ts'

/** A reference to a model: the id in the journal of the run. Its capabilities are known only while it is registered. */
export type ModelRef = Pick<Model, 'id' | 'capabilities'>

export interface Choice {
  readonly spec: AgentSpec
  readonly pins: AgentPins
  readonly input: AgentInput
  readonly context: RunContext
  readonly prices: PriceTable
  readonly systemPrompt: string
  readonly tools: readonly ToolSpec[]
  /** The ids of the run's models in the journaled order. */
  readonly ids: readonly string[]
  /** Those that are registered now. */
  readonly models: readonly Model[]
}

/**
 * The models in the order in which they are tried. A selection strategy of the host is asked once, and its choice is journaled. Models that were
 * added since the run started are ignored, and a missing one matters only when it is needed.
 */
export async function orderModels(choice: Choice): Promise<readonly ModelRef[]> {
  const { pins, ids, models } = choice
  const own = models.filter(({ id }) => ids.includes(id))
  const refs = ids.map((id): ModelRef => own.find((model) => model.id === id) ?? { id })
  if (ids.length < 2 && !pins.selectsModel) return refs
  const chosen = await chooseModel(choice, own)
  return refs.toSorted((a, b) => Number(b.id === chosen) - Number(a.id === chosen))
}

/** The models of several agents. */
export function modelsOf(specs: Iterable<Pick<AgentSpec, 'models'>>): readonly Model[] {
  return [...specs].flatMap(({ models }) => models)
}

/** Throws if a model is none of those that the caller may use. */
export function checkModel(id: unknown, models: readonly Model[]): void {
  if (models.some((model) => model.id === id)) return
  const ids = [...new Set(models.map((model) => model.id))]
  const meant = typeof id === 'string' ? nearest(id, ids) : undefined
  const hint = meant === undefined ? `Give one of: ${ids.join(', ')}.` : `Did you mean "${meant}"?`
  throw new MandateError(
    'INPUT_INVALID',
    `\`model\` is ${JSON.stringify(id)}, which no agent here has that you may run. ${hint}`,
  )
}
