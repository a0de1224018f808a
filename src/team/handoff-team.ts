import { checkFields, checkNumbers, unknownField } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import type { AgentConfig, RunnerInput } from '../agent/index.ts'
import type { Message } from '../model/index.ts'
import { MindStop } from '../run/index.ts'
import type { RunContext } from '../run/index.ts'
import { handedTo, withHandoffs } from './handoff-tool.ts'
import { callMember, conversationInput, keepMessages, outputOf } from './member-call.ts'
import { TEAM_OPTIONS, idOf, invalid, readMembers, teamAgent } from './members.ts'
import type { TeamOptions } from './members.ts'

interface HandoffTeamOptions extends TeamOptions {
  /** The members; the first one begins. Each gets the tool `hand_off`. */
  readonly members: readonly AgentConfig[]
  /** The ids that each member may hand over to. Members without an entry may hand over to all others. */
  readonly handoffs?: Readonly<Record<string, readonly string[]>> | undefined
  /** Maximum number of handoffs in one run; 8 when absent. */
  readonly maxHandoffs?: number | undefined
}

const OPTIONS: FieldNames<HandoffTeamOptions> = { ...TEAM_OPTIONS, members: true, handoffs: true, maxHandoffs: true }
const MAX_HANDOFFS = 8

/**
 * Makes a team whose members hand the conversation over to each other. The member that has it answers the user, in later runs of the session as well, until it
 * hands over. The next one receives the whole conversation. Returns the agents of the team, the team itself first, for a service.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { scripted } from 'mandate/model'
 * import { handoffTeam } from 'mandate/team'
 * const toBilling = { toolCalls: [{ name: 'hand_off', input: { agent: 'billing' } }] }
 * const members = [
 *   { id: 'triage', model: scripted([toBilling], { name: 'triage', by: 'call' }) },
 *   { id: 'billing', model: scripted(['You will be refunded.', 'Tomorrow.'], { name: 'billing', by: 'call' }) },
 * ]
 * const session = new AgentService({ agents: handoffTeam({ id: 'desk', members }) }).createSession('desk')
 * await session.run('I want my money back.')
 * const { text } = await session.run('When?')
 * ```
 */
export function handoffTeam(options: HandoffTeamOptions): readonly AgentConfig[] {
  checkFields(options, 'an option of `handoffTeam`', OPTIONS)
  checkNumbers(options, 'an option of `handoffTeam`', { maxHandoffs: 'count' })
  const { ids, configs, describe } = readMembers(options.members, 'members')
  if (configs.length < ids.length)
    throw invalid('`members` of a handoff team are agents: an id cannot be given the tool')
  const { handoffs = {}, maxHandoffs = MAX_HANDOFFS } = options
  checkFields(handoffs, 'a member of the team', Object.fromEntries(ids.map((id) => [id, true])))
  const members = configs.map((config) => {
    const own = idOf(config, 'members')
    const targets = handoffs[own] ?? ids.filter((id) => id !== own)
    const unknown = targets.find((id) => !ids.includes(id))
    if (unknown !== undefined) throw invalid(unknownField(unknown, `a member that "${own}" can hand over to`, ids))
    return withHandoffs(
      config,
      targets.map((id) => ({ id, description: describe(id) })),
    )
  })
  const team = teamAgent(options, ids, (context, _spec, _prompt, input) => run({ ids, maxHandoffs }, context, input))
  return [team, ...members]
}

interface Hands {
  readonly ids: readonly string[]
  readonly maxHandoffs: number
}

async function run({ ids, maxHandoffs }: Hands, context: RunContext, input: RunnerInput) {
  const texts: string[] = []
  const messages: Message[] = [...input.messages]
  let holder = holderOf(messages, ids)
  for (let count = 0; ; count++) {
    const given = { ...conversationInput({ ...input, messages: [...messages] }), returnsMessages: true as const }
    const call = { member: holder, key: `holder:${count + 1}`, input: given, speak: input.speak }
    const { text, result, messages: added = [] } = outputOf(holder, await callMember(context, call))
    // Appended at once: the handoff is done, however the rest of the run ends.
    keepMessages(context, added)
    messages.push(...added)
    if (text !== '') texts.push(text)
    const next = handedTo(added)
    if (next === undefined) return { text: texts.join('\n'), ...(result === null ? {} : { result }) }
    if (count >= maxHandoffs)
      throw new MindStop(
        'NO_PROGRESS',
        `The conversation changed hands ${maxHandoffs} times without an answer. Look at who hands over to whom, or raise \`maxHandoffs\`.`,
        null,
        { holder, next },
      )
    context.emit('handoff', { from: holder, to: next })
    holder = next
  }
}

/** Returns the member that has the conversation, according to the last handoff in it. */
function holderOf(messages: readonly Message[], ids: readonly string[]): string {
  const last = handedTo(messages)
  return last !== undefined && ids.includes(last) ? last : ids[0]!
}
