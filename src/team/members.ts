import { MandateError } from '../core/index.ts'
import type { BudgetLimits, FieldNames } from '../core/index.ts'
import type { AgentConfig, Runner } from '../agent/index.ts'
import type { Mandate } from '../gate/index.ts'

/** Someone in a team: an agent that comes with it, or one that the service has, by its id. */
export type Member = AgentConfig | string

/** What every team says of itself. */
export interface TeamOptions {
  /** By which it is run, like any agent. */
  readonly id: string
  readonly name?: string | undefined
  /** What it is good for: shown to agents that may delegate to it. */
  readonly description?: string | undefined
  /** Holds for everyone in the team, with their own mandates: the stricter one decides. */
  readonly mandate?: Mandate | undefined
  /** What the whole team may spend in a run. */
  readonly budget?: BudgetLimits | undefined
}

export const TEAM_OPTIONS: FieldNames<TeamOptions> = {
  id: true,
  name: true,
  description: true,
  mandate: true,
  budget: true,
}

/** Members with their ids, and the agents that a service has to be given. */
export interface Members {
  readonly ids: readonly string[]
  readonly configs: readonly AgentConfig[]
  /** What a member says of itself; empty where the service has it. */
  readonly describe: (id: string) => string
}

/** Reads a list of members; `field` is what the list is called. */
export function readMembers(given: readonly Member[], field: string): Members {
  if (!Array.isArray(given) || given.length === 0)
    throw invalid(`\`${field}\` needs at least one member: the id of an agent, or an agent { id, model, … }`)
  const ids = given.map((member) => idOf(member, field))
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw invalid(`\`${field}\` names "${twice}" twice. Name each member once`)
  const configs = given.filter((member) => typeof member !== 'string')
  return { ids, configs, describe: (id) => configs.find((one) => one.id === id)?.description ?? '' }
}

/** The id of a member. An agent without one could not be called. */
export function idOf(member: Member, field: string): string {
  const id = typeof member === 'string' ? member : member?.id
  if (typeof id === 'string' && id !== '') return id
  throw invalid(`\`${field}\` has a member without an \`id\`. Give the id of an agent, or an agent { id, model, … }`)
}

/** A team as an agent: its runner decides who works. Those it may call are named, so that a missing one is told before anything begins. */
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
