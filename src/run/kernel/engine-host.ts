import { errorInfo, tellOfHost } from '../../core/index.ts'
import { isWanted, openTree } from '../nested/run-tree.ts'
import type { EngineHost } from './engine.ts'
import type { Kernel } from './kernel.ts'

/** What an engine gets to know of a kernel. */
export function engineHost(
  kernel: Pick<Kernel, 'events' | 'clock' | 'journal'>,
  segment: EngineHost['segment'],
): EngineHost {
  const { clock, journal } = kernel
  return {
    clock,
    segment,
    async sleeping(limit, after) {
      const sleeping = await journal.list({ state: 'suspended', parent: null, order: 'wake', after, limit })
      return sleeping.map(({ run, wakeAt }) => ({ run, at: wakeAt! }))
    },
    async isWanted(run) {
      return isWanted(journal, await openTree(journal, run))
    },
    onFault(run, error) {
      const { code, message } = errorInfo(error)
      tellOfHost(kernel, 'engine-fault', run, { code, message })
    },
  }
}
