import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { scripted } from '../../src/model/index.ts'
import {
  channel,
  command,
  defineGraph,
  getState,
  getStateHistory,
  mapReduce,
  nodes,
  resumeGraph,
  runGraph,
  send,
  updateState,
} from '../../src/graph/public.ts'
import type { GraphEvent } from '../../src/graph/public.ts'

async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const event of events) list.push(event)
  return list
}

/** Answers the one open question of a run. */
async function answerOne(service: AgentService, run: string, value: unknown): Promise<void> {
  const [open] = await service.approvals(run)
  await service.answer(open!.id, value as never)
}

describe('map-reduce', () => {
  it('sends one task for each item, and joins them once', async () => {
    const graph = defineGraph({
      name: 'jokes',
      state: { topics: channel.last<string[]>(), jokes: channel.topic<string>(), best: channel.last<string>() },
      input: ['topics'],
      output: ['best'],
    })
      .node('split', (state) => command({ goto: state.topics.map((topic) => send('joke', topic)) }), { ends: ['joke'] })
      .node('joke', (_state, ctx) => ({ jokes: `joke about ${String(ctx.item)}` }))
      .node('choose', (state) => ({ best: state.jokes.toSorted().at(-1) }))
      .join(['joke'], 'choose')
      .start('split')
    const run = runGraph(new AgentService(), graph, { topics: ['cats', 'dogs', 'ants'] })
    expect(await run.result()).toEqual({ best: 'joke about dogs' })
  })

  it('has four policies for items that fail', async () => {
    const attempt = (policy: 'fail_fast' | 'collect_all' | 'best_effort' | { quorum: number }) => {
      const graph = defineGraph({ name: 'map', state: { out: channel.last<unknown>() } })
        .node('map', async (_state, ctx) => {
          const { results, values } = await mapReduce(ctx, [1, 2, 3, 4], { policy, concurrency: 2 }, (n) => {
            if (n % 2 === 0) throw new Error(`no ${n}`)
            return n * 10
          })
          return { out: { values, ok: results.map(({ ok }) => ok) } }
        })
        .start('map')
      return runGraph(new AgentService(), graph, {}).outcome
    }
    expect(await attempt('collect_all')).toMatchObject({
      output: { out: { values: [10, 30], ok: [true, false, true, false] } },
    })
    expect(await attempt('best_effort')).toMatchObject({ output: { out: { values: [10, 30] } } })
    expect(await attempt({ quorum: 1 })).toMatchObject({ output: { out: { values: [10] } } })
    expect(await attempt({ quorum: 3 })).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('Fewer than 3') },
    })
    expect(await attempt('fail_fast')).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('Item 2 failed: no 2') },
    })
  })
})

