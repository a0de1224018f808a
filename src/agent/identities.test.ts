import { describe, expect, test } from 'vitest'
import { scripted } from '../model/index.ts'
import { AgentService } from './service/service.ts'

const owner = { id: 'owner', roles: ['owner'] }
const service = (): AgentService => new AgentService({ agents: [{ id: 'a', model: scripted(['Done.']) }] })

describe.each([
  ['a text', 'ana'],
  ['null', null],
  ['a list', []],
  ['no roles', { id: 'z' }],
  ['no id', { roles: ['op'] }],
  ['an empty id', { id: ' ', roles: [] }],
  ['roles that are a text', { id: 'z', roles: 'owner' }],
  ['a misspelt field', { id: 'z', roles: [], agnet: true }],
])('an identity that is %s', (_, wrong) => {
  const identity = wrong as never
  test.each<[string, (host: AgentService) => unknown]>([
    ['run', (host) => host.run('a', 'Hello', { identity })],
    ['createSession', (host) => host.createSession('a', { identity })],
    ['resume', (host) => host.resume('run_1', { identity })],
    ['register', (host) => host.as(identity).register({ id: 'b', model: scripted(['x']) })],
    ['runs', (host) => host.as(identity).runs({})],
    ['approvals', (host) => host.as(identity).approvals(undefined)],
    ['approve', (host) => host.as(identity).approve('run_1-ap3')],
    ['reject', (host) => host.as(identity).reject('run_1-ap3', 'no')],
    ['cancel', (host) => host.as(identity).cancel('run_1', 'stop')],
    ['steer', (host) => host.as(identity).steer('run_1', 'hm')],
    ['setPolicy', (host) => host.as(identity).setPolicy({})],
    ['a service', () => new AgentService({ identity })],
  ])('is refused by %s with what an identity is', async (_name, call) => {
    await expect((async () => call(service()))()).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringMatching(/identity|`by`|Who acts/) as string,
    })
  })
})

test.each(['agents', 'agentTypes'] as const)('an agent that names an unknown one in `%s` is not run', async (field) => {
  const model = scripted(['Done.'])
  const host = new AgentService({
    agents: [
      { id: 'boss', model, [field]: ['writter'] },
      { id: 'writer', model: scripted(['x']) },
    ],
  })
  await expect(host.run('boss', 'Hello', { identity: owner })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('Did you mean `writer`') as string,
  })
  expect(model.requests).toEqual([])
})
