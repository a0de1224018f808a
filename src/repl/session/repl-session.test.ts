import { afterEach, describe, expect, it } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import { scripted } from '../../model/index.ts'
import { ReplSession } from './repl-session.ts'
import type { ReplOptions } from './repl-session.ts'

const services: AgentService[] = []

async function open(options: ReplOptions = {}): Promise<ReplSession> {
  const service = new AgentService()
  services.push(service)
  return ReplSession.open(service, options)
}

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

describe('variables of a session', () => {
  it('stay from cell to cell, with closures over them', async () => {
    const session = await open()
    await session.evalCell('let n = 1; function up() { n += 1 } const read = () => n')
    await session.evalCell('n = 10; up()')
    expect(await session.evalCell('read()')).toMatchObject({ status: 'completed', value: 11 })
  })

  it('may be declared again, also as another kind', async () => {
    const session = await open()
    await session.evalCell('const x = 1; const read = () => x')
    const second = await session.evalCell('let x = 2; x += 1; read()')
    expect(second.value).toBe(3)
    expect((await session.evalCell('x')).value).toBe(3)
  })

  it('cannot be assigned where they are constants, in this cell or a later one', async () => {
    const session = await open()
    await session.evalCell('const x = 1')
    expect((await session.evalCell('x = 2')).error).toMatchObject({ name: 'TypeError' })
  })

  it('of `var` keep their value when they are declared again without one', async () => {
    const session = await open()
    await session.evalCell('var n = 7')
    expect((await session.evalCell('var n; n')).value).toBe(7)
    expect((await session.evalCell('var n = n || 1; n')).value).toBe(7)
  })

  it('are reported as changed by their values alone', async () => {
    const session = await open()
    await session.evalCell('let a = { x: 1 }; let b = 2; const bump = () => { a.x += 1 }')
    expect((await session.evalCell('a = { x: 1 }; b = 3')).variablesChanged).toEqual(['b'])
    expect((await session.evalCell('bump()')).variablesChanged).toEqual(['a'])
    expect((await session.evalCell('b')).variablesChanged).toEqual([])
  })

  it('keep what a failed cell did before it failed', async () => {
    const session = await open()
    const failed = await session.evalCell('let done = 1; print("so far"); throw new Error("no")')
    expect(failed).toMatchObject({ status: 'failed', stdout: 'so far\n', variablesChanged: ['done'] })
    expect(failed.error).toMatchObject({ message: 'no', line: 1 })
    expect((await session.evalCell('done')).value).toBe(1)
  })

  it('keep shared structure, cycles, maps, dates and functions when the session is opened elsewhere', async () => {
    const session = await open({ sessionId: 's1' })
    await session.evalCell(`
      const shared = { n: 1 }
      const a = { shared }, b = [shared]
      shared.self = shared
      const m = new Map([['k', new Set([1, 2])]])
      const when = new Date(0)
      let count = 0
      const next = () => ++count`)
    const again = await ReplSession.open(services[0]!, { sessionId: 's1', name: 'cells', model: 'other' })
    const { value } = await again.evalCell(
      'a.shared.n = 5; [b[0].n, shared.self === shared, m.get("k").has(2), when.getTime(), next(), next(), count]',
    )
    expect(value).toEqual([5, true, true, 0, 1, 2, 2])
  })
})

describe('functions of a cell', () => {
  it('reach tools and models, and record each call', async () => {
    const session = await open({
      model: scripted(['one']),
      tools: [
        { name: 'add', inputSchema: { type: 'object' }, risk: 'read', run: (input: { a: number }) => input.a + 1 },
      ] as never,
    })
    const { value, calls } = await session.evalCell('[await tools.add({ a: 1 }), await model_query("hi")]')
    expect(value).toEqual([2, 'one'])
    expect(calls.map(({ id, kind, name }) => [id, kind, name])).toEqual([
      ['call-1', 'tool', 'add'],
      ['call-2', 'model', 'model'],
    ])
  })

  it('give a result for each item of a batch', async () => {
    const session = await open({
      tools: [
        {
          name: 'even',
          inputSchema: { type: 'object' },
          risk: 'read',
          run: ({ n }: { n: number }) => {
            if (n % 2 === 1) throw new Error('odd')
            return n
          },
        },
      ] as never,
    })
    const { value } = await session.evalCell(
      'await tool_call_batched([2, 3, 4].map((n) => ({ tool: "even", arguments: { n } })))',
    )
    expect(value).toMatchObject([
      { ok: true, value: 2 },
      { ok: false, error: { message: expect.stringMatching(/odd/) as string } },
      { ok: true, value: 4 },
    ])
  })
})

