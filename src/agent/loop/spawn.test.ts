import { describe, expect, it } from 'vitest'
import type { MandateEvent } from '../../journal/index.ts'
import { definePack, toolRegistry } from '../../tool/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { calls, hanging, lastResults, model, reported, tool } from '../agent.fixture.ts'
import { defineAgentType } from '../config/agent-type.ts'
import type { AgentConfig } from '../config/config-types.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import { AgentService } from '../service/service.ts'

const spawn = (agentType: string, prompt = 'Look it up.', more: object = {}): ReturnType<typeof calls> =>
  calls({ name: 'spawn_agent', input: { agentType, prompt, ...more } })

function hosted(main: AgentConfig, reader: AgentConfig, options: ServiceOptions = {}): AgentService {
  const type = { name: 'reader', description: 'Reads things.', config: reader }
  return new AgentService({ ...options, agentTypes: [type], agents: [{ id: 'main', agentTypes: ['reader'], ...main }] })
}

describe('an agent that may spawn others', () => {
  it('is told the types it may choose, and gets the answer of the one it started', async () => {
    const mind = model([spawn('reader', 'Look it up.', { context: 'Page 3.' }), 'It says 42.'], { name: 'main' })
    const reader = model(['42'], { name: 'reader' })
    const service = hosted({ model: mind }, { model: reader })
    const result = await service.run('main', 'What does it say?')
    expect(mind.requests[0]!.tools).toMatchObject([
      {
        name: 'spawn_agent',
        description: expect.stringContaining('- reader: Reads things.') as string,
        inputSchema: { properties: { agentType: { enum: ['reader'] } } },
      },
    ])
    expect(reader.requests[0]!.messages).toMatchObject([
      { role: 'user', content: [{ text: 'Look it up.\n\nContext:\nPage 3.' }] },
    ])
    expect(lastResults(mind.requests[1]!)).toEqual([{ status: 'ok', value: '42' }])
    expect(reported(result)).toMatchObject({ status: 'completed', text: 'It says 42.', toolsUsed: ['reader'] })
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
    expect(await service.runs({ parent: result.id })).toMatchObject([{ name: 'reader', state: 'completed' }])
  })

  it('reports what became of it: started, then the result or the failure', async () => {
    for (const [reader, status] of [
      [model(['42'], { name: 'reader' }), 'completed'],
      [model([{ error: 'down' }], { name: 'reader' }), 'failed'],
    ] as const) {
      const service = hosted({ model: model([spawn('reader'), 'Done.'], { name: 'main' }) }, { model: reader })
      const seen: MandateEvent[] = []
      service.events.on('*', (event) => void seen.push(event))
      const { id } = await service.run('main', 'Go.')
      const told = seen.filter(({ type }) => type === 'spawn-status').map(({ data }) => data)
      expect(told).toMatchObject([
        { agentType: 'reader', status: 'started' },
        { agentType: 'reader', status },
      ])
      // That it runs is its own first event, which names the run and the call it belongs to.
      const running = seen.find(({ type, runId }) => type === 'run-start' && runId !== id)
      expect(running).toMatchObject({ agentId: 'reader', data: { parent: { run: id, key: 'turn:1/tool:1' } } })
    }
  })

  it('is told what to correct when it asks for a type it may not have, or gives no task', async () => {
    const mind = model([spawn('writer'), spawn('main'), spawn('reader', ''), 'Alone then.'], { name: 'main' })
    const reader = model(['never'], { name: 'reader' })
    const service = hosted({ model: mind }, { model: reader })
    expect(await service.run('main', 'Go.')).toMatchObject({ status: 'completed' })
    expect(lastResults(mind.requests[1]!)).toMatchObject([
      { status: 'error', value: expect.stringContaining('reader') },
    ])
    expect(lastResults(mind.requests[2]!)).toMatchObject([{ status: 'error' }])
    expect(lastResults(mind.requests[3]!)).toMatchObject([{ value: expect.stringContaining('`prompt`') }])
    expect(reader.requests).toHaveLength(0)
  })

  it('may spawn its own type, four deep unless its budget says otherwise', async () => {
    for (const [budget, runs] of [
      [undefined, 5],
      [{ depth: 2 }, 3],
    ] as const) {
      const mind = model(({ messages }) => (messages.at(-1)!.role === 'tool' ? 'I did it.' : spawn('digger')))
      const config = { model: mind, agentTypes: ['digger'], ...(budget === undefined ? {} : { budget }) }
      const service = new AgentService({ agentTypes: [{ name: 'digger', description: 'Digs.', config }] })
      expect(await service.run('digger', 'Dig.')).toMatchObject({ status: 'completed' })
      expect(await service.runs()).toHaveLength(runs)
    }
  })

  it('shares its budget with what it spawns', async () => {
    const service = hosted(
      { model: model([spawn('reader'), spawn('reader'), 'Never.'], { name: 'main' }), budget: { modelCalls: 3 } },
      { model: model(['42'], { name: 'reader' }) },
    )
    expect(await service.run('main', 'Go.')).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } })
  })

  it('takes what it spawned down with it', async () => {
    const hang = hanging('test/reader')
    const service = hosted({ model: model([spawn('reader'), 'Never.'], { name: 'main' }) }, { model: hang })
    const running = service.run('main', 'Go.')
    await hang.reached
    void running.cancel()
    expect(await running).toMatchObject({ status: 'cancelled' })
    expect((await service.runs()).map(({ state }) => state)).toEqual(['cancelled', 'cancelled'])
  })

  it('waits with it for an approval, and goes on with it', async () => {
    let sent = 0
    const send = tool('send', () => ++sent, { risk: 'destructive' })
    const service = hosted(
      { model: model([spawn('reader'), 'Sent.'], { name: 'main' }) },
      { model: model([calls('send'), 'I sent it.'], { name: 'reader' }), tools: [send] },
    )
    const waiting = await service.run('main', 'Go.')
    expect(waiting).toMatchObject({ status: 'await_user', suspendReason: 'approval' })
    await service.approve((await service.approvals(waiting.id))[0]!.id)
    expect(await service.resume(waiting.id)).toMatchObject({ status: 'completed', text: 'Sent.' })
    expect(sent).toBe(1)
  })

  it('can be forbidden to by the deny list, like any agent', async () => {
    const reader = model(['never'], { name: 'reader' })
    const mind = model([spawn('reader'), 'Alone then.'], { name: 'main' })
    const service = hosted({ model: mind, mandate: { deny: ['agent:reader'] } }, { model: reader })
    await service.run('main', 'Go.')
    expect(lastResults(mind.requests[1]!)).toMatchObject([{ status: 'denied' }])
    expect(reader.requests).toHaveLength(0)
  })
})

