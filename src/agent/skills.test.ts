import { expect, it } from 'vitest'
import { parseSkill } from '../tool/index.ts'
import { calls, host, lastResults, model, reported, tool } from './agent.fixture.ts'

const greet = parseSkill('---\nname: greet\ndescription: How we greet people.\n---\nSay hello, then the name.')

it('an agent knows what its skills are good for, and reads the instructions of one when it asks', async () => {
  const mind = model([calls({ name: 'use_skill', input: { name: 'greet' } }), 'Hello, Ana.'])
  const service = host({ model: mind, skills: [greet], tools: [tool('look')] })
  const result = await service.run('main', 'Greet Ana.')
  const [, skill] = mind.requests[0]!.tools!
  expect(skill).toMatchObject({ name: 'use_skill' })
  expect(skill!.description).toContain('- greet: How we greet people.')
  expect(JSON.stringify(mind.requests[0])).not.toContain('then the name')
  expect(lastResults(mind.requests[1]!)).toEqual([{ status: 'ok', value: 'Say hello, then the name.' }])
  expect(reported(result)).toMatchObject({ status: 'completed', toolsUsed: ['use_skill'] })
  expect(await service.replay(result.id)).toMatchObject({ identical: true })
})

it('reading a skill passes the gate like any call', async () => {
  const mind = model([calls({ name: 'use_skill', input: { name: 'greet' } }), 'Hello.'])
  await host({ model: mind, skills: [greet], mandate: { deny: ['use_skill'] } }).run('main', 'Greet Ana.')
  expect(lastResults(mind.requests[1]!)).toMatchObject([{ status: 'denied' }])
})

it('a skill that is not there, and a tool of that name, are refused', async () => {
  const mind = model([calls({ name: 'use_skill', input: { name: 'gret' } }), 'Hello.'])
  await host({ model: mind, skills: [greet] }).run('main', 'Greet Ana.')
  expect(lastResults(mind.requests[1]!)).toMatchObject([{ status: 'denied', value: expect.stringContaining('greet') }])
  expect(() => host({ model: mind, skills: [greet], tools: [tool('use_skill')] })).toThrow(/use_skill/)
  expect(() => host({ model: mind, skills: [{ name: 'x' }] as never })).toThrow(/`skills`/)
})