describe('a batch', () => {
  const one = { name: 'one', risk: 'read', run: () => 1 }

  it.each([
    ['tool_call_batched([{ tool: "one" }, { tool: "nope" }, 5, { tool: "one" }])', 'TOOL_UNKNOWN', 'INPUT_INVALID'],
    ['model_query_batched(["a", { prompt: "b", modell: "x" }, 5, "c"])', 'INPUT_INVALID', 'INPUT_INVALID'],
    ['rlm_query_batched(["a", { context: "b" }, 5, "c"])', 'INPUT_INVALID', 'INPUT_INVALID'],
  ])('does what it can of %s', async (call, second, third) => {
    const session = await open({ tools: [one] as never, model: scripted(() => 'said') })
    const { value, calls } = await session.evalCell(`await ${call}`)
    expect(value).toMatchObject([
      { ok: true },
      { ok: false, error: { code: second } },
      { ok: false, error: { code: third } },
      { ok: true },
    ])
    expect(calls.map(({ status }) => status)).toEqual(['ok', 'ok'])
  })

  it('tells an agent and a graph that there is not as the result of their items', async () => {
    const session = await open()
    const { value } = await session.evalCell(
      '[...await agent_query_batched([{ agent: "x", prompt: "p" }, {}]), ...await graph_run_batched([{ graph: "x" }, {}])]',
    )
    expect(value).toMatchObject([{ ok: false }, { ok: false }, { ok: false }, { ok: false }])
  })

  it('is refused as a whole by a limit', async () => {
    const session = await open({ tools: [one] as never, policy: { maxToolCalls: 1 } })
    const { error, calls } = await session.evalCell('await tool_call_batched([{ tool: "one" }, {}, { tool: "one" }])')
    expect([error?.code, calls.length]).toEqual(['LIMIT_EXCEEDED', 0])
  })
})

