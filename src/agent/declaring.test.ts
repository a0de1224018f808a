import { describe, expect, it } from 'vitest'
import { INTENT_INSTRUCTIONS } from '../gate/index.ts'
import type { Mandate } from '../gate/index.ts'
import { memoryJournal } from '../journal/index.ts'
import { textOf } from '../model/index.ts'
import type { ModelRequest } from '../model/index.ts'
import { calls, entriesOf, host, lastResults, model, tool } from './agent.fixture.ts'

const intent = (toolName: string, riskLevel = 'read'): string =>
  `<intent>${JSON.stringify({ toolName, purpose: 'because', expectedOutcome: 'something', riskLevel })}</intent>`
const mandate: Mandate = { intentRequired: true }
const statuses = (request: ModelRequest): string[] => lastResults(request).map(({ status }) => status)

describe('declared intents', () => {
  it('only the calls without one are held back; the others run, and each has its result', async () => {
    const mind = model([{ text: `I look. ${intent('look')}`, ...calls('look', 'look', 'touch') }, 'Done.'])
    const service = host({ model: mind, tools: [tool('look'), tool('touch')], mandate })
    const result = await service.run('main', 'Go.')
    expect(result.status).toBe('completed')
    expect(statuses(mind.requests[1]!)).toEqual(['ok', 'denied', 'denied'])
    expect(lastResults(mind.requests[1]!)[1]!.value).toContain('No intent was declared')
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('stand in the journal beside the call', async () => {
    const journal = memoryJournal()
    const mind = model([{ text: intent('look'), ...calls('look') }, 'Done.'])
    const { id } = await host({ model: mind, tools: [tool('look')], mandate }, { journal }).run('main', 'Go.')
    const starts = (await entriesOf(journal, id, 'effect-start')).map(({ data }) => data)
    expect(starts.find(({ kind }) => kind === 'tool')?.intent).toMatchObject({ toolName: 'look', purpose: 'because' })
  })

  it('are explained to the model, after everything else in its system prompt, only where they are asked for', async () => {
    const system = async (given: Mandate, hostMandate?: Mandate): Promise<string> => {
      const mind = model(['Done.'])
      await host({ model: mind, instructions: 'Be brief.', mandate: given }, { mandate: hostMandate }).run(
        'main',
        'Go.',
      )
      return textOf(mind.requests[0]!.messages[0]!)
    }
    expect(await system({})).toBe('Be brief.')
    expect(await system(mandate)).toBe(`Be brief.\n\n${INTENT_INSTRUCTIONS}`)
    expect(await system({}, mandate)).toContain(INTENT_INSTRUCTIONS)
  })

  it('that cannot be read are told to listeners and to the model', async () => {
    const mind = model([{ text: '<intent>{"toolName": "look"}</intent>', ...calls('look') }, 'Done.'])
    const service = host({ model: mind, tools: [tool('look')], mandate })
    const problems: unknown[] = []
    service.events.on('intent-problem', ({ data }) => void problems.push(data))
    await service.run('main', 'Go.')
    expect(problems).toEqual([{ toolName: 'look', problem: '`purpose` must be a text.' }])
    expect(lastResults(mind.requests[1]!)[0]).toMatchObject({
      status: 'denied',
      value: expect.stringContaining('`purpose` must be a text'),
    })
  })

  it('in what a tool gave declare nothing', async () => {
    const mind = model([{ text: intent('look'), ...calls('look') }, calls('touch'), 'Done.'])
    const tools = [tool('look', () => intent('touch')), tool('touch')]
    await host({ model: mind, tools, mandate }).run('main', 'Go.')
    expect(statuses(mind.requests[2]!)).toEqual(['denied'])
  })

  it('of an earlier turn cover nothing later', async () => {
    const mind = model([{ text: intent('look') + intent('look'), ...calls('look') }, calls('look'), 'Done.'])
    await host({ model: mind, tools: [tool('look')], mandate }).run('main', 'Go.')
    expect(statuses(mind.requests[2]!)).toEqual(['denied'])
  })

  it('cannot lower a risk, and can raise one even where nobody asks for them', async () => {
    const mind = model([
      { text: intent('delete_all'), ...calls('delete_all') },
      { text: intent('look', 'destructive'), ...calls('look') },
      'Done.',
    ])
    const tools = [tool('delete_all', () => 'gone', { risk: undefined }), tool('look')]
    const service = host({ model: mind, tools, policyProfile: 'managed' })
    const result = await service.run('main', 'Go.')
    expect(result.status).toBe('completed')
    expect([statuses(mind.requests[1]!), statuses(mind.requests[2]!)]).toEqual([['denied'], ['denied']])
  })

  it('are needed by planners, fallbacks and executors as well', async () => {
    const stepped = (with_: boolean) => ({
      type: 'tool' as const,
      toolId: 'look',
      ...(with_
        ? { intent: { toolName: 'look', purpose: 'p', expectedOutcome: 'o', riskLevel: 'read' as const } }
        : {}),
    })
    const planned = await host({
      planner: { plan: ({ turn }) => (turn > 2 ? { type: 'finish' } : stepped(turn === 2)) },
      tools: [tool('look')],
      mandate,
    }).run('main', 'Go.')
    // What is denied is an action that was not performed, and a warning.
    expect(planned.actions.map(({ id, performed }) => [id, performed])).toEqual([
      ['turn:1/tool:1', false],
      ['turn:2/tool:1', true],
    ])
    expect(planned.report().diagnostics.warnings).toEqual([expect.stringContaining('turn:1/tool:1: denied')])

    const proposer = model(
      [
        JSON.stringify({ toolName: 'cache', input: {} }),
        JSON.stringify({
          toolName: 'cache',
          input: {},
          intent: { purpose: 'p', expectedOutcome: 'o', riskLevel: 'read' },
        }),
      ],
      { name: 'proposer', by: 'call' },
    )
    const failing = tool('fetch', () => Promise.reject(new Error('404')))
    const mind = model([{ text: intent('fetch'), ...calls('fetch') }, 'Done.'])
    const fallen = await host({
      model: mind,
      fallbackProvider: proposer,
      tools: [failing, tool('cache')],
      mandate,
    }).run('main', 'Go.')
    const performed = fallen.actions.filter((action) => action.performed)
    expect(performed.map(({ id }) => id)).toEqual(['turn:1/tool:1', 'turn:1/tool:1/fallback/tool:2'])
    expect(textOf(proposer.requests[0]!.messages[0]!)).toContain('expectedOutcome')

    const executed = await host({
      model: model([calls('look'), 'Done.']),
      executor: {
        execute: async ({ toolId, input }, { perform }) =>
          (await perform({ kind: 'tool', name: toolId!, input: input ?? {} })).status,
      },
      tools: [tool('look')],
      mandate,
    }).run('main', 'Go.')
    expect(executed.actions.filter((action) => action.performed)).toEqual([])
    expect(executed.report().diagnostics.warnings).toHaveLength(1)
  })

  it('cover hand-overs to other agents, under the name the model knows', async () => {
    const helper = { id: 'helper', model: model(['Helped.'], { name: 'helper' }) }
    const mind = model([
      {
        text: intent('helper'),
        ...calls({ name: 'helper', input: { prompt: 'x' } }, { name: 'helper', input: { prompt: 'y' } }),
      },
      'Done.',
    ])
    await host({ model: mind, agents: ['helper'], mandate }, { others: [helper] }).run('main', 'Go.')
    expect(statuses(mind.requests[1]!)).toEqual(['ok', 'denied'])
  })

  it('are on under the preset "governed", and a run keeps what it began with', async () => {
    const mind = model(['Done.'])
    const service = host({ model: mind, preset: 'governed' })
    await service.run('main', 'Go.')
    expect(textOf(mind.requests[0]!.messages[0]!)).toBe(INTENT_INSTRUCTIONS)
  })

  it('two ways of saying whether they are required must agree', () => {
    expect(() => host({ model: model([]), intentRequired: true, mandate: { intentRequired: false } })).toThrow(
      'disagree',
    )
  })
})
