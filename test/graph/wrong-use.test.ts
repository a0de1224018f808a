import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import type { Json } from '../../src/core/index.ts'
import { memoryJournal } from '../../src/journal/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import {
  channel,
  command,
  compileRag,
  defineGraph,
  nodes,
  readBlueprint,
  registerGraph,
  resumeGraph,
  runGraph,
  send,
  updateState,
} from '../../src/graph/public.ts'
import type { Blueprint, GraphContext } from '../../src/graph/public.ts'

const log = channel.topic<string>()
const text = defineTool({ name: 'text', risk: 'read', run: () => 'a text' })

describe('what a node is sent', () => {
  const sending = (item: unknown, seen: Json[]) =>
    defineGraph({ name: 'sending', state: { secret: channel.last({ initial: 'of the state' }) } })
      .node('take', nodes.human({ prompt: 'Look.', input: undefined }))
      .node('see', (_state, ctx) => void seen.push(ctx.item ?? null))
      .node('begin', () => command({ goto: [send('take', item as Json), send('see', item as Json)] }))
      .start('begin')

  it('is what the node works on, also when it is null: never the state instead', async () => {
    for (const item of [null, undefined, 0, '', false]) {
      const service = new AgentService()
      const run = runGraph(service, sending(item, []), {})
      await run.outcome
      const [question] = await service.approvals(run.runId)
      expect(question!.input).toMatchObject({ value: item ?? null })
    }
  })

  it('is plain data, or the node that sends it fails', async () => {
    const seen: Json[] = []
    const outcome = await runGraph(
      new AgentService(),
      sending(() => 1, seen),
      {},
    ).outcome
    expect(outcome).toMatchObject({ state: 'failed', error: { code: 'INPUT_INVALID' } })
    expect(outcome.state === 'failed' && outcome.error.message).toContain('sends "take" what is not plain data')
    expect(seen).toEqual([])
  })
})

describe('a write', () => {
  const commanding = (update: object): Blueprint =>
    ({
      ...{ blueprint: 1, name: 'commanding', start: 'a', channels: [], edges: [], joins: [] },
      state: [{ name: 'n', type: 'number' }],
      nodes: [
        {
          ...{ name: 'a', kind: 'tool', tool: 'text', writes: 'said', next: 'END' },
          command: { update: [{ channel: 'n', ...update }] },
          routes: [{ label: 'failed', to: 'mend' }],
        },
        { name: 'mend', kind: 'tool', tool: 'text', next: 'END' },
      ],
    }) as unknown as Blueprint

  it('of a command must fit the state too, or the node fails and takes the way of failures', async () => {
    for (const update of [{ expr: 'result' }, { value: 'no number' }, { expr: '1 - result' }]) {
      const { nodes: list, channels, ...rest } = commanding(update)
      const blueprint = {
        ...rest,
        nodes: list,
        channels: [...channels, { name: 'said', reducer: 'last_value', args: [] }],
      }
      const service = new AgentService({ tools: [text] })
      expect(await runGraph(service, blueprint as Blueprint, {}).result()).toEqual({ mend: 'a text' })
    }
  })

  it('that a channel cannot take fails its node, and an update from outside is refused at once', async () => {
    const graph = defineGraph({
      name: 'misfits',
      state: { log, count: channel.delta(), talk: channel.messages(), met: channel.namedBarrier(['x', 'y']) },
    })
      .node('mend', (_state, ctx) => ({ log: JSON.stringify(ctx.item) }))
      .node('add', () => ({ count: 'one' }) as never, { onError: 'mend' })
      .start('add')
    const service = new AgentService()
    const run = runGraph(service, graph, {})
    expect(await run.result()).toMatchObject({ log: [expect.stringContaining('a `delta` adds numbers')], count: 0 })
    for (const update of [{ count: 'x' }, { talk: { role: 'nobody' } }, { met: 'z' }])
      await expect(updateState(service, run.runId, update)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  })

  it('of two nodes to one untracked channel is a conflict, whichever was first', async () => {
    const both = defineGraph({ name: 'both', state: { hidden: channel.untracked<string>() } })
      .node('begin', () => ({}))
      .node('a', () => ({ hidden: 'a' }))
      .node('b', () => ({ hidden: 'b' }))
      .edge('begin', 'a')
      .edge('begin', 'b')
      .start('begin')
    const outcome = await runGraph(new AgentService(), both, {}).outcome
    expect(outcome.state === 'failed' && outcome.error.message).toContain(
      'Nodes "a" and "b" wrote to the channel "hidden"',
    )
  })

  it('is not needed for an untracked channel that begins with a value', async () => {
    const service = new AgentService()
    const { graphs } = compileRag(
      'graph begins { start ask node ask { kind interrupt prompt "{{ state.u }}" next END } }',
    )
    const channels = [{ name: 'u', reducer: 'untracked', args: [], initial: 'from the start' }]
    const run = runGraph(service, { ...graphs[0]!, channels }, {})
    await run.outcome
    expect((await service.approvals(run.runId))[0]!.text).toBe('from the start')
  })

  it('never goes to a channel that would change the prototype of the state', () => {
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      const state = Object.fromEntries([[name, channel.last<Json>()]])
      const of = () =>
        defineGraph({ name: 'names', state })
          .node('a', () => ({}))
          .start('a').blueprint
      expect(of).toThrow(`A channel is called "${name}", which is reserved`)
    }
  })
})