describe('what a session shows', () => {
  it('show_vars prints the variables, also when a function of an earlier cell calls it', async () => {
    const session = await open()
    await session.evalCell('let a = 1; const look = () => show_vars()')
    expect((await session.evalCell('look()')).stdout).toContain('a = 1')
  })

  it('a value that JSON does not have is shown as text to people, to models and in `history`, within the limit of output', async () => {
    const session = await open()
    const result = await session.evalCell('new Map([["a", NaN]])')
    expect(result).toMatchObject({ value: 'Map(1) {"a" => NaN}', shown: 'Map(1) {"a" => NaN}' })
    expect(session.shown(await session.evalCell('[NaN, new Set([1])]'))).toContain('Value:\n[NaN,Set(1) {1}]')
    expect((await session.evalCell('history.map(({ output }) => output)')).value).toEqual([
      'Map(1) {"a" => NaN}',
      '[NaN,Set(1) {1}]',
    ])
    expect(await session.evalCell('({ a: [1, null, "x"], b: undefined })')).not.toHaveProperty('shown')
    session.setPolicy({ maxOutputBytes: 2500 })
    const long = await session.evalCell('[NaN, "x".repeat(2000)]')
    expect(long).toMatchObject({ error: { info: { limit: 'maxOutputBytes' } } })
    expect(long).not.toHaveProperty('shown')
  })

  it('the error for an unknown tool names those that can be called', async () => {
    const session = await open({ tools: [{ name: 'one', risk: 'read', run: () => 1 }] as never })
    expect((await session.evalCell('await tools.searching({})')).error?.message).toContain('There are: one.')
  })

  it('are listed like members of an object', async () => {
    const tools = ['one', 'two'].map((name) => ({ name, risk: 'read', run: () => name }))
    const session = await open({ tools: tools as never })
    const { value } = await session.evalCell(`
      const { one, ...others } = tools
      const looped = []
      for (const name in tools) looped.push(name)
      const all = await Promise.all(Object.entries({ ...tools }).map(([name, tool]) => tool({})))
      const isIn = [Object.hasOwn(tools, 'one'), Object.hasOwn(tools, 'three')]
      ;[Object.keys(tools), Object.keys(others), looped, Reflect.ownKeys(tools), all, isIn, Object.keys(Math)]
    `)
    const names = ['one', 'two']
    expect(value).toEqual([names, ['two'], names, names, names, [true, false], []])
  })

  it.each([
    'rlm_query("What is it?", "a long text")',
    'model_query("What is it?", { system: "Be brief." })',
    'tools.one({ a: 1 }, { b: 2 })',
  ])('take one argument, and a second one is refused before anything is called: %s', async (call) => {
    const session = await open({
      tools: [{ name: 'one', risk: 'read', run: () => 1 }] as never,
      model: scripted(() => 'said'),
    })
    const { error, calls } = await session.evalCell(`await tools.one({}); await ${call}`)
    expect(error).toMatchObject({ code: 'INPUT_INVALID', line: 1 })
    expect(error?.message).toMatch(/`[\w.]+` takes one argument, and 2 are given .* one object/)
    expect(calls).toEqual([])
    const { value } = await session.evalCell('(await Promise.all(["a", "b"].map(model_query))).length')
    expect(value).toBe(2)
  })

  it('an answer in two arguments is refused: the second one would be lost', async () => {
    const session = await open()
    const { error, finalAnswer } = await session.evalCell('answer("The total is", 5)')
    expect(error?.message).toContain('answer takes one value')
    expect(finalAnswer).toBeUndefined()
  })

  it('a value of the host that is no data is a text in cells', async () => {
    const session = await open({ tools: [{ name: 'one', risk: 'read', run: () => () => 1 }] as never })
    session.variables.set('made', [Symbol('x'), 1n] as never)
    expect((await session.evalCell('[...made, await tools.one({})]')).value).toEqual(['[symbol]', '1', '[function]'])
  })
})

describe('limits of a session', () => {
  it('cannot be caught', async () => {
    const session = await open({ model: scripted(['x']), policy: { maxModelCalls: 1 } })
    const { error, stdout } = await session.evalCell(
      'await model_query("a"); try { await model_query("b") } catch { print("caught") } print("on")',
    )
    expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED' })
    expect(stdout).toBe('')
  })

  it('hold over the cells of a session', async () => {
    const session = await open({ policy: { maxIterations: 1 } })
    await session.evalCell('1')
    expect((await session.evalCell('2')).error).toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })

  it('refuse names that are not known', async () => {
    await expect(open({ policy: { maxCells: 1 } as never })).rejects.toThrow(/maxCells/)
  })
})

describe('what is shown of a variable', () => {
  it('does not run its getters: they could run for ever where no limit of a cell holds', async () => {
    const session = await open()
    await session.evalCell('let ran = 0; const o = { a: 1, get b() { while (true) ran += 1 }, set c(x) {} }')
    const { stdout, error } = await session.evalCell('print(o); show_vars()')
    expect(error).toBeUndefined()
    expect(stdout).toBe('{"a":1,"b":[Getter],"c":[Setter]}\no = {"a":1,"b":[Getter],"c":[Setter]}\nran = 0\n')
    expect(await session.variables.get('o')).toEqual({ a: 1, b: '[Getter]', c: '[Setter]' })
  })

  it.each([
    ['throw { code: 404, why: ["gone"] }', 'The program threw {"code":404,"why":["gone"]}, which is no error.'],
    ['throw { get message() { return tools } }', 'The program threw {"message":[Getter]}, which is no error.'],
    ['throw { message: "own words" }', 'own words'],
    ['throw ["x".repeat(600)]', `The program threw ["${'x'.repeat(498)}…, which is no error.`],
  ])('the error of %s says what was thrown', async (source, message) => {
    expect((await (await open()).evalCell(source)).error).toMatchObject({ code: 'MIND_FAILED', message })
  })
})
