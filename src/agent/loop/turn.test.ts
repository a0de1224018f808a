import { describe, expect, it } from 'vitest'
import { checkTranscript } from '../../model/index.ts'
import { calls, host, lastResults, model, tool } from '../agent.fixture.ts'

describe('the turns of an agent', () => {
  it('go on until a reply has no tool calls', async () => {
    const mind = model([calls('look'), calls('look'), 'Found it.'])
    const result = await host({ model: mind, tools: [tool('look')] }).run('main', 'Find it.')
    expect(result).toMatchObject({
      status: 'completed',
      text: 'Found it.',
      steps: 3,
      result: 'Found it.',
    })
    expect(mind.requests).toHaveLength(3)
  })

  it('end with max_turns when the last allowed one still calls tools, and the last calls have their results', async () => {
    const service = host({ model: model([calls('look'), calls('look')]), tools: [tool('look')], maxTurns: 2 })
    const result = await service.run('main', 'Find it.')
    expect(result).toMatchObject({ status: 'max_turns', phase: 'failed', steps: 2 })
    expect(result.error).toMatchObject({ code: 'STEPS_EXHAUSTED', message: expect.stringContaining('maxTurns') })
    expect(checkTranscript(await service.messages(result.id))).toEqual([])
  })

  it('are completed by a final reply on the very last allowed one', async () => {
    const result = await host({ model: model([calls('look'), 'Done.']), tools: [tool('look')], maxTurns: 2 }).run(
      'main',
      'Go.',
    )
    expect(result).toMatchObject({ status: 'completed', phase: 'completed', steps: 2 })
  })

  it('number twenty when nothing else is said', async () => {
    const mind = model((_request, { position }) => ({ text: `${position + 1}`, ...calls('look') }))
    const result = await host({ model: mind, tools: [tool('look')] }).run('main', 'Go.')
    expect(result).toMatchObject({ status: 'max_turns', steps: 20, lastText: '20' })
    expect(mind.requests[0]).toMatchObject({ maxOutputTokens: 4096 })
  })

  it('add their texts up, told apart by line breaks, with the last one apart', async () => {
    const mind = model([
      { text: 'I look.', ...calls('look') },
      calls('look'),
      { text: 'I see.', ...calls('look') },
      'It is blue.',
    ])
    const result = await host({ model: mind, tools: [tool('look')] }).run('main', 'What colour is it?')
    expect(result.text).toBe('I look.\nI see.\nIt is blue.')
    expect(result).toMatchObject({
      lastText: 'It is blue.',
      result: 'It is blue.',
    })
  })

  it('end with max_tokens when a reply is cut, and keep what it said', async () => {
    const result = await host({ model: model([{ text: 'It is bl', finishReason: 'length' }]), maxTokens: 7 }).run(
      'main',
      'Go.',
    )
    expect(result).toMatchObject({ status: 'max_tokens', phase: 'failed', text: 'It is bl', result: null })
    expect(result.error).toMatchObject({ code: 'OUTPUT_TRUNCATED', message: expect.stringContaining('7 tokens') })
  })

  it('perform no call of a reply that was cut, and answer each of them all the same', async () => {
    let performed = 0
    const cut = { ...calls('look', 'look'), finishReason: 'length' as const }
    const service = host({ model: model([cut]), tools: [tool('look', () => performed++)] })
    const result = await service.run('main', 'Go.')
    expect(result.status).toBe('max_tokens')
    expect(performed).toBe(0)
    const messages = await service.messages(result.id)
    expect(checkTranscript(messages)).toEqual([])
    expect(messages.at(-1)!.content).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }])
  })

  it('fail when the provider withholds the answer, and answer the calls it held', async () => {
    const service = host({
      model: model([{ ...calls('look'), finishReason: 'content-filter' }]),
      tools: [tool('look')],
    })
    const result = await service.run('main', 'Go.')
    expect(result).toMatchObject({ status: 'failed', error: { code: 'MODEL_FAILED' } })
    expect(checkTranscript(await service.messages(result.id))).toEqual([])
  })

  it('are limited by the steps of the budget, which says how to raise it', async () => {
    const service = host({
      model: model([calls('look'), calls('look'), 'Done.']),
      tools: [tool('look')],
      budget: { steps: 2 },
    })
    const result = await service.run('main', 'Go.')
    expect(result).toMatchObject({ status: 'failed', steps: 2, error: { code: 'LIMIT_EXCEEDED' } })
    expect(result.error!.message).toMatch(/steps.*2/)
  })

  it('send the system prompt first, then the conversation, and tools only where there are some', async () => {
    const mind = model([calls('look'), 'Done.'])
    await host({ model: mind, instructions: 'Be brief.', tools: [tool('look')], temperature: 0.3 }).run('main', 'Go.')
    expect(mind.requests[1]!.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
    expect(mind.requests[1]).toMatchObject({ temperature: 0.3, tools: [{ name: 'look' }] })
    const bare = model(['Done.'])
    await host({ model: bare }).run('main', 'Go.')
    expect(bare.requests[0]).not.toHaveProperty('tools')
    expect(bare.requests[0]!.messages.map(({ role }) => role)).toEqual(['user'])
  })

  it('send no tools to a model that has none', async () => {
    const mind = model(['Done.'], { capabilities: { tools: false } })
    await host({ model: mind, tools: [tool('look')] }).run('main', 'Go.')
    expect(mind.requests[0]).not.toHaveProperty('tools')
  })

  it('hear what a person says while the run is under way, at the next turn, once, and remember it when replayed', async () => {
    const mind = model([calls('look'), 'Done.'])
    const service = host({
      model: mind,
      tools: [tool('look', (_, { runId }) => service.steer(runId, 'Mind the gap.'))],
    })
    const result = await service.run('main', 'Go.')
    expect(result.status).toBe('completed')
    expect(mind.requests[1]!.messages.at(-1)).toMatchObject({ role: 'user', content: [{ text: 'Mind the gap.' }] })
    expect(result.messages.filter(({ role }) => role === 'user')).toHaveLength(1)
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it.each([
    [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }, 'Hi.'],
    [{ role: 'tool', content: [] }, '{"content":[],"role":"tool"}'],
    [{ role: 'user', content: [{ type: 'tool-result', toolCallId: 'x' }] }, expect.stringContaining('tool-result')],
    [{ reply: 'turn:1/model' }, '{"reply":"turn:1/model"}'],
    [[1, 2], '[1,2]'],
    [null, 'null'],
    [7, '7'],
  ])('hear %j as something a user says, whatever it is', async (said, text) => {
    const mind = model([calls('look'), 'Done.'])
    const service = host({ model: mind, tools: [tool('look', (_, { runId }) => service.steer(runId, said))] })
    const result = await service.run('main', 'Go.')
    expect(result.status).toBe('completed')
    expect(mind.requests[1]!.messages.at(-1)).toMatchObject({ role: 'user', content: [{ type: 'text', text }] })
    expect(await service.messages(result.id)).toHaveLength(5)
  })

  it('give every call exactly one result before the next request, in the order of the calls', async () => {
    const mind = model([calls('a', 'missing', { name: 'b', input: { n: 'x' } }, 'a'), 'Done.'])
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    const tools = [tool('a', () => 'A'), tool('b', () => 'B', { inputSchema: schema })]
    await host({ model: mind, tools }).run('main', 'Go.')
    expect(lastResults(mind.requests[1]!).map(({ status }) => status)).toEqual(['ok', 'denied', 'denied', 'ok'])
  })
})
