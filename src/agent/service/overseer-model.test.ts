import { expect, test } from 'vitest'
import type { Model } from '../../model/index.ts'
import { calls, model, tool } from '../agent.fixture.ts'
import type { AgentConfig } from '../config/config-types.ts'
import { AgentService } from './service.ts'
import type { ServiceOptions } from './service-options.ts'

const judging = (id = 'scripted/judge'): Model & { readonly requests: readonly object[] } =>
  Object.assign(model('{"aligned": false, "reason": "off"}'), { id, modelId: id.split('/')[1]! })

/** An agent that calls a tool for ever, which an overseer asks a model about before every second call. */
function watched(judge: string, options: ServiceOptions = {}, config: Partial<AgentConfig> = {}): AgentService {
  let position = 0
  const main: AgentConfig = {
    id: 'main',
    model: model(() => calls({ name: 'look', input: { at: position++ } })),
    overseer: { maxCallsPerMinute: 100, drift: { model: judge, every: 2 } },
    tools: [tool('look')],
    ...config,
  }
  return new AgentService({ ...options, agents: [main, ...(options.agents ?? [])] })
}

const KILLED = { status: 'failed', error: { code: 'KILLED', message: expect.stringContaining('overseer/drift') } }

test('an overseer asks the model of another agent of the service', async () => {
  const judge = judging()
  const agents = [{ id: 'judge', model: judge }]
  expect(await watched('scripted/judge', { agents }).run('main', 'Look.')).toMatchObject(KILLED)
  expect(await watched('judge', { agents }).run('main', 'Look.')).toMatchObject(KILLED)
  expect(judge.requests).toHaveLength(6)
})

test('an overseer asks a model of an installed provider, which is made once', async () => {
  const [judge, made] = [judging('openai/gpt-5-mini'), [] as string[]]
  const modelSources = {
    load: () => Promise.reject(new Error('offline')),
    env: {},
    model: (id: string) => (made.push(id), judge),
  }
  const service = watched('openai/gpt-5-mini', { modelSources })
  expect(await service.run('main', 'Look.')).toMatchObject(KILLED)
  expect(await service.run('main', 'Look.')).toMatchObject(KILLED)
  expect(made).toEqual(['openai/gpt-5-mini'])
  // What an overseer may ask is no model that a run may name.
  await expect(service.run('main', 'Look.', { model: 'openai/gpt-5-mini' })).rejects.toMatchObject({
    code: 'INPUT_INVALID',
  })
})

test('a sub-agent under the mandate of its parent is watched by the same model', async () => {
  const judge = judging()
  const helper: AgentConfig = {
    id: 'helper',
    model: model((_, { position }) => (position < 20 ? calls({ name: 'look', input: { at: position } }) : 'Done.')),
    tools: [tool('look')],
  }
  const service = watched(
    'scripted/judge',
    { agents: [helper, { id: 'judge', model: judge }] },
    { model: model([calls({ name: 'helper', input: { prompt: 'Go.' } }), 'Done.']), agents: ['helper'] },
  )
  const { id } = await service.run('main', 'Look.')
  expect(judge.requests.length).toBeGreaterThan(0)
  const [child] = await service.runs({ parent: id })
  expect((await service.result(child!.run)).error).toMatchObject(KILLED.error)
})

test('a model that is nowhere is refused at the start, with what there is', async () => {
  await expect(watched('scripted/nobody').run('main', 'Look.')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('`overseer.drift.model`'),
  })
  await expect(watched('nobody').run('main', 'Look.')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/"nobody", and there is no such model.*of this one: /),
  })
})
