import { afterEach, describe, expect, it } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import { scripted } from '../../model/index.ts'
import { defineTool } from '../../tool/index.ts'
import type { ReplPolicy } from './policy.ts'
import { ReplSession } from './repl-session.ts'
import type { ReplOptions } from './repl-session.ts'

const services: AgentService[] = []
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

const looks = { now: 0, most: 0 }
const look = defineTool({
  name: 'look',
  risk: 'read',
  inputSchema: { type: 'object' },
  async run() {
    looks.most = Math.max(looks.most, ++looks.now)
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    looks.now -= 1
    return 'seen'
  },
})

function open(policy: Partial<ReplPolicy>, options: ReplOptions = {}): Promise<ReplSession> {
  const answering = scripted(() => 'said')
  const service = new AgentService({ agents: [{ id: 'helper', model: answering }] })
  services.push(service)
  return ReplSession.open(service, { tools: [look], model: answering, policy, ...options })
}

/** The limit that a cell met. */
async function limitOf(session: ReplSession, source: string): Promise<unknown> {
  const { error } = await session.evalCell(source)
  if (error === undefined) return undefined
  const { limit } = (error.info ?? {}) as { readonly limit?: string }
  return error.code === 'LIMIT_EXCEEDED' ? limit : error.code
}

const GRAPH = 'graph_start: a\nnode a kind: noop { next: END }'

describe('every field of the policy holds', () => {
  const cases: readonly (readonly [keyof ReplPolicy, Partial<ReplPolicy>, string])[] = [
    ['maxOperations', { maxOperations: 5_000 }, 'for (let i = 0; i < 20_000; i++) {}'],
    ['maxIterations', { maxIterations: 0 }, '1'],
    ['maxScriptBytes', { maxScriptBytes: 5 }, '1 + 100'],
    ['maxOutputBytes', { maxOutputBytes: 10 }, "print('much longer than that')"],
    ['maxModelCalls', { maxModelCalls: 1 }, "await model_query('a'); await model_query('b')"],
    [
      'maxAgentCalls',
      { maxAgentCalls: 1 },
      "const ask = () => agent_query({ agent: 'helper', prompt: 'x' }); await ask(); await ask()",
    ],
    ['maxToolCalls', { maxToolCalls: 1 }, 'await tools.look({}); await tools.look({})'],
    ['maxGraphCalls', { maxGraphCalls: 0 }, "await graph_run({ graph: 'g', input: {} })"],
    ['maxMemoryBytes', { maxMemoryBytes: 1_000_000 }, "let text = 'x'.repeat(2_000_000)"],
    ['maxDepth', { maxDepth: 0 }, "await agent_query({ agent: 'helper', prompt: 'x' })"],
  ]

  it.each(cases)('%s, and no cell can catch it', async (field, policy, source) => {
    const named = field === 'maxMemoryBytes' ? 'memoryBytes' : field
    expect(await limitOf(await open(policy), source)).toBe(named)
    // A cell that is refused before it runs has nothing to catch with.
    if (field === 'maxIterations' || field === 'maxScriptBytes') return
    const caught = await (await open(policy)).evalCell(`try { ${source} } catch {}\nlet after = 1`)
    expect([caught.status, caught.variablesChanged.includes('after')]).toEqual(['failed', false])
  })

  it('maxOutputBytes, for what is printed and the value together', async () => {
    expect(await limitOf(await open({ maxOutputBytes: 10 }), "print('12345'); '12345'")).toBe('maxOutputBytes')
  })

  it.each([
    "answer('12345678901')",
    "emit('12345', '67890')",
    "answer('12345'); print('12345')",
    "emit('12345'); '12345'",
  ])('maxOutputBytes, for whatever else a cell gives: %s', async (source) => {
    expect(await limitOf(await open({ maxOutputBytes: 10 }), source)).toBe('maxOutputBytes')
  })

  it('an error says no more than 10,000 characters', async () => {
    const session = await open({})
    const { error } = await session.evalCell("throw new Error('x'.repeat(1_000_000))")
    expect(error?.message).toMatch(/^x{10000} …$/)
    const named = await session.evalCell("const e = new Error('m'); e.name = 'y'.repeat(1_000_000); throw e")
    expect(named.error?.name).toMatch(/^y{10000} …$/)
  })

  it('maxConcurrency, for calls by themselves and for those of a batch', async () => {
    const all = [
      'await Promise.all([1, 2, 3, 4, 5, 6].map(() => tools.look({})))',
      "await tool_call_batched(Array(6).fill({ tool: 'look' }))",
    ]
    for (const source of all) {
      const most: number[] = []
      for (const maxConcurrency of [1, 2]) {
        looks.most = 0
        expect((await (await open({ maxConcurrency })).evalCell(source)).status).toBe('completed')
        most.push(looks.most)
      }
      expect(most).toEqual([1, 2])
    }
  })

  it('plainChars and shownChars', async () => {
    const session = await open({ plainChars: 10, shownChars: 20 }, { rlm: 'helper' })
    const { calls } = await session.evalCell(
      "await rlm_query({ prompt: 'p', context: 'short' }); await rlm_query({ prompt: 'p', context: 'much longer' })",
    )
    expect(calls.map(({ kind }) => kind)).toEqual(['model', 'agent'])
    expect(session.shown(await session.evalCell("print('x'.repeat(500))")).length).toBeLessThan(300)
  })

  it('maxScriptBytes, for a graph that a cell defines', async () => {
    const session = await open({ maxScriptBytes: 200 })
    const source = `await graph_define({ name: 'g', source: '${GRAPH.replaceAll('\n', '\\n')}' + '#'.repeat(300) })`
    expect((await session.evalCell(source)).error?.message).toContain('`maxScriptBytes` allows 200')
  })
})