describe('a person in a graph', () => {
  const letters = (sent: string[]) => {
    const mail = defineTool({
      name: 'mail',
      risk: 'write',
      run: (input) => void sent.push((input as { text: string }).text),
    })
    return defineGraph({ name: 'letters', state: { draft: channel.last<string>(), review: channel.last<unknown>() } })
      .node('write', () => ({ draft: 'Dear all' }))
      .node('review', nodes.human({ prompt: 'Send this? {{ state.draft }}' }))
      .node('edit', (state) => ({ draft: (state.review as { text: string }).text }))
      .node('send', nodes.tool(mail, { input: (state: { draft: string }) => ({ text: state.draft }) }))
      .edge('write', 'review')
      .edge('edit', 'review')
      .route('review', [{ label: 'edit', to: 'edit' }, { label: 'yes', to: 'send' }, { to: 'END' }])
      .start('write')
  }

  it('reviews and edits before anything is sent', async () => {
    const sent: string[] = []
    const service = new AgentService()
    const run = runGraph(service, letters(sent), {})
    expect(await run.outcome).toMatchObject({ state: 'suspended', reason: 'question' })
    const waiting = await getState(service, run.runId)
    expect(waiting).toMatchObject({
      step: 1,
      next: ['review'],
      tasks: [{ node: 'review', status: 'waiting', interrupts: [{ text: 'Send this? Dear all' }] }],
    })
    await answerOne(service, run.runId, { choice: 'edit', text: 'Dear Ana' })
    expect(await resumeGraph(service, run.runId).outcome).toMatchObject({ state: 'suspended' })
    await answerOne(service, run.runId, 'yes')
    expect(await resumeGraph(service, run.runId).outcome).toMatchObject({ state: 'completed' })
    expect(sent).toEqual(['Dear Ana'])
  })

  it('answers several questions of one step by their ids, in any order, and repeats no sibling', async () => {
    let calls = 0
    const service = new AgentService()
    const graph = defineGraph({ name: 'three', state: { log: channel.topic<string>() } })
      .node('split', () => ({}))
      .node('ask', async (_state, ctx) => ({ log: `ask ${String(await ctx.interrupt('first?'))}` }))
      .node(
        'human',
        nodes.human({
          prompt: 'second?',
          options: ['a', 'b'],
          output: (result: string) => ({ log: `human ${result}` }),
        }),
      )
      .node('work', () => ({ log: `work ${++calls}` }))
      .node('end', () => ({ log: 'end' }))
      .edge('split', 'ask')
      .edge('split', 'human')
      .edge('split', 'work')
      .join(['ask', 'human', 'work'], 'end')
      .start('split')
    const run = runGraph(service, graph, {})
    await run.outcome
    const open = await service.approvals(run.runId)
    const second = open.find(({ text }) => text === 'second?')!
    const first = open.find(({ text }) => text === 'first?')!
    await expect(service.answer(second.id, 'c')).rejects.toThrow('must be one of: a, b')
    await service.answer(second.id, 'b')
    await resumeGraph(service, run.runId).outcome
    await service.answer(first.id, 'yes')
    const outcome = await resumeGraph(service, run.runId).outcome
    expect(outcome).toMatchObject({ output: { log: ['ask yes', 'human b', 'work 1', 'end'] } })
    expect(calls).toBe(1)
  })

  it('pauses before and after nodes that say so', async () => {
    const done: string[] = []
    const service = new AgentService()
    const graph = defineGraph({ name: 'pauses', state: {} })
      .node('one', () => void done.push('one'), { pause: 'after' })
      .node('two', () => void done.push('two'), { pause: 'before' })
      .edge('one', 'two')
      .start('one')
    const run = runGraph(service, graph, {})
    await run.outcome
    expect(done).toEqual(['one'])
    await answerOne(service, run.runId, 'go')
    await resumeGraph(service, run.runId).outcome
    expect(done).toEqual(['one'])
    await answerOne(service, run.runId, 'go')
    expect(await resumeGraph(service, run.runId).outcome).toMatchObject({ state: 'completed' })
    expect(done).toEqual(['one', 'two'])
  })

  it('answers a question of a graph inside a graph', async () => {
    const service = new AgentService()
    const inner = defineGraph({
      name: 'inner',
      state: { name: channel.last<string>(), said: channel.last<string>() },
      input: ['name'],
      output: ['said'],
    })
      .node('ask', async (state, ctx) => ({
        said: `${state.name}: ${String(await ctx.interrupt(`What says ${state.name}?`))}`,
      }))
      .start('ask')
    const outer = defineGraph({
      name: 'outer',
      state: { name: channel.last<string>(), talk: channel.last<unknown>() },
      input: ['name'],
    })
      .node('talk', nodes.subgraph(inner))
      .start('talk')
    const run = runGraph(service, outer, { name: 'Ana' })
    await run.outcome
    const { tasks } = await getState(service, run.runId)
    expect(tasks[0]).toMatchObject({ node: 'talk', status: 'waiting', interrupts: [{ text: 'What says Ana?' }] })
    await service.answer(tasks[0]!.interrupts[0]!.id, 'hello')
    expect(await resumeGraph(service, run.runId).outcome).toMatchObject({ output: { talk: { said: 'Ana: hello' } } })
  })
})

