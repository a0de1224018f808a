import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AgentService } from '../../src/agent/index.ts'
import type { Json } from '../../src/core/index.ts'
import { entriesOfType, memoryJournal, readAll } from '../../src/journal/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { DEFAULT_PRICES, scripted, withPrices } from '../../src/model/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import {
  channel,
  command,
  compileRag,
  defineGraph,
  getState,
  graphRegistry,
  nodes,
  registerGraph,
  resumeGraph,
  runGraph,
  send,
} from '../../src/graph/public.ts'

const add = defineTool({
  name: 'add',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  risk: 'read',
  run: ({ a, b }: { a: number; b: number }) => a + b,
})

/** Registers every graph of a text. */
function register(service: AgentService, source: string): void {
  const { graphs, diagnostics } = compileRag(source)
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  for (const graph of graphs) registerGraph(service, graph)
}

async function toolEntries(journal: Journal, run: string): Promise<readonly Json[]> {
  const entries = await readAll(journal, run)
  const starts = entriesOfType(entries, 'effect-start').filter(({ data }) => data.kind === 'tool')
  const keys = new Set(starts.map(({ key }) => key))
  return entries.flatMap(({ type, key, data }) => {
    if (!keys.has(key)) return []
    const { durationMs: _, ...rest } = data as { durationMs?: number }
    return [{ type, ...rest }]
  })
}

