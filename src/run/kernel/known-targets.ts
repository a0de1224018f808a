import type { KnownTargets } from '../../gate/index.ts'
import type { MindKind } from '../../journal/index.ts'
import type { Mind } from '../mind/mind.ts'
import type { Registry } from './registry.ts'
import type { Resources } from './resources.ts'

/** Everything that a mandate can name here: what the host has registered, and what its minds and a `further` one bring. */
export function knownTargets(registry: Registry, further?: Pick<Mind, 'kind' | 'name' | 'resources'>): KnownTargets {
  const registered = registry.allMinds().flatMap((id) => {
    const [kind = '', ...name] = id.split('/')
    return registry.mind(kind as MindKind, name.join('/')) ?? []
  })
  const minds = further === undefined ? registered : [...registered, further]
  const sources: readonly (Resources | undefined)[] = [registry, ...minds.map(({ resources }) => resources)]
  const tools = sources.flatMap((source) => [...(source?.tools?.values() ?? [])])
  const models = sources.flatMap((source) => [...(source?.models?.keys() ?? [])])
  const named = (kind: MindKind): string[] => minds.filter((mind) => mind.kind === kind).map(({ name }) => name)
  return {
    tools: new Map(tools.map(({ name, inputSchema }) => [name, inputSchema])),
    others: { agent: named('agent'), graph: named('graph'), program: named('program'), model: models },
  }
}