describe('what is spawned is under the stricter of both mandates', () => {
  it.each<[string, Mandate, Mandate, Mandate, 'ran' | 'asked' | 'denied']>([
    ['nothing forbids it', {}, {}, {}, 'ran'],
    ['the parent denies the tool', { deny: ['write'] }, {}, {}, 'denied'],
    ['the child denies the tool', {}, { deny: ['write'] }, {}, 'denied'],
    ['the host denies the tool', {}, {}, { deny: ['write'] }, 'denied'],
    ['the parent is strict, the child permissive', { profile: 'strict' }, { profile: 'local-permissive' }, {}, 'asked'],
    ['the child is strict, the parent permissive', { profile: 'local-permissive' }, { profile: 'strict' }, {}, 'asked'],
    ['the parent caps the risk', { riskMax: 'read' }, {}, {}, 'denied'],
    ['the child allows what the parent does not list', { allow: ['look'] }, { allow: ['write'] }, {}, 'denied'],
    [
      'a rule of the parent asks, one of the child allows',
      { rules: [{ id: 'a', when: { tool: 'write' }, then: 'ask' }] },
      { rules: [{ id: 'b', when: { tool: 'write' }, then: 'allow' }] },
      {},
      'asked',
    ],
  ])('%s', async (_, parent, child, host, expected) => {
    let written = 0
    const write = tool('write', () => ++written, { risk: 'write' })
    const service = hosted(
      { model: model([spawn('reader'), 'Done.'], { name: 'main' }), mandate: parent },
      { model: model([calls('write'), 'Done.'], { name: 'reader' }), mandate: child, tools: [write] },
      { mandate: host },
    )
    const { status } = await service.run('main', 'Go.')
    expect(status).toBe(expected === 'asked' ? 'await_user' : 'completed')
    expect(written).toBe(expected === 'ran' ? 1 : 0)
  })
})

describe('an agent type', () => {
  const files = definePack({ name: 'files', version: '1.0.0', tools: [tool('read_file', () => 'text')] })

  it('brings the tools of its packs, from the registry of the service', async () => {
    const registry = toolRegistry()
    registry.registerPack(files)
    const reader = model([calls('read_file'), 'text'], { name: 'reader' })
    const type = defineAgentType({ name: 'reader', description: 'Reads.', packs: ['files'], config: { model: reader } })
    const service = new AgentService({ agentTypes: [type], toolRegistry: registry })
    expect(reported(await service.run('reader', 'Read.'))).toMatchObject({
      status: 'completed',
      toolsUsed: ['read_file'],
    })
  })

  it('whose packs are missing is refused at once, with what is missing', () => {
    const type = { name: 'reader', description: 'Reads.', packs: ['files'], config: { model: model(['x']) } }
    expect(() => new AgentService({ agentTypes: [type] })).toThrow(/needs the packs files/)
    expect(() => new AgentService({ agentTypes: [type], toolRegistry: toolRegistry() })).toThrow(/no tool pack "files"/)
  })

  it.each<[string, object, RegExp]>([
    ['without a name', { name: ' ', description: 'x', config: {} }, /`name`/],
    ['without a description', { name: 'x', description: '', config: {} }, /`description`/],
    ['without a configuration', { name: 'x', description: 'x' }, /`config`/],
    [
      'with a misspelt field',
      { name: 'x', description: 'x', config: {}, pack: [] },
      /`pack` is not a field of an agent type. Did you mean `packs`/,
    ],
  ])('%s is refused', (_, type, words) => {
    expect(() => defineAgentType(type as never)).toThrow(words)
  })

  it('cannot be spawned by an agent that has a tool of that name already', () => {
    const config = { id: 'main', model: model(['x']), agentTypes: ['reader'], tools: [tool('spawn_agent')] }
    expect(() => new AgentService({ agents: [config] })).toThrow(/spawn_agent/)
  })
})
