import { afterEach, describe, expect, it } from 'vitest'
import { AgentService, defineTool } from 'mandate'
import type { AgentConfig } from 'mandate'
import { compileRag, registerGraph } from 'mandate/graph'
import { memoryJournal } from 'mandate/journal'
import type { Journal } from 'mandate/journal'
import { scripted } from 'mandate/model'
import { codeMode } from 'mandate/repl'
import { program, registerProgram, s } from 'mandate/vm'

const services: AgentService[] = []
const ran: string[] = []

afterEach(async () => {
  ran.length = 0
  for (const service of services.splice(0)) await service.stop()
})

const tool = (name: string): never =>
  defineTool({ name, risk: 'read', inputSchema: { type: 'object' }, run: () => void ran.push(name) }) as never

/** Lets an agent in code mode evaluate cells, and gives what it answers in the last one. */
async function answerOf(
  cells: readonly string[],
  given: Partial<AgentConfig> = {},
  {
    journal = memoryJournal(),
    prepare,
  }: { journal?: Journal; prepare?: (service: AgentService) => Promise<void> } = {},
): Promise<unknown> {
  const mode = codeMode({ policy: { generatedGraphsRequireReview: false } })
  // One after the other, also where the session already holds what another run said.
  const replies = cells.map((cell) => `\`\`\`js\n${cell}\n\`\`\``).values()
  const service = new AgentService({
    journal,
    tools: [tool('publish')],
    agents: [
      { id: 'admin', model: scripted(['The admin.']) },
      {
        id: 'low',
        tools: [tool('mine')],
        mode,
        model: scripted(() => replies.next().value ?? 'Nothing more.'),
        ...given,
      },
    ],
  })
  services.push(service)
  await prepare?.(service)
  const first = await service.run('low', 'go', { sessionId: 's' })
  for (const { approvalId } of first.pending) await service.approve(approvalId!)
  const { result, error } = first.pending.length === 0 ? first : await service.resume(first.id)
  return result ?? error?.message
}

const told = (source: string): string =>
  `let said; try { said = String(${source}) } catch (error) { said = error.message } answer(said)`

const graph = (name: string, node: string): string =>
  `await graph_define({ name: '${name}', source: 'graph ${name} { start out state { text string } node out { ${node} next END } }' })`

describe('an agent in code mode', () => {
  it('asks only the agents that it was given', async () => {
    const ask = told("await agent_query({ agent: 'admin', prompt: 'x' })")
    const batch = told("(await agent_query_batched([{ agent: 'admin', prompt: 'x' }]))[0].error.message")
    expect(await answerOf([ask])).toBe('There is no agent "admin" here.')
    expect(await answerOf([batch])).toBe('There is no agent "admin" here.')
    expect(await answerOf([ask], { agents: ['admin'] })).toBe('The admin.')
  })

  it.each([
    ['tool', 'kind tool tool "publish"', 'There is no tool "publish" here.'],
    ['tool of a model', 'prompt "Go." tools ["publish"]', 'There is no tool "publish" here.'],
    ['agent', 'kind agent agent "admin"', 'There is no agent "admin" here.'],
  ])('compiles no graph with a %s that it does not have', async (_what, node, message) => {
    const define = graph('g', node)
    expect(await answerOf([`${define}; ${told("(await graph_validate('g')).join()")}`])).toContain(message)
    expect(await answerOf([`${define}; ${told("await graph_compile('g')")}`])).toContain(message)
    expect(ran).toEqual([])
  })

  it('runs a graph with the agents that it has', async () => {
    const cells = [
      `${graph('g', 'kind agent agent "admin" prompt "x"')}; await graph_compile('g'); await graph_register('g')`,
      told("JSON.stringify(await graph_run({ graph: 'g', input: { text: 'x' } }))"),
    ]
    expect(await answerOf(cells, { agents: ['admin'] })).toContain('The admin.')
  })

  const HOST_GRAPH = 'graph host { start out state { text string } node out { kind tool tool "publish" next END } }'
  const withGraph = async (service: AgentService): Promise<void> => {
    registerGraph(service, compileRag(HOST_GRAPH).graphs[0]!)
    await registerProgram(service, program.take(s.object({})).return({ value: 1 }), { name: 'sender' })
  }

  it.each([
    ['graph', 'kind subgraph graph "host"', 'The graph "host" reaches'],
    ['program', 'kind program script "sender"', 'There is no program "sender" here.'],
  ])('reaches no tool through a %s that its own graph names', async (_what, node, message) => {
    const compile = `${graph('g', node)}; ${told("await graph_compile('g')")}`
    expect(await answerOf([compile], {}, { prepare: withGraph })).toContain(message)
    expect(ran).toEqual([])
  })

  it('replaces a graph that cells have written, and none of the host', async () => {
    const write = (name: string, text: string): string =>
      `${graph(name, `prompt "${text}"`)}; await graph_compile('${name}'); await graph_register('${name}')`
    const cells = [write('g', 'One.'), `${write('g', 'Two.')}; answer('replaced')`]
    expect(await answerOf(cells, {}, { prepare: withGraph })).toBe('replaced')
    const host = `${graph('host', 'prompt "Mine."')}; await graph_compile('host'); ${told("await graph_register('host')")}`
    expect(await answerOf([host], {}, { prepare: withGraph })).toContain('Another graph is registered as "host"')
  })

  it('runs a graph of the host only where it has everything that the graph reaches', async () => {
    const run = told("JSON.stringify(await graph_run({ graph: 'host', input: { text: 'x' } }))")
    expect(await answerOf([run], {}, { prepare: withGraph })).toContain('There is no tool "publish" here.')
    expect(ran).toEqual([])
    await answerOf([run], { tools: [tool('publish')] }, { prepare: withGraph })
    expect(ran).toEqual(['publish'])
  })

  it('registers and runs a graph that names another one where a person has reviewed it', async () => {
    const cells = [
      `${graph('g', 'kind subgraph graph "host"')}; await graph_compile('g'); await graph_register('g')`,
      told("JSON.stringify(await graph_run({ graph: 'g', input: { text: 'x' } }))"),
    ]
    await answerOf(cells, { mode: codeMode() }, { prepare: withGraph })
    expect(ran).toEqual(['publish'])
  })

  it('registers no graph that it could not compile itself', async () => {
    const journal = memoryJournal()
    const compile = `${graph('g', 'kind agent agent "admin" prompt "x"')}; await graph_compile('g'); answer('compiled')`
    expect(await answerOf([compile], { agents: ['admin'] }, { journal })).toBe('compiled')
    expect(await answerOf([told("await graph_register('g')")], {}, { journal })).toBe('There is no agent "admin" here.')
  })
})