describe('time travel', () => {
  const story = () =>
    defineGraph({
      name: 'story',
      state: { topic: channel.last<string>(), text: channel.last<string>(), log: channel.topic<string>() },
    })
      .node('choose', () => ({ topic: 'cats', log: 'choose' }))
      .node('tell', (state) => ({ text: `about ${state.topic ?? ''}`, log: 'tell' }))
      .node('end', () => ({ log: 'end' }))
      .edge('choose', 'tell')
      .edge('tell', 'end')
      .start('choose')

  it('lists every step, goes back to one, changes it and goes on from there', async () => {
    const service = new AgentService()
    const run = runGraph(service, story(), {})
    await run.outcome
    const history = await getStateHistory(service, run.runId)
    expect(history.map(({ step, next }) => [step, ...next])).toEqual([[3], [2, 'end'], [1, 'tell'], [0, 'choose']])
    const fork = await updateState(service, run.runId, { topic: 'bees' }, { step: 1 })
    expect(await resumeGraph(service, fork.run).outcome).toMatchObject({
      output: { topic: 'bees', text: 'about bees', log: ['choose', 'tell', 'end'] },
    })
    expect(await getState(service, run.runId)).toMatchObject({ values: { text: 'about cats' } })
    const [newest, , edited] = await getStateHistory(service, fork.run)
    expect(newest).toMatchObject({ step: 3, state: 'completed' })
    expect(edited).toMatchObject({ step: 1, source: 'update', values: { topic: 'bees' }, next: ['tell'] })
  })

  it('goes on after a finished run as if a node had written the change', async () => {
    const service = new AgentService()
    const run = runGraph(service, story(), {})
    await run.outcome
    const fork = await updateState(service, run.runId, { topic: 'ants' }, { asNode: 'choose' })
    const outcome = await resumeGraph(service, fork.run).outcome
    expect(outcome).toMatchObject({ output: { text: 'about ants', log: ['choose', 'tell', 'end', 'tell', 'end'] } })
    expect(await service.replay(fork.run)).toMatchObject({ identical: true, complete: true })
  })

  it('changes a waiting run itself at its next step', async () => {
    const service = new AgentService()
    const graph = defineGraph({ name: 'wait', state: { n: channel.last<number>(), sum: channel.last<number>() } })
      .node('ask', nodes.human({ prompt: 'go?' }))
      .node('add', (state) => ({ sum: (state.n ?? 0) + 1 }))
      .edge('ask', 'add')
      .start('ask')
    const run = runGraph(service, graph, { n: 1 })
    await run.outcome
    await updateState(service, run.runId, { n: 41 }, { live: true })
    await answerOne(service, run.runId, 'yes')
    expect(await resumeGraph(service, run.runId).outcome).toMatchObject({ output: { sum: 42 } })
  })

  it('tries again what failed, and nothing else', async () => {
    const calls: string[] = []
    let isBroken = true
    const call = defineTool({
      name: 'call',
      risk: 'write',
      run: (input) => void calls.push((input as { who: string }).who),
    })
    const service = new AgentService({ tools: [call] })
    const graph = defineGraph({ name: 'repair', state: { log: channel.topic<string>() } })
      .node('split', () => ({}))
      .node('good', async (_state, ctx) => (await ctx.tool('call', { who: 'good' }), { log: 'good' }))
      .node('bad', async (_state, ctx) => {
        await ctx.tool('call', { who: 'bad' })
        if (isBroken) throw new Error('broken')
        return { log: 'bad' }
      })
      .edge('split', 'good')
      .edge('split', 'bad')
      .start('split')
    const run = runGraph(service, graph, {})
    expect(await run.outcome).toMatchObject({
      state: 'failed',
      error: { message: 'Node "bad" failed in step 2: broken' },
    })
    isBroken = false
    const again = await updateState(service, run.runId, {})
    expect(await resumeGraph(service, again.run).outcome).toMatchObject({ output: { log: ['good', 'bad'] } })
    expect(calls.toSorted()).toEqual(['bad', 'good'])
    expect(await service.replay(again.run)).toMatchObject({ identical: true })
  })

  it('forks in the name of those alone who may read the run and run agents', async () => {
    const roles = { reader: ['read-journal'], runner: ['run-agent'], both: ['read-journal', 'run-agent'] } as const
    const service = new AgentService({ mandate: { roles } })
    const run = runGraph(service, story(), {})
    await run.outcome
    const as = (role: string): Promise<{ run: string }> =>
      updateState(service, run.runId, { topic: 'bees' }, { step: 1, identity: { id: role, roles: [role] } })
    await expect(as('reader')).rejects.toThrow('"reader" may not run-agent')
    await expect(as('runner')).rejects.toThrow('"runner" may not read-journal')
    expect(await service.journal.list()).toHaveLength(1)
    expect(await getState(service, (await as('both')).run)).toMatchObject({ step: 1 })
  })

  it('refuses a change that does not fit, and a step or node that there is not', async () => {
    const service = new AgentService()
    const run = runGraph(service, story(), {})
    await run.outcome
    await expect(updateState(service, run.runId, { topik: 'x' })).rejects.toThrow('Did you mean "topic"?')
    await expect(updateState(service, run.runId, {}, { asNode: 'tel' })).rejects.toThrow('Did you mean "tell"?')
    await expect(updateState(service, run.runId, {}, { step: 9 })).rejects.toThrow('no state after step 9')
    await expect(updateState(service, run.runId, {}, { live: true })).rejects.toThrow('is over')
    await expect(getState(service, 'run-x')).rejects.toThrow('There is no run "run-x"')
  })
})