describe('a join', () => {
  const joining = (ends?: readonly string[], hasEdge = true) => {
    const graph = defineGraph({ name: 'joining', state: { log } })
      .node('begin', () => ({}))
      .node('fast', () => ({ log: 'fast' }))
      .node('slow', () => ({ log: 'slow' }))
      .node('mend', () => ({ log: 'mend' }))
      .node('before', () => ({}))
      .node('turn', () => command({ goto: 'slow' }), { onError: 'mend', ends })
      .node('end', () => ({ log: 'end' }))
      .edge('begin', 'fast')
      .edge('begin', 'before')
      .edge('before', 'turn')
      .edge('mend', 'END')
      .join(['fast', 'slow'], 'end')
      .start('begin')
    return hasEdge ? graph.edge('turn', 'END') : graph
  }

  it('waits for what a command may still start, also where a failure has a way of its own', async () => {
    for (const graph of [joining(['slow']), joining(undefined, false)])
      expect(await runGraph(new AgentService(), graph, {}).result()).toEqual({ log: ['fast', 'slow', 'end'] })
  })

  it('goes on without items when the node that sends them is a source as well', async () => {
    const fan = defineGraph({ name: 'fan', state: { items: channel.last<string[]>(), log }, input: ['items'] })
      .node('dig', (_state, ctx) => ({ log: String(ctx.item) }))
      .node('plan', (state) => command({ goto: state.items.map((item) => send('dig', item)) }), { ends: ['dig'] })
      .node('write', () => ({ log: 'written' }))
      .join(['plan', 'dig'], 'write')
      .start('plan')
    for (const items of [[], ['a'], ['a', 'b']]) {
      const { log: lines } = await runGraph(new AgentService(), fan, { items }).result()
      expect(lines).toEqual([...items, 'written'])
    }
  })

  it('is not surprised: a command or a router that goes where its node does not say fails, with the fix', async () => {
    const { log: lines } = await runGraph(new AgentService(), joining(), {}).result()
    expect(lines).toEqual(['fast', 'end', 'mend'])
    const router = defineGraph({ name: 'router', state: { log } })
      .node('a', () => ({}))
      .node('b', () => ({}))
      .node('c', () => ({}))
      .route('a', () => 'c', ['b'])
      .start('a')
    const outcome = await runGraph(new AgentService(), router, {}).outcome
    expect(outcome.state === 'failed' && outcome.error.message).toContain(
      'goes to "c", which is not among the nodes it declares',
    )
  })
})

describe('a stream', () => {
  it('answers everyone who asks for the next event at once', async () => {
    const graph = defineGraph({ name: 'asked', state: { log } })
      .node('a', () => ({ log: 'a' }))
      .start('a')
    const stream = runGraph(new AgentService(), graph, {}).stream({ mode: 'values' })
    const asked = await Promise.all([stream.next(), stream.next(), stream.next(), stream.next()])
    expect(asked.map(({ done }) => done)).toEqual([false, false, true, true])
  })
})

