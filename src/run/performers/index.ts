import { childPerformer } from '../child.ts'
import type { Registry } from '../registry.ts'
import { databasePerformer, memoryPerformer, promptPerformer } from './data.ts'
import { modelPerformer } from './model.ts'
import { toolPerformer } from './tool.ts'
import { questionPerformer, sleepPerformer } from './waiting.ts'

/** Registers what carries out each kind of effect. A host may register its own afterwards. */
export function registerPerformers(registry: Registry): void {
  const children = (['agent', 'program', 'cell', 'graph'] as const).map(childPerformer)
  for (const performer of [
    modelPerformer,
    toolPerformer,
    memoryPerformer,
    databasePerformer,
    promptPerformer,
    sleepPerformer,
    questionPerformer,
    ...children,
  ]) {
    registry.registerPerformer(performer)
  }
}
