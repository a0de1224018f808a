import { MandateError } from '../../core/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { readStart } from '../../journal/index.ts'
import type { RunStartData } from '../../journal/index.ts'
import type { KernelHost } from '../kernel/host.ts'
import { mandatesFor } from '../lifecycle/assembly.ts'

/** What a run inherits from the runs above it: from a parent in this process, or from the journals of parents that are driven elsewhere. */
export interface Above {
  readonly mandates: readonly Mandate[]
  readonly rootId: string
}

/** What a child inherits that is driven apart from its parent. Throws if a mind above it is unknown here, because its mandate could not be enforced. */
export async function aboveOf(host: KernelHost, { parent }: RunStartData): Promise<Above | undefined> {
  if (parent === undefined) return undefined
  const start = await readStart(host.journal, parent.run)
  if (start === undefined)
    throw new MandateError(
      'NOT_FOUND',
      `The parent "${parent.run}" of this run is not in this journal, or was erased: what it may do is not known. Start the run again.`,
    )
  const above = await aboveOf(host, start)
  const mind = host.registry.requireMind(start.mind, start.name, start.sessionId)
  return { mandates: mandatesFor(host, mind, above), rootId: above?.rootId ?? parent.run }
}
