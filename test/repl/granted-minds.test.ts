import { afterEach, describe, expect, it } from 'vitest'
import { AgentService, defineTool } from 'mandate'
import type { AgentConfig, ServiceOptions } from 'mandate'
import { compileRag, registerGraph } from 'mandate/graph'
import { scripted } from 'mandate/model'
import { codeMode } from 'mandate/repl'
import { program, registerProgram, s } from 'mandate/vm'

const services: AgentService[] = []
const ran: unknown[] = []

afterEach(async () => {
  ran.length = 0
  for (const service of services.splice(0)) await service.stop()
})

const publish = defineTool({
  name: 'publish',
  risk: 'read',
  inputSchema: { type: 'object' },
  run: (input) => {
    ran.push(input)
    return 'out'
  },
})

const REVIEW = `graph review {
  description "Has a text read and published."
  start send
  input { text string }
  output { send any }
  node send { kind tool tool "publish" next END }
}`

const TOTAL = program
  .take(s.object({ values: s.array(s.number) }))
  .varSet({ key: 'first', value: program.args('values.0') })
  .return({ value: program.args('values.1') })

/** A host with a graph and a program, and an agent that writes these replies. */
async function withAgent(
  replies: Parameters<typeof scripted>[0],
  given: Partial<AgentConfig> = {},
  options: ServiceOptions = {},
) {
  const model = scripted(replies)
  const service = new AgentService({ tools: [publish], agents: [{ id: 'low', model, ...given }], ...options })
  services.push(service)
  registerGraph(service, compileRag(REVIEW).graphs[0]!)
  await registerProgram(service, TOTAL, { name: 'total', description: 'Gives the second value.' })
  return { service, model }
}

const cells = (...sources: readonly string[]): string[] => sources.map((source) => `\`\`\`js\n${source}\n\`\`\``)
const GRANTED: Partial<AgentConfig> = { graphs: ['review'], programs: ['total'] }
const CODE: Partial<AgentConfig> = { mode: codeMode({ policy: { generatedGraphsRequireReview: false } }) }
const told = (source: string): string =>
  `let said; try { said = JSON.stringify(${source}) } catch (error) { said = error.message } answer(said)`

