// An agent made of parts: a tool pack with its manifest, a type of agents that it may spawn, a skill that it reads when it needs it.
import { AgentService, defineAgentType, definePack, defineTool, parseSkill } from 'mandate'
import { scripted } from 'mandate/model'
import { toolRegistry } from 'mandate/tool'

const weather = definePack({
  name: 'weather',
  version: '1.0.0',
  tools: [
    defineTool({
      name: 'forecast',
      description: 'Tells the weather of tomorrow.',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      risk: 'read',
      run: ({ city }: { city: string }) => `${city}: rain in the morning, 14 degrees`,
    }),
  ],
})
const registry = toolRegistry()
registry.registerPack(weather)
console.log(registry.manifest('weather'))

const researcher = defineAgentType({
  name: 'researcher',
  description: 'Looks facts up.',
  packs: ['weather'],
  config: {
    model: scripted([{ toolCalls: [{ name: 'forecast', input: { city: 'Porto' } }] }, 'It rains in the morning.'], {
      name: 'researcher',
    }),
    policyProfile: 'strict',
  },
})

const style = parseSkill(`---
name: house-style
description: How we write to customers.
---
Begin with "Good news:" or "Bad news:". One sentence.`)

const service = new AgentService({
  toolRegistry: registry,
  agentTypes: [researcher],
  agents: [
    {
      id: 'writer',
      model: scripted(
        [
          { toolCalls: [{ name: 'spawn_agent', input: { agentType: 'researcher', prompt: 'Weather in Porto?' } }] },
          { toolCalls: [{ name: 'use_skill', input: { name: 'house-style' } }] },
          'Bad news: take an umbrella to Porto tomorrow morning.',
        ],
        { name: 'writer' },
      ),
      agentTypes: ['researcher'],
      skills: [style],
    },
  ],
})
service.events.on('spawn-status', ({ data }) => console.log('spawned', data))

const result = await service.run('writer', 'Write to a customer who travels to Porto.')
console.log(result.text)
for (const { name, state, parent } of await service.runs())
  console.log(name, state, parent === undefined ? '' : '(child)')

// An agent for a while: its owner's alone, nothing that destroys, and gone when its time is over.
const owner = { id: 'ana', roles: ['owner'] }
const brief = service.createOnDemand({
  config: { model: scripted(['Hello, Ana.'], { name: 'brief' }) },
  owner,
  ttlMs: 60_000,
})
console.log((await service.run(brief.spec.id, 'Hello?', { identity: owner })).text)
await service.stop()
