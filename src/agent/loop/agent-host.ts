import { DEFAULT_PRICES } from '../../model/index.ts'
import type { Model, PriceTable } from '../../model/index.ts'
import type { Kernel, MindFacts, Registry } from '../../run/index.ts'

/** The parts of its host that an agent uses. */
export interface AgentHost {
  /** The kernel of a service; absent for agents that no service has registered. */
  readonly kernel?: Kernel | undefined
  readonly deterministic: boolean
  readonly prices: PriceTable
  /** The description of another agent. */
  describe(agentId: string): string
  /** The description of a graph or a program that is registered here. */
  facts(kind: 'graph' | 'program', name: string): MindFacts
  /** A model of any of its agents. */
  model(id: string): Model | undefined
}

const hosts = new WeakMap<Registry, AgentHost>()

/** Sets the host of a registry's agents, including those that are not registered by a service. */
export function setAgentHost(registry: Registry, host: AgentHost): void {
  hosts.set(registry, host)
}

/** The host of a registry's agents, or a default. */
export function agentHostOf(registry: Registry): AgentHost {
  return (
    hosts.get(registry) ?? {
      ...{ deterministic: false, prices: DEFAULT_PRICES },
      ...{ describe: () => '', facts: () => ({}), model: () => undefined },
    }
  )
}
