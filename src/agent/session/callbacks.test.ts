import { describe, expect, it } from 'vitest'
import { calls, host, model, tool } from '../agent.fixture.ts'
import { Agent } from '../agent.ts'
import type { RunCallbacks } from './run-options.ts'

describe('callbacks', () => {
  it('tell of every step, text, call and error, in order', async () => {
    const told: string[] = []
    const errors: string[] = []
    const callbacks: RunCallbacks = {
      onStepStart: ({ turn, agentId }) => told.push(`step ${turn} of ${agentId}`),
      onModelTokens: (text) => told.push(`text ${JSON.stringify(text)}`),
      onToolCall: (toolId, input) => told.push(`tool ${toolId} ${JSON.stringify(input)}`),
      onError: ({ code }) => errors.push(code),
    }
    const mind = model([{ text: 'I look.', ...calls({ name: 'look', input: { at: 'sky' } }, 'no') }, 'Done.'])
    const tools = [tool('look', () => Promise.reject(new Error('dark'))), tool('no')]
    await host({ model: mind, tools, mandate: { deny: ['no'] } }).run('main', 'Go.', callbacks)
    expect(told).toEqual([
      'step 1 of main',
      'text "I "',
      'text "look."',
      'tool look {"at":"sky"}',
      'step 2 of main',
      'text "\\nDone."',
    ])
    expect(errors.toSorted()).toEqual(['DENIED', 'TOOL_FAILED'])
  })

  it('tell of the failure that ends a run', async () => {
    const errors: string[] = []
    await host({ model: model([{ error: 'no credit' }]) }).run('main', 'Go.', {
      onError: ({ message }) => errors.push(message),
    })
    expect(errors).toEqual(['no credit'])
  })

  it('of a resume tell of what is new, and its signal cuts the run', async () => {
    const send = tool('send', () => 'sent', { risk: 'destructive' })
    const service = host({ model: model([{ text: 'I send.', ...calls('send') }, 'Sent.']), tools: [send] })
    const waiting = await service.run('main', 'Go.')
    await service.approve((await service.approvals(waiting.id))[0]!.id)
    const told: string[] = []
    const callbacks = { onModelTokens: (text: string) => told.push(text), onToolCall: (id: string) => told.push(id) }
    const result = await service.resume(waiting.id, callbacks)
    expect(result).toMatchObject({ status: 'completed', text: 'I send.\nSent.' })
    expect(told.filter((word) => word === 'I send.')).toEqual([])
    const other = await service.run('main', 'Go.')
    expect(await service.resume(other.id, { signal: AbortSignal.abort() })).toMatchObject({ status: 'cancelled' })
  })

  it('tell of other agents that are called, and keep what those say to themselves', async () => {
    const texts: string[] = []
    const called: string[] = []
    const mind = model([calls({ name: 'writer', input: { prompt: 'x' } }), 'Done.'], { name: 'main' })
    const service = host(
      { model: mind, agents: ['writer'] },
      { others: [{ id: 'writer', model: model(['Secret.'], { name: 'writer' }) }] },
    )
    await service.run('main', 'Go.', {
      onToolCall: (id) => called.push(id),
      stream: { onTextDelta: (text) => texts.push(text) },
    })
    expect(called).toEqual(['writer'])
    expect(texts.join('')).toBe('Done.')
  })

  it.each([
    [
      'throw',
      () => {
        throw new Error('callback')
      },
    ],
    ['reject', () => Promise.reject(new Error('callback'))],
  ])('that %s disturb neither the run nor each other', async (_how, fail) => {
    const unhandled: unknown[] = []
    const onUnhandled = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', onUnhandled)
    const texts: string[] = []
    const mind = model([{ text: 'I look.', ...calls('look') }, 'Done.'])
    const tools = [tool('look', () => Promise.reject(new Error('dark')))]
    const result = await host({ model: mind, tools }).run('main', 'Go.', {
      onStepStart: fail,
      onModelTokens: fail,
      onTextReset: fail,
      onToolCall: fail,
      onError: fail,
      stream: { onTextDelta: (text) => texts.push(text) },
    })
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', onUnhandled)
    expect(result).toMatchObject({ status: 'completed', text: 'I look.\nDone.' })
    expect(texts.join('')).toBe(result.text)
    expect(unhandled).toEqual([])
  })
})

describe('listeners of an agent', () => {
  it('on tool hear of tools and agents alone: when they start, how they end, and what was decided against them', async () => {
    const heard: string[] = []
    const mind = model(
      [{ text: 'I look.', ...calls('look', 'no', { name: 'writer', input: { prompt: 'x' } }) }, 'Done.'],
      { name: 'main' },
    )
    const service = host(
      { id: 'unused', model: mind },
      { others: [{ id: 'writer', model: model(['ok'], { name: 'writer' }) }] },
    )
    const agent = new Agent(
      { id: 'listener', model: mind, agents: ['writer'], tools: [tool('look'), tool('no')], mandate: { deny: ['no'] } },
      service,
    )
    agent.on('tool', ({ type, key }) => heard.push(`${type} ${key}`))
    await agent.run('Go.')
    expect(heard.toSorted()).toEqual([
      'effect-decide turn:1/tool:2',
      'effect-end turn:1/tool:1',
      'effect-end turn:1/tool:2',
      'effect-end turn:1/tool:3',
      'effect-start turn:1/tool:1',
      'effect-start turn:1/tool:3',
    ])
  })

  it('on tool hear of the end of a call that was rejected', async () => {
    const heard: string[] = []
    const agent = new Agent(
      { model: model([calls('send'), 'Done.']), tools: [tool('send', () => 'never', { risk: 'destructive' })] },
      { onApproval: () => ({ answer: 'reject' }) },
    )
    agent.on('tool', ({ type, key }) => heard.push(`${type} ${key}`))
    await agent.run('Go.')
    expect(heard).toEqual(['effect-end turn:1/tool:1'])
  })

  it('on step, error and metrics hear of those', async () => {
    const agent = new Agent({
      model: model([calls('look'), 'Done.']),
      tools: [tool('look', () => Promise.reject(new Error('dark')))],
    })
    const heard: unknown[] = []
    agent.on('step', ({ type, data }) => heard.push([type, data]))
    agent.on('error', ({ type, key }) => heard.push([type, key]))
    agent.on('metrics', ({ type, data }) => heard.push([type, data.spent.steps]))
    await agent.run('Go.')
    expect(heard).toEqual([
      ['step-start', { turn: 1 }],
      ['effect-end', 'turn:1/tool:1'],
      ['step-start', { turn: 2 }],
      ['run-end', 2],
    ])
  })

  it('hear only of their own agent, until they stop listening', async () => {
    const service = host({ model: model(['Hello.'], { name: 'main' }) })
    const agent = new Agent({ id: 'other', model: model(['Hi.'], { name: 'other' }) }, service)
    let heard = 0
    const stop = agent.on('step', () => heard++)
    await service.run('main', 'Go.')
    expect(heard).toBe(0)
    await agent.run('Go.')
    expect(heard).toBe(1)
    stop()
    await agent.run('Go.').catch(() => {})
    expect(heard).toBe(1)
  })

  it('that throw or reject disturb nothing', async () => {
    const agent = new Agent({ model: model([calls('look'), 'Done.']), tools: [tool('look')] })
    agent.on('step', () => {
      throw new Error('listener')
    })
    agent.on('tool', () => Promise.reject(new Error('listener')))
    agent.service.events.on('*', () => {
      throw new Error('listener')
    })
    expect(await agent.run('Go.')).toMatchObject({ status: 'completed' })
  })
})