describe('streams', () => {
  it('gives the words of an agent inside a node, what nodes write, and what they emit', async () => {
    const service = new AgentService({ agents: [{ id: 'poet', model: scripted(['Roses are red']) }] })
    const graph = defineGraph({ name: 'poems', state: { poem: channel.last<string>(), n: channel.delta() } })
      .node('write', nodes.agent('poet', { prompt: 'A poem', writes: 'poem' }))
      .node('count', (state, ctx) => {
        ctx.emit({ length: state.poem?.length })
        return { n: 1 }
      })
      .edge('write', 'count')
      .start('write')
    const events = await all(runGraph(service, graph, {}).stream({ mode: ['messages', 'updates', 'custom', 'values'] }))
    const texts = events.filter((event): event is GraphEvent & { mode: 'messages' } => event.mode === 'messages')
    expect(texts.map(({ text }) => text).join('')).toBe('Roses are red')
    expect(new Set(texts.map(({ node }) => node))).toEqual(new Set(['write']))
    expect(events.filter(({ mode }) => mode === 'updates')).toMatchObject([
      { node: 'write', step: 1, update: { poem: 'Roses are red' } },
      { node: 'count', step: 2, update: { n: 1 } },
    ])
    expect(events.find(({ mode }) => mode === 'custom')).toMatchObject({ node: 'count', data: { length: 13 } })
    expect(events.findLast(({ mode }) => mode === 'values')).toMatchObject({ step: 2, values: { n: 1 } })
  })

  it('tells of questions with the ids to answer them by, and ends when the run suspends', async () => {
    const service = new AgentService()
    const graph = defineGraph({ name: 'ask', state: {} })
      .node('ask', async (_state, ctx) => void (await ctx.interrupt({ text: 'Sure?', choices: ['y', 'n'] })))
      .start('ask')
    const run = runGraph(service, graph, {})
    const [asked] = await all(run.stream({ mode: 'interrupts' }))
    expect(asked).toMatchObject({ mode: 'interrupts', node: 'ask', text: 'Sure?' })
    await service.answer((asked as { id: string }).id, 'y')
    expect(await resumeGraph(service, run.runId).outcome).toMatchObject({ state: 'completed' })
    expect(() => run.stream({ mode: 'value' as never })).toThrow('Did you mean "values"?')
  })
})

