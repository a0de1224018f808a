import { MandateError, checkFields } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import type { AgentConfig, RunnerInput } from '../agent/index.ts'
import { userMessage } from '../model/index.ts'
import type { RunContext } from '../run/index.ts'
import { callMember, conversationInput, keepMessages, outputOf, taskInput } from './member-call.ts'
import { TEAM_OPTIONS, invalid, readMembers, teamAgent } from './members.ts'
import type { Member, Members, TeamOptions } from './members.ts'
import type { RoutingStrategy } from './route.ts'

interface RoutedTeamOptions extends TeamOptions {
  readonly members: readonly Member[]
  /** Chooses the member that answers: `routeByRole`, `routeBySupervisor`, `routeByChain`, or a custom function. The choice is journaled. */
  readonly route: RoutingStrategy
  /** Agents that `route` asks but that do not answer themselves, such as the one of `routeBySupervisor`. */
  readonly helpers?: readonly Member[] | undefined
}

const OPTIONS: FieldNames<RoutedTeamOptions> = { ...TEAM_OPTIONS, members: true, route: true, helpers: true }

/**
 * Makes a team in which each message goes to one member, with the conversation before it; the answer of that member is the answer of the team. Returns the
 * agents of the team, the team itself first, for a service.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { scripted } from 'mandate/model'
 * import { routeByRole, routedTeam } from 'mandate/team'
 * const members = [
 *   { id: 'billing', model: scripted(['Here is your invoice.'], { name: 'billing' }) },
 *   { id: 'tech', model: scripted(['Start it again.'], { name: 'tech' }) },
 * ]
 * const route = routeByRole({ billing: ['invoice', 'refund'] }, { otherwise: 'tech' })
 * const service = new AgentService({ agents: routedTeam({ id: 'desk', members, route }) })
 * const { text } = await service.run('desk', 'Where is my invoice?')
 * ```
 */
export function routedTeam(options: RoutedTeamOptions): readonly AgentConfig[] {
  checkFields(options, 'an option of `routedTeam`', OPTIONS)
  const members = readMembers(options.members, 'members')
  const helpers = options.helpers === undefined ? undefined : readMembers(options.helpers, 'helpers')
  if (typeof options.route !== 'function') throw invalid('`route` is missing. Give a function, such as routeByRole(…)')
  const all = [...members.ids, ...(helpers?.ids ?? [])]
  const team = teamAgent(options, all, (context, _spec, _prompt, input) =>
    run({ members, route: options.route }, context, input),
  )
  return [team, ...members.configs, ...(helpers?.configs ?? [])]
}

interface Routed {
  readonly members: Members
  readonly route: RoutingStrategy
}

async function run({ members, route }: Routed, context: RunContext, input: RunnerInput) {
  const message = input.messages.at(-1) ?? userMessage('')
  const agents = members.ids.map((id) => ({ id, description: members.describe(id) }))
  const member = await context.record('route', async (strand) => {
    const ask = async (agent: string, prompt: string): Promise<string> =>
      outputOf(agent, await callMember(strand, { member: agent, key: 'ask', input: taskInput(prompt, input) })).text
    const chosen = await route(message, agents, ask)
    if (chosen !== undefined && members.ids.includes(chosen)) return chosen
    const what = chosen === undefined ? 'nobody' : `"${chosen}"`
    throw new MandateError(
      'NOT_FOUND',
      `The route of the team chose ${what}. Members: ${members.ids.join(', ')}. Say who gets what nobody fits.`,
    )
  })
  const given = { ...conversationInput(input), returnsMessages: true as const }
  const {
    text,
    result,
    messages = [],
  } = outputOf(member, await callMember(context, { member, key: 'member', input: given, speak: input.speak }))
  keepMessages(context, messages)
  return result === null ? { text } : { text, result }
}
