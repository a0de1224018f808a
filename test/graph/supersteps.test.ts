import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { END } from '../../src/graph/index.ts'
import { channel, command, defineGraph, resumeGraph, runGraph, send } from '../../src/graph/public.ts'

describe('a graph', () => {
  it('branches by what a node gave, and folds what parallel branches wrote', async () => {
    const graph = defineGraph({
      name: 'branches',
      state: { text: channel.last<string>(), notes: channel.topic<string>(), total: channel.delta() },
      input: ['text'],
      output: ['notes', 'total'],
    })
      .node('begin', () => ({ total: 1 }))
      .node('left', (state) => ({ notes: `left ${state.text}`, total: 10 }))
      .node('right', (state) => ({ notes: [`right ${state.text}`], total: 100 }))
      .node('end', (state) => ({ notes: `sum ${state.total}` }))
      .edge('begin', 'left')
      .edge('begin', 'right')
      .join(['left', 'right'], 'end')
      .start('begin')
    const result = await runGraph(new AgentService(), graph, { text: 'x' }).result()
    expect(result).toEqual({ notes: ['left x', 'right x', 'sum 111'], total: 111 })
  })

  it('loops until a condition holds, and stops at its limit with the fix', async () => {
    const loop = (limit: number) =>
      defineGraph({ name: 'loop', state: { n: channel.last({ initial: 0 }) }, maxSteps: limit })
        .node('up', (state) => ({ n: state.n + 1 }))
        .route('up', [{ when: 'state.n < 5', to: 'up' }, { to: END }])
        .start('up')
    expect(await runGraph(new AgentService(), loop(5), {}).result()).toEqual({ n: 5 })
    const outcome = await runGraph(new AgentService(), loop(4), {}).outcome
    expect(outcome).toMatchObject({ state: 'failed', error: { code: 'STEPS_EXHAUSTED' }, output: { n: 4 } })
    expect(outcome.state === 'failed' && outcome.error.message).toContain('Raise `maxSteps`')
  })

  it('fans out by sends, and keeps the order of the items', async () => {
    const graph = defineGraph({
      name: 'fan',
      state: { words: channel.last<string[]>(), sizes: channel.topic<number>() },
      input: ['words'],
    })
      .node('count', async (_state, ctx) => ({ sizes: String(ctx.item).length }))
      .node('split', (state) => command({ goto: state.words.map((word) => send('count', word)) }))
      .start('split')
    const { sizes } = await runGraph(new AgentService(), graph, { words: ['a', 'bbb', 'cc'] }).result()
    expect(sizes).toEqual([1, 3, 2])
  })

  it('knows its nodes and its state by type, and refuses the rest when it is built', () => {
    const graph = defineGraph({ name: 'typed', state: { n: channel.last<number>() }, input: ['n'] }).node(
      'a',
      (state) => ({
        n: state.n + 1,
      }),
    )
    // @ts-expect-error -- there is no such node
    expect(() => graph.edge('a', 'b').start('a').blueprint).toThrow('names "b", which is no node of it')
    // @ts-expect-error -- `n` is a number
    graph.node('c', () => ({ n: 'x' }))
    // @ts-expect-error -- there is no such channel
    graph.node('d', (state) => ({ n: state.m }))
    expect(() => graph.blueprint).toThrow('has no start')
    expect(() => graph.node('a', () => ({}))).toThrow('two nodes "a"')
    expect(() => defineGraph({ name: 'x', state: {}, maxStep: 3 } as never)).toThrow('Did you mean `maxSteps`?')
  })

  it('waits between attempts durably', async () => {
    let tries = 0
    const service = new AgentService()
    const graph = defineGraph({ name: 'patient', state: { messages: channel.messages() } })
      .node(
        'try',
        () => {
          if (++tries === 1) throw new Error('not yet')
          return {}
        },
        { retry: { attempts: 2, delayMs: 3_600_000 } },
      )
      .node('end', () => ({}))
      .edge('try', 'end')
      .start('try')
    const run = runGraph(service, graph, {})
    expect(await run.outcome).toMatchObject({ state: 'suspended', reason: 'timer' })
    expect(await resumeGraph(service, run.runId).outcome).toMatchObject({ state: 'suspended', reason: 'timer' })
    expect(tries).toBe(1)
    await service.stop()
  })
})
