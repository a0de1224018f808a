import type { ServiceOptions } from '../service/service-options.ts'
import type { AgentConfig } from './config-types.ts'

/** The definition of an agent: its configuration, and the options of the service it created for itself. */
interface AgentDefinition {
  readonly config: AgentConfig
  readonly host: ServiceOptions
}

const definitions = new WeakMap<object, AgentDefinition>()

/** Keeps the definition of an agent, for another host that is to run it. */
export function keepDefinition(agent: object, definition: AgentDefinition): void {
  definitions.set(agent, definition)
}

/** The definition of an agent; `undefined` if it belongs to a service that others created. */
export function definitionOf(agent: object): AgentDefinition | undefined {
  return definitions.get(agent)
}
