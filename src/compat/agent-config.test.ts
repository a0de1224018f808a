import { expect, test } from 'vitest'
import { scripted } from '../model/index.ts'
import { defineTool } from '../tool/index.ts'
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

test('one provider may also propose other tools, and two of one id are refused by their fields', () => {
  const chat = async () => ({ content: [] })
  const provider = { name: 'mock', chat } as never
  const { spec } = new LoopAgent({ id: 'a', provider, model: 'claude', fallbackProvider: provider })
  expect(spec.fallbackTool).toBe(spec.models[0])
  const twin = { name: 'mock', chat } as never
  expect(() => new LoopAgent({ id: 'a', provider, model: 'claude', fallbackProvider: twin })).toThrow(
    /`fallbackProvider` and `model` are two models under the id ".*claude"/,
  )
})

test('what ssenrah sets on an agent and is set elsewhere here is told with its place', () => {
  const wrong = (more: object) => () => new LoopAgent({ id: 'a', model: mind, ...more })
  expect(wrong({ approvalHandler: () => 'approve' })).toThrow('`onApproval` of the second argument')
  expect(wrong({ toolRiskOverrides: { rm: 'exec' } })).toThrow('`mandate: { risks }`')
})

test.each([
  ['approve', 'completed'],
  [true, 'completed'],
  [{ decision: 'approve' }, 'completed'],
  [{ approved: true }, 'completed'],
  [{ answer: 'approve' }, 'completed'],
  ['reject', 'completed'],
  [{ decision: 'deny', reason: 'No.' }, 'completed'],
  [undefined, 'await_user'],
  [{ decision: 'perhaps' }, 'await_user'],
])('%j is an answer of `onApproval` here as it was there', async (answer, status) => {
  let sent = 0
  const send = defineTool({ name: 'send', risk: 'destructive', run: () => `sent ${++sent}` })
  const model = scripted([{ toolCalls: [{ name: 'send', input: {} }] }, 'Done.'])
  const agent = new LoopAgent({ id: 'a', model, tools: [send] }, { onApproval: () => answer as never })
  const result = await agent.run('Go.')
  expect(result.status).toBe(status)
  expect(sent).toBe(/approve|true/.test(JSON.stringify(answer) ?? '') ? 1 : 0)
  await agent.stop()
})
