import type { EffectKind, MindKind } from '../../journal/index.ts'
import { childPerformer } from '../child.ts'
import type { Performer } from '../performer.ts'
import { databasePerformer, memoryPerformer, promptPerformer } from './data.ts'
import { embedPerformer } from './embed.ts'
import { questionPerformer, sleepPerformer } from './waiting.ts'

const OTHERS: readonly Performer[] = [
  memoryPerformer,
  databasePerformer,
  promptPerformer,
  embedPerformer,
  sleepPerformer,
  questionPerformer,
]

/** What carries out effects that are neither calls of models nor of tools; what is left are runs of other minds. */
export function performerOf(kind: EffectKind): Performer {
  return OTHERS.find((performer) => performer.kind === kind) ?? childPerformer(kind as MindKind)
}
