import { errorInfo, tellOfHost } from '../../core/index.ts'
import type { KernelHost } from '../kernel/host.ts'
import { isWanted, openTree } from '../nested/run-tree.ts'
import type { EngineHost } from './engine.ts'
import { obstacleOf, pinnedMinds } from './obstacle.ts'
import { standDown } from './stand-down.ts'

/** Creates the interface of the kernel for an engine. */
export function engineHost(host: KernelHost, driving: Pick<EngineHost, 'segment' | 'notify' | 'drives'>): EngineHost {
  const { clock, journal, events, owner, registry } = host
  return {
    ...{ clock, journal, events, owner, ...driving },
    minds: () => pinnedMinds(registry),
    obstacle: (run) => obstacleOf(host, run),
    standDown: (run, problem) => standDown(host, run, problem),
    async sleeping(limit, after) {
      const sleeping = await journal.list({ state: 'suspended', parent: null, order: 'wake', after, limit })
      return sleeping.map(({ run, wakeAt }) => ({ run, at: wakeAt! }))
    },
    async isWanted(run) {
      return isWanted(journal, await openTree(journal, run))
    },
    onFault(run, error) {
      const { code, message } = errorInfo(error)
      tellOfHost(host, 'engine-fault', run, { code, message })
    },
  }
}
