import type { MindKind } from '../../journal/index.ts'
import { childPerformer } from '../nested/child.ts'
import type { KernelPerformer } from './performer.ts'
import { setPerformer } from '../kernel/performer-table.ts'
import type { Registry } from '../kernel/registry.ts'
import { databasePerformer, memoryPerformer, promptPerformer } from './data.ts'
import { embedPerformer } from './embed.ts'
import { modelPerformer } from './model.ts'
import { toolPerformer } from './tool.ts'
import { questionPerformer, sleepPerformer } from './waits.ts'

const MINDS: readonly MindKind[] = ['agent', 'program', 'cell', 'graph']

const PERFORMERS: readonly KernelPerformer[] = [
  modelPerformer,
  toolPerformer,
  memoryPerformer,
  databasePerformer,
  promptPerformer,
  embedPerformer,
  sleepPerformer,
  questionPerformer,
  ...MINDS.map(childPerformer),
]

/** Registers the kernel's performer of each kind of effect. A host may replace them afterwards. */
export function registerPerformers(registry: Registry): void {
  for (const performer of PERFORMERS) setPerformer(registry, performer)
}
