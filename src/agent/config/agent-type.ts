import { MandateError, checkFields } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { ToolRegistry } from '../../tool/index.ts'
import type { AgentConfig } from './config-types.ts'

/** A kind of agent that others may start by name: a configuration, and the tool packs that it needs. */
export interface AgentType {
  /** The name by which agents start one. */
  readonly name: string
  /** What it is good for; shown to agents that may start it. */
  readonly description: string
  /** The configuration, without what its parent decides. */
  readonly config: Omit<AgentConfig, 'id' | 'name' | 'description' | 'toolPacks'>
  /** Packs of the service's `toolRegistry`, or of the configuration's own. */
  readonly packs?: readonly string[] | undefined
}

const FIELDS: FieldNames<AgentType> = { name: 'text', description: 'text', config: 'object', packs: 'texts' }

/**
 * Defines an agent type with type inference, and throws if it is invalid.
 *
 * @example
 * ```ts
 * import { defineAgentType } from 'mandate'
 * import { scripted } from 'mandate/model'
 * const reader = defineAgentType({
 *   name: 'reader',
 *   description: 'Reads files and answers questions about them.',
 *   packs: ['files'],
 *   config: { model: scripted(['It says hello.']), policyProfile: 'strict' },
 * })
 * ```
 */
export function defineAgentType(type: AgentType): AgentType {
  const invalid = (what: string): MandateError => new MandateError('CONFIG_INVALID', `An agent type ${what}.`)
  checkFields(type, 'a field of an agent type', FIELDS)
  if (typeof type.name !== 'string' || type.name.trim() === '') throw invalid('needs a `name`')
  if (typeof type.description !== 'string' || type.description.trim() === '')
    throw invalid(`needs a \`description\`: "${type.name}" is chosen by it`)
  if (typeof type.config !== 'object' || type.config === null) throw invalid('needs a `config`, that of its agents')
  return Object.freeze({ ...type, name: type.name.trim() })
}

/** The configuration of an agent type. */
export function configOf(type: AgentType, registry: ToolRegistry | undefined): AgentConfig {
  const { name, description, config, packs = [] } = defineAgentType(type)
  const toolRegistry = config.toolRegistry ?? registry
  if (packs.length > 0 && toolRegistry === undefined) {
    throw new MandateError(
      'CONFIG_INVALID',
      `The agent type "${name}" needs the packs ${packs.join(', ')}. Give the service a \`toolRegistry\` that has them.`,
    )
  }
  return {
    ...config,
    id: name,
    name,
    description,
    ...(packs.length === 0 ? {} : { toolPacks: packs, toolRegistry }),
  }
}
