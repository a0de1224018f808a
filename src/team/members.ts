import { MandateError } from '../core/index.ts'
import type { BudgetLimits, FieldNames } from '../core/index.ts'
import type { AgentConfig, Runner } from '../agent/index.ts'
import type { Mandate } from '../gate/index.ts'

/** A member of a team: the configuration of an agent, or the id of an agent of the service. */
export type Member = AgentConfig | string

/** Options that every team has. */
export interface TeamOptions {
  /** The id by which the team is run, like any agent. */
  readonly id: string
  readonly name?: string | undefined
  /** What the team is good for; shown to agents that may delegate to it. */
  readonly description?: string | undefined
  /** Applies to every member in addition to its own mandate: the stricter one decides. */
  readonly mandate?: Mandate | undefined
  /** Budget of the whole team in a run. */
  readonly budget?: BudgetLimits | undefined
}

export const TEAM_OPTIONS: FieldNames<TeamOptions> = {
  id: 'text',
  name: 'text',
  description: 'text',
  mandate: 'object',
  budget: 'object',
}

/** Members with their ids, and the agents to register with a service. */
export interface Members {
  readonly ids: readonly string[]
  readonly configs: readonly AgentConfig[]
  /** Returns the description of a member; empty for an agent of the service. */
  readonly describe: (id: string) => string
}

/** Validates a list of members; `field` is its name in errors. */
export function readMembers(given: readonly Member[], field: string): Members {
  if (!Array.isArray(given) || given.length === 0)
    throw invalid(`\`${field}\` needs at least one member: the id of an agent, or an agent { id, model, … }`)
  const ids = given.map((member) => idOf(member, field))
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw invalid(`\`${field}\` names "${twice}" twice. Name each member once`)
  const configs = given.filter((member) => typeof member !== 'string')
  return { ids, configs, describe: (id) => configs.find((one) => one.id === id)?.description ?? '' }
}

/** Returns the id of a member. Throws if there is none, since the agent could not be called. */
export function idOf(member: Member, field: string): string {
  const id = typeof member === 'string' ? member : member?.id
  if (typeof id === 'string' && id !== '') return id
  throw invalid(`\`${field}\` has a member without an \`id\`. Give the id of an agent, or an agent { id, model, … }`)
}

/**
 * Makes the agent of a team, whose runner decides which member works. `agents` lists those it may call, so that a missing one is reported before the run
 * starts.
 */
export function teamAgent(options: TeamOptions, agents: readonly string[], run: Runner['run']): AgentConfig {
  const { id, name, description, mandate, budget } = options
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(mandate === undefined ? {} : { mandate }),
    ...(budget === undefined ? {} : { budget }),
    agents,
    runner: { run },
  }
}

export function invalid(what: string): MandateError {
  return new MandateError('CONFIG_INVALID', `${what}.`)
}
