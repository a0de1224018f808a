import { describe, expect, it } from 'vitest'
import { textOf } from '../../model/index.ts'
import { defineTool } from '../../tool/index.ts'
import { calls, gate, host, lastResults, model, reported, tool } from '../agent.fixture.ts'

const failing = tool('fetch', () => Promise.reject(new Error('404')))

function proposing(...proposals: readonly unknown[]) {
  return model(
    proposals.map((proposal) => (typeof proposal === 'string' ? proposal : JSON.stringify(proposal))),
    { name: 'proposer', by: 'call' },
  )
}

describe('another tool in the place of one that failed', () => {
  it('is proposed by a model, passes the gate, and answers the original call', async () => {
    const mind = model([calls({ name: 'fetch', input: { page: 1 } }), 'Done.'])
    const proposer = proposing({ toolName: 'cache', input: { page: 1 } })
    const service = host({
      model: mind,
      fallbackProvider: proposer,
      tools: [failing, tool('cache', () => 'from the cache')],
    })
    const result = await service.run('main', 'Read page 1.')
    expect(lastResults(mind.requests[1]!)).toEqual([{ status: 'ok', value: 'from the cache' }])
    expect(textOf(proposer.requests[0]!.messages.at(-1)!)).toMatch(/fetch.*404.*Read page 1/s)
    expect(result.actions.map(({ id, toolId, ok }) => [id, toolId, ok])).toEqual([
      ['turn:1/tool:1', 'fetch', false],
      ['turn:1/tool:1/fallback/tool:1', 'cache', true],
    ])
    expect(reported(result)).toMatchObject({ status: 'completed', toolsUsed: ['fetch', 'cache'], text: 'Done.' })
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('gets no privileges: what is denied is denied', async () => {
    let wiped = 0
    const mind = model([calls('fetch'), 'I give up.'])
    const proposer = proposing({ toolName: 'wipe', input: {} }, { toolName: null })
    const tools = [failing, tool('wipe', () => ++wiped, { risk: 'destructive' })]
    const service = host({ model: mind, fallbackProvider: proposer, tools, policyProfile: 'managed' })
    const result = await service.run('main', 'Go.')
    expect(result.status).toBe('completed')
    expect(wiped).toBe(0)
    expect(lastResults(mind.requests[1]!)).toMatchObject([{ status: 'error', value: expect.stringContaining('404') }])
    expect(result.report().diagnostics.warnings).toEqual([
      expect.stringContaining('turn:1/tool:1/fallback/tool:1: denied'),
    ])
  })

  it('waits for an approval like any other call', async () => {
    const proposer = proposing({ toolName: 'wipe', input: {} })
    const config = {
      model: model([calls('fetch'), 'Done.']),
      fallbackProvider: proposer,
      tools: [failing, tool('wipe', () => 'wiped', { risk: 'destructive' })],
    }
    const service = host(config)
    const waiting = await service.run('main', 'Go.')
    expect(waiting).toMatchObject({ status: 'await_user', suspendReason: 'approval' })
    const [request] = await service.approvals(waiting.id)
    expect(request).toMatchObject({ name: 'wipe', key: 'turn:1/tool:1/fallback/tool:1' })
    await service.approve(request!.id)
    expect(reported(await service.resume(waiting.id))).toMatchObject({
      status: 'completed',
      toolsUsed: ['fetch', 'wipe'],
    })
  })

  it('is looked for in three rounds at most, each of which knows what was tried', async () => {
    const other = tool('other', () => Promise.reject(new Error('500')))
    const proposer = proposing(
      { toolName: 'other' },
      { toolName: 'nothing' },
      { toolName: 'other', input: { n: 2 } },
      { toolName: 'other' },
    )
    const mind = model([calls('fetch'), 'I give up.'])
    const result = await host({ model: mind, fallbackProvider: proposer, tools: [failing, other] }).run('main', 'Go.')
    expect(proposer.requests).toHaveLength(3)
    expect(textOf(proposer.requests[2]!.messages.at(-1)!)).toMatch(/404.*500.*nothing/s)
    expect(lastResults(mind.requests[1]!)).toMatchObject([{ status: 'error', value: expect.stringContaining('404') }])
    expect(result.status).toBe('completed')
  })

  it.each(['there is none', '{"toolName": null}', '{"toolName": 7}', '{broken', ''])(
    'is given up when the proposal is %j',
    async (proposal) => {
      const mind = model([calls('fetch'), 'I give up.'])
      const proposer = proposing(proposal)
      const result = await host({ model: mind, fallbackProvider: proposer, tools: [failing] }).run('main', 'Go.')
      expect(result.status).toBe('completed')
      expect(proposer.requests).toHaveLength(1)
    },
  )

  it('is given up when the model that should propose fails', async () => {
    const mind = model([calls('fetch'), 'I give up.'])
    const proposer = model([{ error: 'down' }], { name: 'proposer' })
    expect(await host({ model: mind, fallbackProvider: proposer, tools: [failing] }).run('main', 'Go.')).toMatchObject({
      status: 'completed',
    })
  })

  it('is not looked for any further once the run is cut', async () => {
    const inside = gate()
    const slow = tool('slow', (_, { signal }) => {
      inside.reach()
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('cut')), { once: true }),
      )
    })
    const proposer = proposing({ toolName: 'slow' }, { toolName: 'slow', input: { n: 2 } })
    const service = host({
      model: model([calls('fetch'), 'Never.']),
      fallbackProvider: proposer,
      tools: [failing, slow],
    })
    const run = service.run('main', 'Go.')
    await inside.reached
    void run.cancel()
    const result = await run
    expect(result).toMatchObject({ status: 'cancelled' })
    expect(proposer.requests).toHaveLength(1)
    expect(result.actions.map(({ toolId }) => toolId)).toEqual(['fetch', 'slow'])
    expect((await service.messages(run.id)).at(-1)!.content).toMatchObject([{ status: 'cancelled' }])
  })

  it('is not looked for when the failure is fatal, or the call was denied', async () => {
    const proposer = proposing({ toolName: 'other' })
    const fatal = tool('fatal', () => Promise.reject(new Error('no')), { fatal: true })
    await host({ model: model([calls('fatal')]), fallbackProvider: proposer, tools: [fatal, tool('other')] }).run(
      'main',
      'Go.',
    )
    await host({
      model: model([calls('other'), 'ok']),
      fallbackProvider: proposer,
      tools: [tool('other')],
      mandate: { deny: ['other'] },
    }).run('main', 'Go.')
    expect(proposer.requests).toHaveLength(0)
  })

  it('counts as a failure when it says so in words, where its author says that such words are failures', async () => {
    const worded = (name: string) =>
      defineTool({ name, risk: 'read', run: () => 'Error: nothing here' }, { errorText: true })
    const proposer = proposing({ toolName: 'second' }, { toolName: null })
    const mind = model([calls('first'), 'I give up.'])
    const result = await host({
      model: mind,
      fallbackProvider: proposer,
      tools: [worded('first'), worded('second')],
    }).run('main', 'Go.')
    expect(result.actions.map(({ ok }) => ok)).toEqual([false, false])
    expect(lastResults(mind.requests[1]!)).toMatchObject([
      { status: 'error', value: expect.stringContaining('nothing here') },
    ])
  })
})
