import { describe, expect, it } from 'vitest'
import type { AgentConfig } from '../agent/index.ts'
import type { MandateEvent } from '../journal/index.ts'
import { scripted } from '../model/index.ts'
import type { Model, ModelPart, ScriptedStep } from '../model/index.ts'
import { defineTool } from '../tool/index.ts'
import { chainTeam } from './chain-team.ts'
import { handoffTeam } from './handoff-team.ts'
import { plannedTeam } from './planned/planned-team.ts'
import { routedTeam } from './routed-team.ts'
import { routeBySupervisor } from './route.ts'
import { calls, member, planOf, serviceOf } from './team.fixture.ts'

/** Speaks a word at a time, and waits before the last one until it is let go. */
function slow(id: string, words: readonly string[]): { agent: AgentConfig & { id: string }; go: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const model: Model = {
    id: `test/${id}`,
    provider: 'test',
    modelId: id,
    async *stream(): AsyncGenerator<ModelPart> {
      for (const [index, text] of words.entries()) {
        if (index === words.length - 1) await promise
        yield { type: 'text-delta', text }
      }
      yield { type: 'finish', reason: 'stop' }
    },
  }
  return { agent: { id, model }, go: resolve }
}

/** Reads the text of a team until its speaker waits, lets that go on, and gives the pieces and the text of the result. */
async function streamed(agents: readonly AgentConfig[], prompt: string, first: string, go: () => void) {
  const service = serviceOf(agents)
  const run = service.run('desk', prompt)
  const pieces: string[] = []
  for await (const piece of run.textStream) {
    pieces.push(piece)
    if (pieces.join('') === first) go()
  }
  const result = await run
  expect(pieces.join('')).toBe(result.text)
  expect(await service.replay(result.id)).toMatchObject({ identical: true })
  return result.text
}

const said = (id: string, ...script: readonly ScriptedStep[]) => member(id, script)

describe('the text of a team is streamed while the member that speaks to the user writes it', () => {
  it('by a route: the member that was chosen, and not the one that chose', async () => {
    const { agent, go } = slow('tech', ['Start ', 'it ', 'again.'])
    const route = routeBySupervisor({ agent: 'router' })
    const agents = routedTeam({ id: 'desk', members: [agent], helpers: [said('router', 'tech')], route })
    expect(await streamed(agents, 'Help.', 'Start it ', go)).toBe('Start it again.')
  })

  it('in a chain: the last member alone', async () => {
    const { agent, go } = slow('edit', ['A ', 'good ', 'text.'])
    const agents = chainTeam({ id: 'desk', members: [said('draft', 'A draft.'), agent] })
    expect(await streamed(agents, 'Write.', 'A good ', go)).toBe('A good text.')
  })

  it('by handoffs: everyone who had the conversation, one line each', async () => {
    const { agent, go } = slow('billing', ['You ', 'get ', 'it.'])
    const triage = said('triage', { text: 'A moment.', ...calls('hand_off', { agent: 'billing' }) })
    const agents = handoffTeam({ id: 'desk', members: [triage, agent] })
    expect(await streamed(agents, 'Money!', 'A moment.\nYou get ', go)).toBe('A moment.\nYou get it.')
  })

  it('of a plan: the synthesiser, and neither planner nor worker', async () => {
    const { agent, go } = slow('writer', ['It ', 'is ', 'white.'])
    const planner = said('planner', planOf({ id: 'a', description: 'Look.' }))
    const agents = plannedTeam({ id: 'desk', planner, workers: [said('worker', 'White.')], synthesiser: agent })
    expect(await streamed(agents, 'Snow?', 'It is ', go)).toBe('It is white.')
  })

  it('of a team in a team', async () => {
    const { agent, go } = slow('edit', ['A ', 'good ', 'text.'])
    const inner = chainTeam({ id: 'press', members: [said('draft', 'A draft.'), agent] })
    const agents = routedTeam({ id: 'desk', members: ['press'], route: () => 'press' })
    expect(await streamed([...agents, ...inner], 'Write.', 'A good ', go)).toBe('A good text.')
  })
})

describe('what a team streams', () => {
  it('is taken back where the call of the member breaks off and says something else', async () => {
    const broken: Model = {
      id: 'test/tech',
      provider: 'test',
      modelId: 'tech',
      async *stream(_request, { attempt }): AsyncGenerator<ModelPart> {
        yield { type: 'text-delta', text: attempt === 1 ? 'Half an ' : 'Whole.' }
        if (attempt === 1) throw Object.assign(new Error('cut'), { retryable: true, status: 503 })
        yield { type: 'finish', reason: 'stop' }
      },
    }
    const service = serviceOf(routedTeam({ id: 'desk', members: [{ id: 'tech', model: broken }], route: () => 'tech' }))
    const told: string[] = []
    const result = await service.run('desk', 'Help.', {
      onModelTokens: (text) => void told.push(text),
      onTextReset: (standing) => void told.push(`reset:${standing}`),
    })
    expect(result.text).toBe('Whole.')
    expect(told).toEqual(['Half an ', 'reset:', 'Whole.'])
  })

  it('goes on after an approval with what is said then, and the result has all of it', async () => {
    const send = defineTool({ name: 'send', risk: 'write', needsApproval: true, run: () => 'sent' })
    const model = scripted([{ text: 'I send it.', ...calls('send', {}) }, 'It is sent.'], { name: 'post' })
    const agents = chainTeam({ id: 'desk', members: [{ id: 'post', model, tools: [send] }] })
    const service = serviceOf(agents)
    const texts: string[] = []
    service.events.on('text-delta', ({ runId, data }: MandateEvent<'text-delta'>) =>
      runId.includes('.') ? undefined : void texts.push(data.text),
    )
    const waiting = await service.run('desk', 'Send it.')
    expect([waiting.status, texts.join('')]).toEqual(['await_user', 'I send it.'])
    texts.length = 0
    await service.approve(waiting.pending[0]!.approvalId!)
    const result = await service.resume(waiting.id)
    expect(result.text).toBe('I send it.\nIt is sent.')
    expect(texts.join('')).toBe('It is sent.')
  })

  it('costs nothing in the journal', async () => {
    const agents = () => chainTeam({ id: 'desk', members: [said('draft', 'A draft.'), said('edit', 'A text.')] })
    const entries = async (isHeard: boolean) => {
      const service = serviceOf(agents(), { deterministic: { seed: 1 } })
      if (isHeard) service.events.on('text-delta', () => {})
      const { id } = await service.run('desk', 'Write.', { runId: 'r' })
      const found: unknown[] = []
      for await (const { type, key } of service.entries(id)) found.push([type, key])
      return found
    }
    expect(await entries(true)).toEqual(await entries(false))
  })
})
