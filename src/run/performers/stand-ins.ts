import type { EmbeddingModel, Model } from '../../model/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { Registry } from '../kernel/registry.ts'

/** What is called instead of the models and tools that a tree of runs names: recordings of them. What the gate decides by stays that of the originals. */
export interface StandIns {
  model(model: Model): Model
  tool(tool: Tool): Tool
  embedding(model: EmbeddingModel): EmbeddingModel
}

/** Stand-ins by the root of the tree of runs. Kept apart from the registry, so that what holds a registry cannot find them. */
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