describe('what a host may ask of a session', () => {
  it('is one cell at a time', async () => {
    const session = await open({})
    const first = session.evalCell('await tools.look({})')
    await expect(session.evalCell('1')).rejects.toMatchObject({
      code: 'RUN_STATE',
      message: expect.stringContaining('One cell is evaluated at a time'),
    })
    expect((await first).status).toBe('completed')
  })

  it('is nothing while a cell waits', async () => {
    const asking = defineTool({
      name: 'pay',
      risk: 'read',
      needsApproval: true,
      inputSchema: { type: 'object' },
      run: () => 1,
    })
    const session = await open({}, { tools: [asking] })
    expect((await session.evalCell('await tools.pay({})')).status).toBe('waiting')
    await expect(session.evalCell('1')).rejects.toThrow('waits')
  })

  it('is a variable of a name that scripts can have and that is not reserved', async () => {
    const session = await open({})
    expect(() => session.variables.set('tools', 1)).toThrow('reserved name')
    expect(() => session.variables.set('a b', 1)).toThrow('cannot be the name of a variable')
  })

  it('is to undo as many cells as there are, and to fork to an id that is free', async () => {
    const session = await open({}, { sessionId: 's' })
    await session.evalCell('let a = 1')
    await expect(session.undo(2)).rejects.toThrow('has 1 cells that can be undone')
    await expect(session.fork({ sessionId: 's' })).rejects.toMatchObject({ code: 'DUPLICATE' })
  })
})

describe('what a cell cannot reach', () => {
  it('are tools that it was not granted', async () => {
    const service = new AgentService({ tools: [look] })
    services.push(service)
    const session = await ReplSession.open(service)
    expect((await session.evalCell("await tool_call({ tool: 'lok' })")).error?.message).toContain(
      'Did you mean "look"?',
    )
    expect((await session.evalCell("await tool_call({ tool: 'context.slice' })")).error?.code).toBe('TOOL_UNKNOWN')
  })

  it('are the tools behind functions, which it calls as functions', async () => {
    const session = await open({})
    expect((await session.evalCell("await tool_call({ tool: 'graph_register', arguments: {} })")).error).toMatchObject({
      code: 'TOOL_UNKNOWN',
      message: 'graph_register is a function: call graph_register(…).',
    })
  })
})