describe('agents and tools', () => {
  const add = defineTool({
    name: 'add',
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    risk: 'read',
    run: (input) => (input as { a: number }).a + (input as { b: number }).b,
  })
  const calling = () => scripted([{ toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'It is 3.'])

  it('runs the loop of a model and its tools over two nodes', async () => {
    const service = new AgentService()
    const graph = defineGraph({ name: 'react', state: { messages: channel.messages() } })
      .node('ask', nodes.agent({ model: calling(), tools: [add], system: 'Calculate.' }))
      .node('act', nodes.tools([add]))
      .route('ask', [
        { label: 'tool_call', to: 'act' },
        { label: 'final', to: 'END' },
      ])
      .edge('act', 'ask')
      .start('ask')
    const { messages } = (await runGraph(service, graph, { messages: 'What is 1 + 2?' }).result()) as unknown as {
      messages: { role: string }[]
    }
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(JSON.stringify(messages.at(-1))).toContain('It is 3.')
  })

  it('runs an agent of its own when its tools are its own affair', async () => {
    const graph = defineGraph({ name: 'own', state: { answer: channel.last<string>() } })
      .node('ask', nodes.agent({ model: calling(), tools: [add], prompt: 'What is 1 + 2?', writes: 'answer' }))
      .start('ask')
    expect(await runGraph(new AgentService(), graph, {}).result()).toEqual({ answer: 'It is 3.' })
  })

  it('hands a run on between agents by commands', async () => {
    const service = new AgentService({
      agents: [
        { id: 'math', model: scripted(['42']) },
        { id: 'prose', model: scripted(['A poem.']) },
      ],
    })
    const graph = defineGraph({
      name: 'supervisor',
      state: { log: channel.topic<string>(), done: channel.topic<string>() },
    })
      .node('supervisor', (state) => {
        const open = ['math', 'prose'].find((name) => !state.done.includes(name))
        return command({ goto: open ?? 'END' })
      })
      .node('math', async (_state, ctx) =>
        command({ update: { log: String(await ctx.agent('math', '6 x 7')), done: 'math' }, goto: 'supervisor' }),
      )
      .node('prose', async (_state, ctx) =>
        command({ update: { log: String(await ctx.agent('prose', 'rhyme')), done: 'prose' }, goto: 'supervisor' }),
      )
      .start('supervisor')
    expect(await runGraph(service, graph, {}).result()).toMatchObject({ log: ['42', 'A poem.'] })
  })
})

describe('failures', () => {
  it('tries a node again as it says, and leaves it after its time', async () => {
    let tries = 0
    const graph = defineGraph({ name: 'retry', state: { ok: channel.last<number>() } })
      .node(
        'flaky',
        () => {
          if (++tries < 3) throw new Error('not yet')
          return { ok: tries }
        },
        { retry: { attempts: 3, delayMs: 5, factor: 2 } },
      )
      .start('flaky')
    const service = new AgentService()
    const run = runGraph(service, graph, {})
    expect(await run.result()).toEqual({ ok: 3 })
    expect(await service.replay(run.runId)).toMatchObject({ identical: true })
    const slow = defineGraph({ name: 'slow', state: {} })
      .node('hang', () => new Promise<void>(() => {}), { timeoutMs: 20 })
      .start('hang')
    expect(await runGraph(service, slow, {}).outcome).toMatchObject({
      state: 'failed',
      error: { code: 'TIMEOUT', message: expect.stringContaining('raise its `timeoutMs`') },
    })
  })

  it('cuts what a node has in flight when its time is over', async () => {
    let isCut = false
    const wait = defineTool({
      name: 'wait',
      risk: 'read',
      run: (_input, context) =>
        new Promise((_resolve, reject) =>
          context.signal.addEventListener('abort', () => {
            isCut = true
            reject(new Error('cut'))
          }),
        ),
    })
    const service = new AgentService({ tools: [wait] })
    const graph = defineGraph({ name: 'cut', state: { error: channel.last<string>() } })
      .node('recover', (_state, ctx) => ({ error: (ctx.item as { error: { code: string } }).error.code }))
      .node('wait', async (_state, ctx) => void (await ctx.tool('wait')), { timeoutMs: 20, onError: 'recover' })
      .start('wait')
    const run = runGraph(service, graph, {})
    expect(await run.result()).toEqual({ error: 'TIMEOUT' })
    expect(isCut).toBe(true)
    expect(await service.replay(run.runId)).toMatchObject({ identical: true })
  })

  it('ends the run with what a node was denied, unless the graph has a way for it', async () => {
    const wipe = defineTool({ name: 'wipe', risk: 'destructive', run: () => 'gone' })
    const service = new AgentService({ tools: [wipe], mandate: { deny: ['wipe'] } })
    const plain = defineGraph({ name: 'plain', state: {} })
      .node('wipe', async (_state, ctx) => void (await ctx.tool('wipe')))
      .start('wipe')
    expect(await runGraph(service, plain, {}).outcome).toMatchObject({
      state: 'failed',
      error: { code: 'DENIED', message: expect.stringContaining('Node "wipe" failed in step 1') },
    })
    const careful = defineGraph({ name: 'careful', state: { note: channel.last<string>() } })
      .node('note', (_state, ctx) => ({ note: (ctx.item as { error: { code: string } }).error.code }))
      .node('wipe', nodes.tool('wipe', { input: () => ({}) }), { onError: 'note' })
      .start('wipe')
    expect(await runGraph(service, careful, {}).result()).toMatchObject({ note: 'DENIED' })
  })

  it('refuses two writes of one step to a channel that holds one value, and names both nodes', async () => {
    const graph = defineGraph({ name: 'clash', state: { x: channel.last<number>() } })
      .node('split', () => ({}))
      .node('a', () => ({ x: 1 }))
      .node('b', () => ({ x: 2 }))
      .edge('split', 'a')
      .edge('split', 'b')
      .start('split')
    const outcome = await runGraph(new AgentService(), graph, {}).outcome
    expect(outcome).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('Nodes "a" and "b" wrote to the channel "x"') },
    })
  })

  it('relieves a join of a branch that was not taken', async () => {
    const graph = defineGraph({ name: 'relief', state: { log: channel.topic<string>() } })
      .node('begin', () => ({}))
      .node('sure', () => ({ log: 'sure' }))
      .node('fork', () => ({}))
      .node('maybe', () => ({ log: 'maybe' }))
      .node('other', () => ({ log: 'other' }))
      .node('end', () => ({ log: 'end' }))
      .edge('begin', 'sure')
      .edge('begin', 'fork')
      .route('fork', [{ when: 'state.log.length > 9', to: 'maybe' }, { to: 'other' }])
      .join(['sure', 'maybe'], 'end')
      .start('begin')
    const { log } = await runGraph(new AgentService(), graph, {}).result()
    expect(log).toEqual(['sure', 'end', 'other'].toSorted((a, b) => log.indexOf(a) - log.indexOf(b)))
    expect(log).toContain('end')
  })
})
