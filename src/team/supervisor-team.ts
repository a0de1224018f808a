import { checkConfig } from '../agent/index.ts'
import type { AgentConfig } from '../agent/index.ts'
import { invalid, readMembers } from './members.ts'
import type { Member } from './members.ts'

interface SupervisorTeamOptions extends Omit<AgentConfig, 'id' | 'agents'> {
  readonly id: string
  /** The members it delegates to. Each is a tool with the `description` of the member. */
  readonly members: readonly Member[]
}

const INSTRUCTIONS = `You lead a team. Divide what you are asked for into tasks, give each to the member who is good at it, look at what comes back, ask again where it is not good enough, and then answer in your own words. Members know nothing but what you write to them. You may call several at once.`

/**
 * Makes a supervisor: a model that delegates to the members. Each member is a tool, and each call is a child run under the team's mandate and budget. All other
 * options are those of an agent; `instructions` replace the built-in ones. Returns the agents of the team, the team itself first, for a service.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { scripted } from 'mandate/model'
 * import { supervisorTeam } from 'mandate/team'
 * const members = [{ id: 'writer', description: 'Writes.', model: scripted(['A line.'], { name: 'writer' }) }]
 * const model = scripted([{ toolCalls: [{ name: 'writer', input: { prompt: 'Write a line.' } }] }, 'Here it is: A line.'])
 * const service = new AgentService({ agents: supervisorTeam({ id: 'desk', model, members }) })
 * const { text } = await service.run('desk', 'I need a line.')
 * ```
 */
export function supervisorTeam(options: SupervisorTeamOptions): readonly AgentConfig[] {
  const { members, ...config } = options
  checkConfig(config)
  if (Object.hasOwn(config, 'agents')) throw invalid('`agents` of a supervisor are its `members`. Give that name')
  const { ids, configs } = readMembers(members, 'members')
  return [{ instructions: INSTRUCTIONS, ...config, agents: ids }, ...configs]
}