describe('a graph and a program that an agent was given by name', () => {
  it('are called as tools, with what they take', async () => {
    const { service, model } = await withAgent(
      [
        { toolCalls: [{ name: 'review', input: { text: 'a' } }] },
        { toolCalls: [{ name: 'total', input: { values: [1, 2] } }] },
        'Done.',
      ],
      GRANTED,
    )
    const result = await service.run('low', 'Go.')
    expect(result).toMatchObject({ status: 'completed', text: 'Done.' })
    expect(ran).toEqual([{ text: 'a' }])
    expect(model.requests[0]!.tools).toMatchObject([
      { name: 'review', inputSchema: { properties: { text: { type: 'string' } }, required: ['text'] } },
      { name: 'total', description: expect.stringContaining('second value') as string },
    ])
    expect(result.actions.map(({ toolId, ok }) => [toolId, ok])).toEqual([
      ['review', true],
      ['total', true],
    ])
    const results = [1, 2].map((turn) => model.requests[turn]!.messages.at(-1)!.content[0])
    expect(results).toMatchObject([{ value: { send: 'out' } }, { value: 2 }])
    expect((await service.runs({ parent: result.id })).map(({ mind, name }) => `${mind}/${name}`).sort()).toEqual([
      'graph/review',
      'program/total',
    ])
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('are functions of its cells, and its prompt tells their types', async () => {
    const { service, model } = await withAgent(
      cells(
        told("[await graph_run({ graph: 'review', input: { text: 'a' } }), await tools.total({ values: [1, 2] })]"),
      ),
      { ...GRANTED, ...CODE },
    )
    const result = await service.run('low', 'Go.')
    expect(result.result).toBe('[{"send":"out"},2]')
    expect(ran).toEqual([{ text: 'a' }])
    expect(result.actions).toMatchObject([
      { toolId: 'review', input: { text: 'a' } },
      { toolId: 'total', input: { values: [1, 2] } },
    ])
    const prompt = JSON.stringify(model.requests[0]!.messages[0])
    expect(prompt).toContain(
      'graph_run({ graph: \\\\\\"review\\\\\\", input: { text: string } }): Promise<{ send: any }>'.replaceAll(
        '\\\\\\"',
        '\\"',
      ),
    )
    expect(prompt).toContain('tools.total({ values: number[] })')
    expect(prompt).toContain('// Gives the second value.')
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('may be named by graphs that its cells write', async () => {
    const write = `await graph_define({ name: 'g', source: 'graph g { start out state { text string data object } node out { kind subgraph graph "review" next end } node end { kind program script "total" input "state.data" next END } }' }); await graph_compile('g'); await graph_register('g')`
    const { service } = await withAgent(
      cells(write, told("await graph_run({ graph: 'g', input: { text: 'b', data: { values: [1, 2] } } })")),
      {
        ...GRANTED,
        ...CODE,
      },
    )
    const { result } = await service.run('low', 'Go.')
    expect(JSON.parse(result as string)).toMatchObject({ out: { send: 'out' }, end: 2 })
    expect(ran).toEqual([{ text: 'b' }])
  })

  it('are not there for cells of an agent that was not given them', async () => {
    const { service } = await withAgent(
      cells(
        `const said = []; for (const call of [() => graph_run({ graph: 'review', input: { text: 'a' } }), () => tool_call({ tool: 'total', arguments: { values: [1, 2] } })]) { try { await call() } catch (error) { said.push(error.message) } } answer(said.join('|') + typeof tools.total)`,
      ),
      CODE,
    )
    expect((await service.run('low', 'Go.')).result).toBe(
      'The graph "review" reaches what is not there for this cell: There is no tool "publish" here.|There is no tool "total" here.undefined',
    )
    expect(ran).toEqual([])
  })

  it('pass the gate: a rule of the host denies them by name', async () => {
    const mandate = { deny: ['graph:review', 'program:total'] }
    const { service } = await withAgent(
      cells(
        `const said = []; for (const call of [() => graph_run({ graph: 'review', input: { text: 'a' } }), () => tools.total({ values: [1, 2] })]) { try { await call() } catch (error) { said.push(error.name) } } answer(said.length)`,
      ),
      { ...GRANTED, ...CODE },
      { mandate },
    )
    expect((await service.run('low', 'Go.')).result).toBe('2')
    expect(ran).toEqual([])
  })

  it('takes no fuel from what a cell says of it', async () => {
    const { service } = await withAgent(cells(told('await tools.total({ $args: { values: [1, 2] }, $fuel: 1e9 })')), {
      ...GRANTED,
      ...CODE,
    })
    expect((await service.run('low', 'Go.')).result).toContain('do not fit what the program takes')
  })

  it('is refused under a name that is not there, with the nearest one, and under a name of something else', async () => {
    const misspelt = await withAgent(['Done.'], { graphs: ['reviews'] })
    await expect(misspelt.service.run('low', 'Go.')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/`reviews` is not a graph of this service.*Did you mean `review`\?/) as string,
    })
    const unknown = await withAgent(['Done.'], { programs: ['totals'] })
    await expect(unknown.service.run('low', 'Go.')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/`totals` is not a program of this service.*Did you mean `total`\?/) as string,
    })
    await expect(withAgent(['Done.'], { graphs: ['publish'], tools: [publish] })).rejects.toThrow(
      '`graphs` names "publish", which is a tool as well. Rename one of them',
    )
    await expect(withAgent(['Done.'], { graphs: ['a'], agents: ['a'] })).rejects.toThrow(
      '`graphs` names "a", which is an agent as well. Rename one of them',
    )
  })
})

it('a tool that a variable holds from an earlier run is not there for a run that may not call it', async () => {
  let runs = 0
  const [first, second] = cells('const keep = tools.publish; answer("kept")', told('await keep({ text: "x" })'))
  const { service } = await withAgent(() => (runs === 1 ? first! : second!), {
    ...CODE,
    tools: [publish],
    hooks: [(run) => void (++runs > 1 && (run.tools = []))],
  })
  await service.run('low', 'First.', { sessionId: 's' })
  const again = await service.run('low', 'Second.', { sessionId: 's' })
  expect(again.result).toBe('There is no tool "publish" here.')
  expect(ran).toEqual([])
})
