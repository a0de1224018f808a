import { expect, test } from 'vitest'
import { scripted } from '../model/index.ts'
import { LoopAgent, agentConfig } from './agent-config.ts'
import type { CompatAgentConfig } from './agent-config.ts'

const mind = scripted(['Done.'])
const other = scripted(['Done.'], { name: 'other' })

test.each<[CompatAgentConfig, object]>([
  [{ systemPrompt: 'Be brief.' }, { instructions: 'Be brief.' }],
  [{ systemPrompt: 'Be brief.', instructions: 'Be brief.' }, { instructions: 'Be brief.' }],
  [{ systemPrompt: { template: 't' }, instructions: { template: 't' } }, { instructions: { template: 't' } }],
  [{ taskPrompt: 'Go.' }, { prompt: 'Go.' }],
  [{ maxSteps: 3 }, { maxTurns: 3 }],
  [{ provider: mind }, { model: mind }],
  [{ provider: mind, model: mind }, { model: mind }],
  [
    { provider: mind, model: 'scripted/model' },
    { model: 'scripted/model', models: [mind] },
  ],
  [
    { provider: mind, model: 'scripted/model', modelProviders: [other] },
    { model: 'scripted/model', models: [mind, other] },
  ],
  [{ modelProviders: [mind, other] }, { models: [mind, other] }],
  [
    { id: 'a', model: mind },
    { id: 'a', model: mind },
  ],
])('%#: the names of other libraries are read as ours', (given, meant) => {
  expect(agentConfig(given)).toEqual(meant)
})

test('a provider and its model can both be named', () => {
  expect(agentConfig({ provider: 'openai', model: 'gpt-5' })).toEqual({ model: 'openai/gpt-5' })
  expect(() => agentConfig({ provider: 'openai' })).toThrow('Give `model`')
})

test.each<[CompatAgentConfig, string]>([
  [{ systemPrompt: 'a', instructions: 'b' }, 'systemPrompt'],
  [{ taskPrompt: 'a', prompt: 'b' }, 'taskPrompt'],
  [{ maxTurns: 3, maxSteps: 4 }, 'maxSteps'],
  [{ model: mind, provider: other }, 'provider'],
  [{ models: [mind], modelProviders: [other] }, 'modelProviders'],
])('%#: two names that disagree are refused', (config, alias) => {
  expect(() => agentConfig(config)).toThrow(new RegExp(`\`${alias}\` are two names for one thing and disagree`))
})

test('an agent is made of them', async () => {
  const agent = new LoopAgent({ systemPrompt: 'Be brief.', taskPrompt: 'Go.', provider: mind, maxSteps: 2 })
  expect(agent.spec).toMatchObject({ systemPrompt: 'Be brief.', maxTurns: 2, models: [mind] })
  expect(await agent.run()).toMatchObject({ status: 'completed', text: 'Done.' })
})
