import { DEFAULT_PRICES } from '../../model/index.ts'
import type { PriceTable } from '../../model/index.ts'
import type { Registry } from '../../run/index.ts'

/** What the host knows and an agent alone does not. */
export interface AgentHost {
  readonly deterministic: boolean
  readonly prices: PriceTable
  /** What another agent is good for. */
  describe(agentId: string): string
}

const hosts = new WeakMap<Registry, AgentHost>()

/** Says what the agents of a registry are told by their host, also those that others than the service register. */
export function setAgentHost(registry: Registry, host: AgentHost): void {
  hosts.set(registry, host)
}

/** What the agents of a registry are told by their host; the defaults where nobody has said it. */
export function agentHostOf(registry: Registry): AgentHost {
  return hosts.get(registry) ?? { deterministic: false, prices: DEFAULT_PRICES, describe: () => '' }
}
