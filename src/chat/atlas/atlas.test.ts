import { expect, test } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import { scripted } from '../../model/index.ts'
import { agent } from '../chat-agent.ts'
import type { Provider } from '../provider/provider-types.ts'
import { Atlas } from './atlas.ts'

const http: Provider = {
  id: 'http',
  capabilities: { streaming: false, tools: true },
  complete: async () => [],
  async *stream() {},
}

test.each([{ provider: 'htp', model: 'small' }, { model: 'htp/small' }])(
  'a provider that is missing is told with the agent that names it and the providers that there are: %o',
  (named) => {
    const wanted = /The model of the agent "helper": .*"htp".* given here: http\.$/
    expect(() => new Atlas({ providers: [http], agents: [agent({ id: 'helper', ...named })] })).toThrow(wanted)
  },
)

test('stopping tells what was suspended, and stops no service that was given', async () => {
  const model = scripted([{ text: 'Well', hang: true }])
  const atlas = new Atlas({ agents: [agent({ id: 'helper', model })] })
  const stream = atlas.send('Hi.')
  expect(await stream.started).toBe(true)
  expect((await atlas.stop()).suspended).toMatchObject([{ run: stream.streamId }])
  const service = new AgentService({ agents: [{ id: 'other', model: scripted(['Hello.']) }] })
  expect(await new Atlas({ service }).stop()).toEqual({ suspended: [], left: [], unfinished: [] })
  expect(await service.run('other', 'Hi.')).toMatchObject({ text: 'Hello.' })
  await service.stop()
})
