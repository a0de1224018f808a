import { expect, onTestFinished, test } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import type { AgentConfig } from '../../src/agent/index.ts'
import { memoryJournal } from '../../src/journal/index.ts'
import { scripted } from '../../src/model/index.ts'
import type { Engine, EngineHost } from '../../src/run/index.ts'
import { defineTool } from '../../src/tool/index.ts'

const asks = defineTool({ name: 'asks', risk: 'write', needsApproval: true, run: () => 'asked' })
const model = (name?: string): ReturnType<typeof scripted> =>
  scripted([{ toolCalls: [{ name: 'asks', input: {} }] }, 'Done.'], name === undefined ? {} : { name })

/** A process of some version over the journal, and what its engine may ask. */
async function hostOf(journal: ReturnType<typeof memoryJournal>, agents: readonly AgentConfig[]): Promise<EngineHost> {
  let host: EngineHost | undefined
  const engine: Engine = {
    name: 'none',
    attach: async (given) => void (host = given),
    dispatch: async () => {},
    schedule: async () => {},
    stop: async () => {},
  }
  const service = new AgentService({ store: { journal, close: async () => {} }, engine, agents })
  onTestFinished(async () => void (await service.stop()))
  await service.start()
  return host!
}

test('a run that waits can be driven by a version that has all it has pinned, and by no other; the reason names what is missing', async () => {
  const journal = memoryJournal()
  const asker: AgentConfig = { id: 'asker', model: model(), tools: [asks] }
  const lead: AgentConfig = {
    id: 'lead',
    model: scripted([{ toolCalls: [{ name: 'asker', input: { prompt: 'Go.' } }] }]),
    agents: ['asker'],
  }
  const first = new AgentService({ store: { journal, close: async () => {} }, agents: [asker, lead] })
  const waiting = await first.run('asker', 'Go.')
  const above = await first.run('lead', 'Go.')
  expect([waiting.status, above.status]).toEqual(['await_user', 'await_user'])
  await first.stop()
  const reasonOf = async (agents: readonly AgentConfig[], run: string): Promise<string | undefined> =>
    (await (await hostOf(journal, agents)).obstacle(run))?.reason
  // More tools, other instructions: the run goes on with what it has pinned.
  const more = defineTool({ name: 'more', risk: 'read', run: () => 1 })
  const changed: AgentConfig = { ...asker, instructions: 'Be kind.', tools: [asks, more] }
  expect(await reasonOf([changed, lead], waiting.id)).toBeUndefined()
  expect(await reasonOf([changed, lead], above.id)).toBeUndefined()
  expect(await reasonOf([{ ...asker, tools: [] }], waiting.id)).toBe('agent "asker" without the tool "asks"')
  expect(await reasonOf([{ ...asker, model: model('other') }], waiting.id)).toMatch(
    /^agent "asker" without the model "/u,
  )
  expect(await reasonOf([lead], waiting.id)).toBe('no agent "asker"')
  // What is below a run has to be driven with it.
  expect(await reasonOf([{ ...asker, tools: [] }, lead], above.id)).toBe('agent "asker" without the tool "asks"')
})

test('the hash of a mind changes with its instructions and its tools, and with nothing else', async () => {
  const journal = memoryJournal()
  const agent: AgentConfig = { id: 'asker', model: model(), tools: [asks] }
  const hash = async (changed: AgentConfig): Promise<string> =>
    (await hostOf(journal, [changed])).minds()['agent/asker']!
  const one = await hash(agent)
  expect(await hash({ ...agent })).toBe(one)
  expect(await hash({ ...agent, instructions: 'Be kind.' })).not.toBe(one)
  expect(await hash({ ...agent, tools: [] })).not.toBe(one)
})
