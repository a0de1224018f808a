import { AgentService } from '../../src/agent/index.ts'
import type { AgentConfig } from '../../src/agent/index.ts'
import { scripted } from '../../src/model/index.ts'
import type { ScriptedStep } from '../../src/model/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { chainTeam, handoffTeam, plannedTeam } from '../../src/team/index.ts'

/**
 * The teams behind golden journals of their own. Later builds must replay those journals with them, so nothing here may change once they are committed.
 */
function member(id: string, script: readonly ScriptedStep[]): AgentConfig {
  return { id, description: `Does ${id}.`, model: scripted(script, { name: id, by: 'call' }) }
}

const handOff = { toolCalls: [{ name: 'hand_off', input: { agent: 'billing', reason: 'It is about money.' } }] }
const plan = JSON.stringify({
  tasks: [
    { id: 'facts', description: 'Find facts.' },
    { id: 'text', description: 'Write them down.', blockedBy: ['facts'] },
  ],
})

/** A host that knows them all, and gives the same bytes every time. */
export function teamService(journal: Journal): AgentService {
  const agents = [
    ...chainTeam({ id: 'press', members: [member('writer', ['A draft.']), member('editor', ['A text.'])] }),
    ...handoffTeam({ id: 'desk', members: [member('triage', [handOff]), member('billing', ['You are refunded.'])] }),
    ...plannedTeam({
      id: 'crew',
      model: scripted([plan, 'Snow is cold.'], { name: 'chief', by: 'call' }),
      workers: [member('worker', ['Cold.', 'Snow is cold.'])],
    }),
  ]
  return new AgentService({ journal, agents, deterministic: { seed: 'golden' } })
}

/** Writes the runs anew; their journals are committed once and never made again. */
export async function writeTeams(journal: Journal): Promise<readonly string[]> {
  const service = teamService(journal)
  const runs = ['press', 'desk', 'crew']
  for (const team of runs) {
    const { status } = await service.run(team, 'Help me.', { runId: `team-${team}` })
    if (status !== 'completed') throw new Error(`${team} ${status}`)
  }
  await service.stop()
  return runs.map((team) => `team-${team}`)
}
