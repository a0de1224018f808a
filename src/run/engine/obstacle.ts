import { canonical, messageOf, sha256 } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { readStart } from '../../journal/index.ts'
import type { RunStartData } from '../../journal/index.ts'
import type { KernelHost } from '../kernel/host.ts'
import { missingNeed } from '../kernel/needs.ts'
import type { Registry } from '../kernel/registry.ts'
import type { Mind } from '../mind/mind.ts'
import { openTree } from '../nested/run-tree.ts'
import type { Obstacle } from './engine.ts'

/** The minds of a registry as `kind/name`, each with a hash of what it pins. */
export function pinnedMinds(registry: Registry): Readonly<Record<string, string>> {
  const hashOf = (id: string): string => {
    const [kind, name] = id.split(/\/(.*)/su) as [Mind['kind'], string]
    return hashPins(registry.mind(kind, name)?.pins?.() ?? null)
  }
  return Object.fromEntries(registry.allMinds().map((id) => [id, hashOf(id)]))
}

/** Why a run, or an open one below it, cannot continue in this process: the mind is missing, or something that the run has pinned is. */
export async function obstacleOf(host: KernelHost, run: string): Promise<Obstacle | undefined> {
  for (const id of await openTree(host.journal, run)) {
    const start = await readStart(host.journal, id)
    const reason = start && whyNot(host.registry, start)
    if (reason !== undefined) return { reason, mind: `${start!.mind}/${start!.name}`, pins: hashPins(ownPins(start!)) }
  }
  return undefined
}

function whyNot(registry: Registry, start: RunStartData): string | undefined {
  const { mind: kind, name, pins } = start
  const mind = registry.mind(kind, name)
  if (mind === undefined) return `no ${kind} "${name}"`
  try {
    mind.checkPins?.(pins)
    const missing = missingNeed(registry, mind, start)
    return (
      missing && `${kind} "${name}" without the ${missing.kind} ${missing.anyOf.map((one) => `"${one}"`).join(', ')}`
    )
  } catch (error) {
    return messageOf(error)
  }
}

/** The mind's own pins, without those of the kernel. */
function ownPins({ pins }: RunStartData): Json {
  return (pins as { readonly mind?: Json } | null)?.mind ?? null
}

function hashPins(pins: Json): string {
  return sha256(canonical(pins))
}
