import { runLater } from '../later.ts'
import type { Registry } from '../registry.ts'
import { modelPerformer } from './model.ts'
import { toolPerformer } from './tool.ts'

const LATER = [
  'memory',
  'database',
  'prompt',
  'embed',
  'sleep',
  'question',
  'agent',
  'program',
  'cell',
  'graph',
] as const

/** Registers what carries out each kind of effect. A host may register its own afterwards. */
export function registerPerformers(registry: Registry): void {
  registry.registerPerformer(modelPerformer)
  registry.registerPerformer(toolPerformer)
  for (const kind of LATER) registry.registerLater(kind, async () => runLater(({ performerOf }) => performerOf(kind)))
}
