import type { Json } from '../../core/index.ts'
import type { EmbeddingModel, Model } from '../../model/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { Registry } from '../kernel/registry.ts'

/** Recordings that replace the models and tools of a tree of runs. The gate still decides by the originals. */
export interface StandIns {
  model(model: Model): Model
  tool(tool: Tool): Tool
  embedding(model: EmbeddingModel): EmbeddingModel
  /** The recorded result of an effect on memory, a database or prompts, by its idempotency key. Without this the effect is performed. */
  readonly data?: ((idempotencyKey: string) => Json) | undefined
}

/** Stand-ins by the root of their tree. Kept outside the registry, so that code that has the registry cannot find them. */
const tables = new WeakMap<Registry, Map<string, StandIns>>()

/** Uses stand-ins in a run and the runs below it, until the returned function is called. */
export function useStandIns(registry: Registry, rootId: string, standIns: StandIns): () => void {
  const table = tables.get(registry) ?? new Map<string, StandIns>()
  tables.set(registry, table)
  table.set(rootId, standIns)
  return () => void table.delete(rootId)
}

/** The stand-ins of a run, if it has any. */
export function standInsOf({ host, rootId }: ActiveRun): StandIns | undefined {
  return tables.get(host.registry)?.get(rootId)
}