describe('a tool call', () => {
  const calling = () => scripted([{ toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'It is 3.'])

  it('of a graph leaves the same entries as one of an agent', async () => {
    const journal = memoryJournal()
    const service = new AgentService({
      journal,
      tools: [add],
      agents: [{ id: 'clerk', model: calling(), tools: [add] }],
    })
    await service.run('clerk', 'What is 1 + 2?', { runId: 'agent' })
    const graph = defineGraph({ name: 'react', state: { messages: channel.messages() } })
      .node('ask', nodes.agent({ model: calling(), tools: [add] }))
      .node('act', nodes.tools([add]))
      .route('ask', [{ label: 'tool_call', to: 'act' }, { to: 'END' }])
      .edge('act', 'ask')
      .start('ask')
    await runGraph(service, graph, { messages: 'What is 1 + 2?' }, { runId: 'graph' }).result()
    const byAgent = await toolEntries(journal, 'agent')
    expect(byAgent.length).toBeGreaterThan(0)
    expect(await toolEntries(journal, 'graph')).toEqual(byAgent)
  })

  it('that no node of the graph offers is not made', async () => {
    const wipe = defineTool({ name: 'wipe', risk: 'read', run: () => 'gone' })
    const service = new AgentService({ tools: [add, wipe] })
    const model = scripted([{ toolCalls: [{ name: 'wipe', input: {} }] }, 'Done.'])
    const graph = defineGraph({ name: 'sly', state: { messages: channel.messages() } })
      .node('ask', nodes.agent({ model, tools: ['add'] }))
      .node('act', nodes.tools())
      .route('ask', [{ label: 'tool_call', to: 'act' }, { to: 'END' }])
      .edge('act', 'ask')
      .start('ask')
    const { messages } = await runGraph(service, graph, { messages: 'hi' }).result()
    expect(JSON.stringify(messages)).toContain('calls no tool')
    expect(JSON.stringify(messages)).not.toContain('gone')
  })
})

describe('the agent of a node', () => {
  it('is told what its service knows: its prices, and that it is deterministic', async () => {
    const prices = withPrices(DEFAULT_PRICES, '2026-11-15', {
      'scripted/model': { inputPerMillion: 1, outputPerMillion: 1, contextTokens: 12_345 },
    })
    const service = new AgentService({ deterministic: { seed: 1 }, prices })
    const graph = defineGraph({ name: 'told', state: { said: channel.last() } })
      .node('ask', nodes.agent({ model: scripted(['Hello.']), prompt: () => 'Say hello.' }))
      .start('ask')
    await runGraph(service, graph, {}, { runId: 'told' }).result()
    const runs = await service.runs({ name: 'told.ask' })
    const [start] = entriesOfType(await readAll(service.journal, runs[0]!.run), 'run-start')
    expect(start!.data.pins).toMatchObject({ mind: { deterministic: true, contextTokens: 12_345 } })
  })
})

describe('a graph as text', () => {
  it('loops a model and its tools, and keeps the conversation', async () => {
    const service = new AgentService({ tools: [add] })
    graphRegistry(service).registerModel(
      'default',
      scripted([{ toolCalls: [{ name: 'add', input: { a: 2, b: 2 } }] }, '4']),
    )
    register(
      service,
      `graph helpdesk { start ask
        channel messages messages
        node ask { kind agent model "default" system "Answer briefly." tools ["add"] routes { tool_call -> act final -> END } }
        node act { kind tool_executor tools ["add"] next ask } }`,
    )
    expect(await runGraph(service, 'helpdesk', { messages: '2 + 2?' }).result()).toMatchObject({ ask: '4' })
  })

  it('fans out over a list, joins, folds and routes by conditions and registered routers', async () => {
    const service = new AgentService()
    const names = graphRegistry(service)
    let asked = 0
    names.registerModel('small', scripted(['known']))
    names.registerRouter('pick', () => (++asked > 0 ? 'good' : 'bad'))
    names.registerReducer('longest', (current, update) =>
      String(current ?? '').length < String(update).length ? update : current!,
    )
    register(
      service,
      `graph fan { start split
        input { words list }
        channel best longest
        channel notes topic
        node split { kind router sends [send dig each "state.words"] }
        node dig { model "small" prompt "About {{ item }}" writes notes command { update { best expr "result" } } }
        join [dig] -> judge
        node judge { kind router router "pick" routes { good -> END bad -> split } } }`,
    )
    const run = runGraph(service, 'fan', { words: ['a', 'b', 'c'] })
    expect(await run.result()).toMatchObject({ best: 'known', notes: ['known', 'known', 'known'] })
    expect(await service.replay(run.runId)).toMatchObject({ identical: true })
    expect(asked).toBe(1)
  })
})

describe('input and updates', () => {
  const graph = defineGraph({
    name: 'checked',
    state: { age: z.number().int(), tags: channel.topic({ schema: z.string() }) },
    input: ['age'],
  })
    .node('bad', (state) => ({ tags: ['ok', state.age as never] }))
    .start('bad')

  it('that are wrong are refused before the run begins, with the path and the fix', async () => {
    const service = new AgentService()
    expect(() => runGraph(service, graph, { age: 'x' as never })).toThrow(/at \/age/u)
    expect(() => runGraph(service, graph, { aeg: 1 } as never)).toThrow('Did you mean "age"?')
    expect(() => runGraph(service, graph, {} as never)).toThrow('lacks "age"')
    expect(await service.runs()).toEqual([])
  })

  it('that do not fit the state fail the node', async () => {
    const outcome = await runGraph(new AgentService(), graph, { age: 3 }).outcome
    expect(outcome).toMatchObject({
      state: 'failed',
      error: {
        code: 'SCHEMA_INVALID',
        message: expect.stringContaining('Node "bad" wrote a value that does not fit the state, at /tags/1'),
      },
    })
  })

  it('to places that there are not fail the node', async () => {
    const lost = defineGraph({ name: 'lost', state: { x: channel.last<number>() } })
      .node('go', () => command({ goto: 'gone' }))
      .node('write', () => ({ y: 1 }) as never)
      .start('go')
    expect(await runGraph(new AgentService(), lost, {}).outcome).toMatchObject({
      error: { message: expect.stringContaining('goes to "gone"') },
    })
    expect(await runGraph(new AgentService(), lost.start('write'), {}).outcome).toMatchObject({
      error: { message: expect.stringContaining('wrote to "y", which is no channel') },
    })
  })

  it('of a graph as JSON are checked like its text', () => {
    const { graphs } = compileRag('graph g { start a node a { kind interrupt next END } }')
    const broken = { ...graphs[0]!, start: 'b' }
    expect(() => registerGraph(new AgentService(), broken)).toThrow('This is no blueprint that can run')
  })
})

describe('a run that goes on', () => {
  const asking = (steps: readonly string[]) =>
    steps
      .reduce(
        (graph, name) =>
          graph
            .node(name, (_state, ctx) => ctx.interrupt(name).then((said) => ({ log: `${name} ${String(said)}` })))
            .edge('ask', name as never),
        defineGraph({ name: 'steps', state: { log: channel.topic<string>() } }).node('ask', async (_state, ctx) => ({
          log: String(await ctx.interrupt('?')),
        })),
      )
      .start('ask')

  it('refuses another structure of a graph with functions, and loses nothing', async () => {
    const journal = memoryJournal()
    const first = new AgentService({ journal })
    const run = runGraph(first, asking(['one']), {}, { runId: 'r' })
    await run.outcome
    await first.stop()
    const changed = new AgentService({ journal })
    registerGraph(changed, asking(['two']))
    await expect(resumeGraph(changed, 'r').outcome).rejects.toThrow('another structure of the graph "steps"')
    await changed.stop()
    const again = new AgentService({ journal })
    registerGraph(again, asking(['one']))
    expect(await getState(again, 'r')).toMatchObject({ state: 'suspended', next: ['ask'] })
    const [open] = await again.approvals('r')
    await again.answer(open!.id, 'hi')
    expect(await resumeGraph(again, 'r').outcome).toMatchObject({ state: 'suspended' })
  })

  it('keeps the blueprint it began with', async () => {
    const journal = memoryJournal()
    const text = (word: string): string =>
      `graph g { start ask node ask { kind interrupt next tell } node tell { kind interrupt prompt "${word}" next END } }`
    const first = new AgentService({ journal })
    register(first, text('old'))
    await runGraph(first, 'g', {}, { runId: 'r' }).outcome
    await first.stop()
    const second = new AgentService({ journal })
    register(second, text('new'))
    const [open] = await second.approvals('r')
    await second.answer(open!.id, 'go')
    await resumeGraph(second, 'r').outcome
    expect((await second.approvals('r')).map((request) => request.text)).toEqual(['old'])
  })

  it('asks no router again', async () => {
    let asked = 0
    const service = new AgentService()
    const graph = defineGraph({ name: 'router', state: { log: channel.topic<string>() } })
      .node('a', () => ({ log: 'a' }))
      .node('b', async (_state, ctx) => ({ log: String(await ctx.interrupt('?')) }))
      .node('c', () => ({ log: 'c' }))
      .route('a', async () => (++asked === 1 ? 'b' : 'c'), ['b', 'c'])
      .start('a')
    const run = runGraph(service, graph, {})
    await run.outcome
    const [open] = await service.approvals(run.runId)
    await service.answer(open!.id, 'b')
    expect(await resumeGraph(service, run.runId).outcome).toMatchObject({ output: { log: ['a', 'b'] } })
    expect(asked).toBe(1)
  })
})

describe('limits', () => {
  it('of a budget are shared with what nodes start', async () => {
    const model = scripted(['a', 'b', 'c', 'd'])
    const service = new AgentService({ agents: [{ id: 'poet', model }] })
    const graph = defineGraph({ name: 'poets', state: { poems: channel.topic<string>() } })
      .node('split', () => command({ goto: [1, 2, 3, 4].map((n) => send('poem', n)) }))
      .node('poem', async (_state, ctx) => ({ poems: String(await ctx.agent('poet', `poem ${String(ctx.item)}`)) }))
      .start('split')
    const outcome = await runGraph(service, graph, {}, { budget: { modelCalls: 2 } }).outcome
    expect(outcome).toMatchObject({ state: 'failed', error: { code: 'LIMIT_EXCEEDED' } })
    expect(model.requests.length).toBe(2)
    const steps = await runGraph(new AgentService(), loop(100), {}, { budget: { steps: 3 } }).outcome
    expect(steps).toMatchObject({ state: 'failed', error: { code: 'LIMIT_EXCEEDED' }, output: { n: 3 } })
  })

  it('of visits name the node', async () => {
    const graph = defineGraph({ name: 'visits', state: {}, maxVisits: 2 })
      .node('a', () => ({}))
      .edge('a', 'a')
      .start('a')
    expect(await runGraph(new AgentService(), graph, {}).outcome).toMatchObject({
      error: { message: expect.stringContaining('Node "a" of the graph "visits" was to run more than 2 times') },
    })
  })

  it('of nodes at once hold, and questions take up no room', async () => {
    let now = 0
    let most = 0
    const service = new AgentService()
    const graph = defineGraph({ name: 'lanes', state: {}, maxConcurrency: 2 })
      .node('split', () => command({ goto: [1, 2, 3, 4, 5].map((n) => send('work', n)) }))
      .node('work', async (_state, ctx) => {
        most = Math.max(most, ++now)
        await new Promise((resolve) => setTimeout(resolve, 5))
        now -= 1
        await ctx.interrupt(`go on with ${String(ctx.item)}?`)
      })
      .start('split')
    const run = runGraph(service, graph, {})
    await run.outcome
    expect(most).toBe(2)
    expect(await service.approvals(run.runId)).toHaveLength(5)
  })
})

function loop(steps: number) {
  return defineGraph({ name: 'loop', state: { n: channel.last<number>({ initial: 0 }) }, maxSteps: steps + 1 })
    .node('up', (state) => ({ n: state.n + 1 }))
    .route('up', [{ when: `state.n < ${steps}`, to: 'up' }, { to: 'END' }])
    .start('up')
}

describe('what is stored', () => {
  it('is the same for every step, however long the run', async () => {
    const journal = memoryJournal()
    const service = new AgentService({ journal })
    await runGraph(service, loop(1_000), {}, { runId: 'r' }).result()
    const notes = (await readAll(journal, 'r')).filter(({ type }) => type === 'note')
    const bytes = (at: number): number => JSON.stringify(notes[at]).length
    expect(notes).toHaveLength(1_000)
    expect(bytes(999) - bytes(9)).toBeLessThan(20)
  })

  it('has nothing of untracked channels, and ephemeral ones last one step', async () => {
    const journal = memoryJournal()
    const service = new AgentService({ journal })
    const graph = defineGraph({
      name: 'kinds',
      state: { hidden: channel.untracked<string>(), flash: channel.ephemeral<string>(), log: channel.topic<string>() },
    })
      .node('a', () => ({ hidden: 'do-not-store', flash: 'now' }))
      .node('b', (state) => ({ log: [`b ${String(state.hidden?.length)} ${String(state.flash)}`] }))
      .node('c', (state) => ({ log: [`c ${String(state.hidden?.length)} ${String(state.flash)}`] }))
      .edge('a', 'b')
      .edge('b', 'c')
      .start('a')
    expect(await runGraph(service, graph, {}, { runId: 'r' }).result()).toEqual({ log: ['b 12 now', 'c 12 undefined'] })
    expect(JSON.stringify(await readAll(journal, 'r'))).not.toContain('do-not-store')
  })
})
