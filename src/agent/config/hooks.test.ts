import { describe, expect, it } from 'vitest'
import { toolRegistry } from '../../tool/index.ts'
import { textOf } from '../../model/index.ts'
import { calls, cutAfter, host, linesOf, model, reported, tool } from '../agent.fixture.ts'
import { appendSystemPrompt, composeHooks } from './hooks.ts'
import type { AgentRunContext } from './hooks.ts'

const promptOf = ({ requests }: ReturnType<typeof model>, index = 0) => textOf(requests[index]!.messages[0]!)

describe('hooks before a run', () => {
  it('run in order, before the first model call, and see what is about to happen', async () => {
    const seen: unknown[] = []
    const mind = model(() => (seen.push('model'), 'Done.'))
    const note = (name: string) => (run: AgentRunContext) =>
      void seen.push([name, run.userMessage, run.context, run.history.length])
    const hooks = [
      note('a'),
      async (run: AgentRunContext) => (await Promise.resolve(), note('b')(run)),
      composeHooks(note('c'), note('d')),
    ]
    await host({ model: mind, hooks }).run('main', 'Go.', { context: { user: 'ana' } })
    expect(seen).toEqual([...['a', 'b', 'c', 'd'].map((name) => [name, 'Go.', { user: 'ana' }, 0]), 'model'])
  })

  it('may add to the system prompt', async () => {
    const mind = model(['Done.'])
    await host({ model: mind, instructions: 'Be brief.', hooks: [appendSystemPrompt('Be kind.')] }).run('main', 'Go.')
    expect(promptOf(mind)).toBe('Be brief.\n\nBe kind.')
    const bare = model(['Done.'])
    await host({ model: bare, hooks: [appendSystemPrompt('Be kind.')] }).run('main', 'Go.')
    expect(promptOf(bare)).toBe('Be kind.')
  })

  it('may change the model and the tools', async () => {
    const other = model([calls('new'), 'From the other.'], { name: 'other' })
    const hook = (run: AgentRunContext) => {
      run.model = other
      run.tools = [...run.tools.filter(({ name }) => name !== 'old'), tool('new', () => 'made')]
    }
    const service = host({
      model: model(['never'], { name: 'own' }),
      tools: [tool('old'), tool('kept')],
      hooks: [hook],
    })
    const result = await service.run('main', 'Go.')
    expect(other.requests[0]!.tools!.map(({ name }) => name)).toEqual(['kept', 'new'])
    expect(reported(result)).toMatchObject({ status: 'completed', text: 'From the other.', toolsUsed: ['new'] })
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('may bring tools in any accepted shape, and take away what the model then cannot call', async () => {
    const mind = model([calls('late', 'gone'), 'Done.'])
    const hook = (run: AgentRunContext) =>
      void (run.tools = [{ name: 'late', inputSchema: { type: 'object' }, run: () => 'ok' } as never])
    const result = await host({ model: mind, tools: [tool('gone')], hooks: [hook] }).run('main', 'Go.')
    expect(result.actions.filter(({ performed }) => performed).map(({ toolId, ok }) => [toolId, ok])).toEqual([
      ['late', true],
    ])
    expect(result.report().diagnostics.warnings).toEqual([expect.stringContaining('There is no tool "gone"')])
  })

  it('may put another registry in place: the agent then has its packs from there', async () => {
    const [own, other] = [toolRegistry(), toolRegistry()]
    own.registerPack('files', [tool('read', () => 'own')])
    other.registerPack('files', [tool('read', () => 'other')])
    const mind = model([calls('read'), 'Done.'])
    const hook = (run: AgentRunContext) => void (run.toolRegistry = other)
    const result = await host({
      model: mind,
      toolRegistry: own,
      toolPacks: ['files'],
      tools: [tool('mine')],
      hooks: [hook],
    }).run('main', 'Go.')
    expect(result.actions).toMatchObject([{ toolId: 'read', output: 'other' }])
    expect(mind.requests[0]!.tools!.map(({ name }) => name)).toEqual(['mine', 'read'])
  })

  it('decide once: a resumed run keeps the recorded prompt, tools and model', async () => {
    const script = [calls('look'), 'Done.']
    let round = 0
    const config = (mind: ReturnType<typeof model>) => ({
      model: mind,
      tools: [tool('look', () => 'seen', { idempotent: true })],
      hooks: [(run: AgentRunContext) => void (run.systemPrompt = `Round ${++round}.`)],
    })
    const first = host(config(model(script)))
    const whole = await first.run('main', 'Go.')
    const half = (await linesOf(first.journal, whole.id)).indexOf('effect-start turn:2/model')
    const mind = model(script)
    const resumed = await host(config(mind), { journal: await cutAfter(first.journal, whole.id, half) }).resume(
      whole.id,
    )
    expect(resumed.status).toBe('completed')
    expect(promptOf(mind)).toBe('Round 1.')
    expect(round).toBe(2)
  })

  it('choose a model once: a resumed run keeps the one it had', async () => {
    const script = [calls('look'), 'Done.']
    let round = 0
    const config = () => ({
      model: model(script, { name: 'a' }),
      tools: [tool('look', () => 'seen', { idempotent: true })],
      hooks: [(run: AgentRunContext) => void (run.model = round++ === 0 ? run.model : model(script, { name: 'c' }))],
    })
    const first = host(config())
    const whole = await first.run('main', 'Go.')
    const half = (await linesOf(first.journal, whole.id)).indexOf('effect-start turn:2/model')
    const journal = await cutAfter(first.journal, whole.id, half)
    const resumed = await host(config(), { journal }).resume(whole.id)
    expect(resumed.report().modelCalls.map(({ model: name }) => name)).toEqual(['scripted/a', 'scripted/a'])
    expect(round).toBe(2)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no entry')
      },
      'MIND_FAILED',
      'no entry',
    ],
    ['rejects', () => Promise.reject(new Error('no entry')), 'MIND_FAILED', 'no entry'],
    [
      'takes the model away',
      (run: AgentRunContext) => void (run.model = undefined),
      'CONFIG_INVALID',
      'without a model',
    ],
    ['brings a tool that is none', (run: AgentRunContext) => void (run.tools = [7 as never]), 'CONFIG_INVALID', 'tool'],
    [
      'makes the prompt a number',
      (run: AgentRunContext) => void (run.systemPrompt = 7 as never),
      'CONFIG_INVALID',
      'text',
    ],
  ])('that %s fails the run before the model is asked', async (_name, hook, code, word) => {
    const mind = model(['Never.'])
    const service = host({ model: mind, hooks: [hook] })
    const result = await service.run('main', 'Go.')
    expect(result).toMatchObject({ status: 'failed', error: { code, message: expect.stringContaining(word) } })
    expect(mind.requests).toHaveLength(0)
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('that fail only when the run is resumed do not undo what they decided', async () => {
    const script = [calls('look'), 'Done.']
    let isDown = false
    const config = (mind: ReturnType<typeof model>) => ({
      model: mind,
      tools: [tool('look', () => 'seen', { idempotent: true })],
      hooks: [
        (run: AgentRunContext) => {
          if (isDown) throw new Error('the prompt server is down')
          run.systemPrompt = 'From the server.'
        },
      ],
    })
    const first = host(config(model(script)))
    const whole = await first.run('main', 'Go.')
    const half = (await linesOf(first.journal, whole.id)).indexOf('effect-start turn:2/model')
    isDown = true
    const mind = model(script)
    const resumed = await host(config(mind), { journal: await cutAfter(first.journal, whole.id, half) }).resume(
      whole.id,
    )
    expect(resumed.status).toBe('completed')
    expect(promptOf(mind)).toBe('From the server.')
  })
})
