import type { AgentService } from './service.ts'
import { serviceHostOf } from './service-host.ts'
import type { ServiceOptions } from './service-options.ts'

/**
 * A service for evaluations of another one: the same agents, tools, models and rules, and a journal of its own in memory. Its runs are in no list, inbox, metric
 * or event stream of the other service, nobody can answer or continue them, and they end with it.
 */
export function evaluationService(service: AgentService): AgentService {
  const { options, kernel, specs } = serviceHostOf(service)
  const Service = service.constructor as new (options: ServiceOptions) => AgentService
  const made = new Service({ ...options, ...NOT_SHARED, mandate: kernel.mandate })
  const host = serviceHostOf(made)
  // The agents first: their minds name the service that they run in.
  host.adopt(specs.values())
  host.kernel.registry.adopt(kernel.registry)
  return made
}

/** What belongs to the store of a service, tells others about its runs, or is taken over from its registry. */
const NOT_SHARED = {
  store: undefined,
  journal: undefined,
  engine: undefined,
  sinks: undefined,
  onApproval: undefined,
  signer: undefined,
  trustedKeys: undefined,
  onSignedHead: undefined,
  registry: undefined,
  agents: undefined,
  agentTypes: undefined,
  tools: undefined,
  minds: undefined,
  filters: undefined,
} satisfies ServiceOptions