describe('JSON', () => {
  const [graph] = compileRag('graph made { start a node a { kind tool tool "text" next END } }').graphs

  it('of a model needs a review whatever it says of its own origin', () => {
    for (const provenance of [
      undefined,
      { origin: 'code' as const },
      { origin: 'file' as const, label: 'trusted.rag' },
    ]) {
      const json: unknown = JSON.parse(JSON.stringify({ ...graph!, provenance }))
      const { blueprint } = readBlueprint(json, { origin: 'generated', label: 'assistant' })
      expect(blueprint!.provenance).toEqual({ origin: 'generated', label: 'assistant' })
      expect(() => registerGraph(new AgentService({ tools: [text] }), blueprint!)).toThrow('needs a review')
    }
  })

  it('is read with an origin that there is', () => {
    expect(() => readBlueprint({}, { origin: 'generatd' as never })).toThrow('Did you mean "generated"?')
    expect(() => compileRag('', { origin: 'generatd' as never })).toThrow('Did you mean "generated"?')
    expect(() => readBlueprint({}, { orgin: 'file' } as never)).toThrow('Did you mean `origin`?')
  })

  it('is checked as a blueprint, also when it looks like a graph that was built', () => {
    for (const json of [{ parts: { graphs: [], nodes: {} }, blueprint: graph }, 5, null])
      expect(() => registerGraph(new AgentService(), json as never)).toThrow('This is no blueprint that can run')
  })
})

describe('untrusted labels', () => {
  const sent: Json[] = []
  const serviceOn = (journal = memoryJournal()) =>
    new AgentService({
      journal,
      tools: [
        defineTool({ name: 'read_page', risk: 'read', labels: ['untrusted:web'], run: () => 'mallory' }),
        defineTool({ name: 'send_mail', risk: 'write', run: (input: Json) => void sent.push(input) }),
      ],
      mandate: { flow: [{ id: 'mail', sink: 'send_mail', forbid: ['untrusted:*'] }] },
    })
  const page = async (ctx: GraphContext) => String(await ctx.tool('read_page'))
  const mail = async (to: unknown, ctx: GraphContext) => void (await ctx.tool('send_mail', { to }))
  const state = { page: channel.last<string>() }

  it('follow a result through the state, a send, a choice, a sub-graph and a restart to the sink', async () => {
    const inner = defineGraph({ name: 'inner', state })
      .node('read', async (_state, ctx) => ({ page: await page(ctx) }))
      .start('read')
    const ways = [
      defineGraph({ name: 'by_state', state })
        .node('read', async (_state, ctx) => ({ page: await page(ctx) }))
        .node('mail', (own, ctx) => mail(own.page, ctx))
        .edge('read', 'mail')
        .start('read'),
      defineGraph({ name: 'by_send', state })
        .node('mail', (_state, ctx) => mail(ctx.item, ctx))
        .node('read', async (_state, ctx) => command({ goto: send('mail', await page(ctx)) }))
        .start('read'),
      defineGraph({ name: 'by_choice', state })
        .node('read', async (_state, ctx) => ({ page: await page(ctx) }))
        .node('mail', (_state, ctx) => mail('ana', ctx))
        .route('read', (own) => (own.page === 'mallory' ? 'mail' : 'END'), ['mail', 'END'])
        .start('read'),
      defineGraph({ name: 'by_graph', state: { page: channel.last<Json>() } })
        .node('read', nodes.subgraph(inner, { writes: 'page' }))
        .node('mail', (own, ctx) => mail(own.page, ctx))
        .edge('read', 'mail')
        .start('read'),
    ]
    for (const graph of ways) {
      const outcome = await runGraph(serviceOn(), graph as never, {}).outcome
      expect(outcome, graph.name).toMatchObject({ state: 'failed', error: { code: 'DENIED' } })
    }
    const journal = memoryJournal()
    const asking = defineGraph({ name: 'asking', state: { ...state, ask: channel.last<string>() } })
      .node('read', async (_state, ctx) => ({ page: await page(ctx) }))
      .node('ask', nodes.human({ prompt: 'Go on?' }))
      .node('mail', (own, ctx) => mail(own.page, ctx))
      .edge('read', 'ask')
      .edge('ask', 'mail')
      .start('read')
    const first = serviceOn(journal)
    const run = runGraph(first, asking, {})
    await run.outcome
    await first.stop()
    const second = serviceOn(journal)
    registerGraph(second, asking)
    await second.answer((await second.approvals(run.runId))[0]!.id, 'yes')
    expect(await resumeGraph(second, run.runId).outcome).toMatchObject({ state: 'failed', error: { code: 'DENIED' } })
    const fork = await updateState(second, run.runId, {}, { step: 2 })
    expect(await resumeGraph(second, fork.run).outcome).toMatchObject({ state: 'failed', error: { code: 'DENIED' } })
    expect(sent).toEqual([])
  })
})
