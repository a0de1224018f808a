import { checkFields } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import type { AgentConfig, RunnerInput } from '../agent/index.ts'
import type { RunContext } from '../run/index.ts'
import { answer, callMember, conversationInput, outputOf, taskInput } from './member-call.ts'
import { TEAM_OPTIONS, readMembers, teamAgent } from './members.ts'
import type { Member, TeamOptions } from './members.ts'

interface ChainTeamOptions extends TeamOptions {
  /** The members, in the order in which they work. */
  readonly members: readonly Member[]
}

const OPTIONS: FieldNames<ChainTeamOptions> = { ...TEAM_OPTIONS, members: true }

/**
 * Makes a team whose members work one after another: the first one receives the conversation, each next one the request and the output of the one before it.
 * The answer of the last one is the answer of the team. Returns the agents of the team, the team itself first, for a service.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { scripted } from 'mandate/model'
 * import { chainTeam } from 'mandate/team'
 * const members = [
 *   { id: 'writer', model: scripted(['A draft.'], { name: 'writer' }) },
 *   { id: 'editor', model: scripted(['A good text.'], { name: 'editor' }) },
 * ]
 * const service = new AgentService({ agents: chainTeam({ id: 'press', members }) })
 * const { text } = await service.run('press', 'Write about snow.')
 * ```
 */
export function chainTeam(options: ChainTeamOptions): readonly AgentConfig[] {
  checkFields(options, 'an option of `chainTeam`', OPTIONS)
  const { ids, configs } = readMembers(options.members, 'members')
  return [teamAgent(options, ids, (context, _spec, prompt, input) => run(ids, context, { prompt, input })), ...configs]
}

interface Asked {
  readonly prompt: string
  readonly input: RunnerInput
}

async function run(members: readonly string[], context: RunContext, { prompt, input }: Asked) {
  // Recorded, so that a resumed run keeps its order when the team has changed.
  const order = await context.record('members', () => [...members])
  let last: Awaited<ReturnType<typeof outputOf>> | undefined
  for (const [index, member] of order.entries()) {
    const given =
      last === undefined
        ? conversationInput(input)
        : taskInput(`${prompt}\n\nThis is what "${order[index - 1]!}" made of it:\n${last.text}`, input)
    const speak = index === order.length - 1 ? input.speak : undefined
    last = outputOf(member, await callMember(context, { member, key: `member:${index + 1}`, input: given, speak }))
  }
  return answer(context, last!)
}
