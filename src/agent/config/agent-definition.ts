import type { ServiceOptions } from '../service/service-options.ts'
import type { AgentConfig } from './config-types.ts'

/** What an agent was made from: its configuration, and the options of the host it opened for itself. */
interface AgentDefinition {
  readonly config: AgentConfig
  readonly host: ServiceOptions
}

const definitions = new WeakMap<object, AgentDefinition>()

/** Keeps what an agent was made from, for a host that shall run the same one. */
export function keepDefinition(agent: object, definition: AgentDefinition): void {
  definitions.set(agent, definition)
}

/** What an agent was made from; nothing where it lives in a service that others made. */
export function definitionOf(agent: object): AgentDefinition | undefined {
  return definitions.get(agent)
}
