import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { AgentService } from 'mandate'
import { graphRegistry } from 'mandate/graph'
import { scripted } from 'mandate/model'
import { ReplSession } from 'mandate/repl'
import type { ReplOptions } from 'mandate/repl'

/** What the module documentation of a session of cells promises, a test for each sentence. */

const services: AgentService[] = []

function newService(): AgentService {
  const service = new AgentService()
  services.push(service)
  return service
}

const open = (options: ReplOptions = {}): Promise<ReplSession> => ReplSession.open(newService(), options)

const tool = (name: string, run: (input: never, context: never) => unknown, more: object = {}): never =>
  ({ name, inputSchema: { type: 'object' }, risk: 'read', run, ...more }) as never

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

describe('a session', () => {
  it('is driven one cell at a time', async () => {
    const session = await open()
    const first = session.evalCell('await sleep(5); 1')
    await expect(session.evalCell('2')).rejects.toMatchObject({ code: 'RUN_STATE' })
    expect((await first).value).toBe(1)
  })

  it('gives undefined for a wait, as JavaScript does', async () => {
    const session = await open()
    const waits = await session.evalCell('const given = [await sleep(1), await waitUntil(new Date(0))]; await sleep(1)')
    expect([waits.value, waits.shown]).toEqual([undefined, undefined])
    expect((await session.evalCell('given.map((one) => one === undefined)')).value).toEqual([true, true])
  })

  it('evaluates each cell over a namespace in which top-level bindings survive', async () => {
    const session = await open()
    await session.evalCell('let a = 1; const b = [2]; var c = 3; function d() { return 4 }')
    expect((await session.evalCell('[a, b[0], c, d()]')).value).toEqual([1, 2, 3, 4])
  })

  it('offers models, tools and graphs as functions, and no side effects of the language', async () => {
    const session = await open()
    expect((await session.evalCell('[typeof model_query, typeof tool_call, typeof graph_run]')).value).toEqual(
      Array(3).fill('function'),
    )
    for (const source of ['fetch("http://localhost")', 'require("fs")', 'process.exit()'])
      expect((await session.evalCell(source)).status, source).toBe('failed')
  })

  it('stops a runaway script instead of hanging the host', async () => {
    const session = await open({ policy: { maxOperations: 10_000 } })
    const { error } = await session.evalCell('try { while (true) {} } catch { 1 }')
    expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', info: { limit: 'maxOperations' } })
  })

  it('captures what is printed and returned, and which variables changed', async () => {
    const session = await open()
    const { stdout, value, variablesChanged } = await session.evalCell('let b = 1; let a = 2; print("x", [1]); a + b')
    expect([stdout, value, variablesChanged]).toEqual(['x [1]\n', 3, ['a', 'b']])
  })

  it('records what is emitted and answered as data', async () => {
    const session = await open()
    const { calls, finalAnswer } = await session.evalCell('emit("step", { n: 1 }); answer("first"); answer("last")')
    expect(calls).toMatchObject([{ kind: 'emit', name: 'step', detail: { n: 1 } }])
    expect(finalAnswer).toBe('last')
    expect((await session.evalCell('answer({ n: 5 })')).finalAnswer).toBe('{"n":5}')
    expect((await session.evalCell('answer()')).error?.message).toMatch(/text/)
  })

  it('limits the bytes of the source and of the output, which is stdout and value together', async () => {
    const session = await open({ policy: { maxScriptBytes: 60, maxOutputBytes: 10 } })
    expect((await session.evalCell(`'${'é'.repeat(30)}'`)).error).toMatchObject({ info: { limit: 'maxScriptBytes' } })
    expect((await session.evalCell('print("1234567890")')).error).toMatchObject({ info: { limit: 'maxOutputBytes' } })
    const both = await session.evalCell('let kept = 1; print("12345"); "67890"')
    expect(both).toMatchObject({ error: { code: 'LIMIT_EXCEEDED' }, stdout: '12345\n', variablesChanged: ['kept'] })
    expect(both.value).toBeUndefined()
    expect((await session.evalCell('print("1234"); 1')).status).toBe('completed')
  })

  it('restores reserved names after every cell, also after one that failed', async () => {
    const session = await open({ context: { n: 1 } })
    await session.evalCell('context.n = 2; context = 3; state = 4')
    await session.evalCell('let answer = 5; const model_query = 6; throw new Error("x")')
    expect((await session.evalCell('[context, typeof answer, typeof model_query, typeof state]')).value).toEqual([
      { n: 1 },
      'function',
      'function',
      'undefined',
    ])
    expect((await session.evalCell('context = 9')).variablesChanged).toEqual([])
  })

  it('wires its functions to the registries of the service', async () => {
    const service = newService()
    graphRegistry(service).registerModel('small', scripted(['from the registry']))
    const session = await ReplSession.open(service)
    expect((await session.evalCell('await model_query({ model: "small", prompt: "x" })')).value).toBe(
      'from the registry',
    )
  })

  it('installs no generated graph that did not pass the compiler, the resolver and the review', async () => {
    const service = newService()
    const session = await ReplSession.open(service)
    const source = 'graph g { start a node a { model "none" prompt "Hi." next END } }'
    expect((await session.evalCell('await graph_define({ name: "g", source: "graph g {" })')).error?.code).toBe(
      'INPUT_INVALID',
    )
    await session.evalCell(`await graph_define({ name: 'g', source: '${source}' })`)
    expect((await session.evalCell('await graph_register("g")')).error?.code).toBe('INPUT_INVALID')
    expect((await session.evalCell('await graph_compile("g")')).error?.code).toBe('CONFIG_INVALID')
    graphRegistry(service).registerModel('none', scripted(['Hi.']))
    await session.evalCell('await graph_compile("g")')
    expect((await session.evalCell('await graph_register("g")')).status).toBe('waiting')
    expect(graphRegistry(service).blueprint('g')).toBeUndefined()
  })

  it('is no part of the package that others load', () => {
    const seen = new Set<string>()
    const visit = (file: string): void => {
      if (seen.has(file)) return
      seen.add(file)
      for (const [, path] of readFileSync(file, 'utf8').matchAll(/^(?:import|export) .*from '(\.[^']+)'/gm))
        visit(resolve(dirname(file), path!))
    }
    visit(resolve('src/agent/public.ts'))
    expect([...seen].filter((file) => /\/src\/(?:repl|vm)\//.test(file))).toEqual([])
    expect(seen.size).toBeGreaterThan(50)
  })
})

describe('the buffers of a cell', () => {
  it('are empty when it begins', async () => {
    const session = await open({ tools: [tool('t', () => 1)] })
    await session.evalCell('print("a"); answer("b"); await tools.t({})')
    const next = await session.evalCell('1')
    expect([next.stdout, next.calls, next.finalAnswer]).toEqual(['', [], undefined])
  })

  it('give what a tool gave as it is, or as text and as it is', async () => {
    const session = await open({ tools: [tool('t', () => ({ n: 1 })), tool('say', () => 'x')] })
    expect((await session.evalCell('await tool_call({ tool: "t" })')).value).toEqual({ n: 1 })
    const both = 'await tool_call_batched([{ tool: "t", structured: true }, { tool: "say", structured: true }])'
    expect((await session.evalCell(both)).value).toMatchObject([
      { ok: true, value: { content: '{"n":1}', raw: { n: 1 } } },
      { ok: true, value: { content: 'x', raw: 'x' } },
    ])
  })

  it('hold the typed error of a call, and not that of one that was caught before', async () => {
    const session = await open()
    expect((await session.evalCell('await tool_call({ tool: "none" })')).error?.code).toBe('TOOL_UNKNOWN')
    expect((await session.evalCell('await model_query({ prompt: "x", model: "none" })')).error?.code).toBe('NOT_FOUND')
    const later = await session.evalCell('try { await tool_call({ tool: "none" }) } catch {} null.x')
    expect(later.error).toMatchObject({ name: 'TypeError' })
  })

  it('show the variables as they were when the cell began', async () => {
    const session = await open()
    await session.evalCell('let a = 1')
    expect((await session.evalCell('a = 2; let b = 3; show_vars()')).stdout).toBe('a = 1\n')
  })
})

describe('variables from outside', () => {
  it('are set and read, reserved names are refused', async () => {
    const session = await open()
    session.variables.set('rows', [1, 2])
    expect(await session.variables.get('rows')).toEqual([1, 2])
    expect((await session.evalCell('rows.push(3); rows')).value).toEqual([1, 2, 3])
    expect(await session.variables.get('rows')).toEqual([1, 2, 3])
    expect(await session.variables.get('nothing')).toBeUndefined()
    for (const name of ['context', 'answer', 'tools', 'graph_run', 'a b'])
      expect(() => session.variables.set(name, 1), name).toThrow(/name/)
  })

  it('that are no data become text at the border, in both directions', async () => {
    const session = await open()
    session.variables.set('odd', { when: new Date(0), big: 10n } as never)
    expect((await session.evalCell('odd')).value).toEqual({ when: '1970-01-01T00:00:00.000Z', big: '10' })
    await session.evalCell('const f = () => 1; const m = new Map([[1, f]])')
    expect(await session.variables.get('f')).toMatch(/Function/)
    expect((await session.evalCell('({ m, f })')).value).toMatchObject({
      f: expect.stringMatching(/Function/) as string,
    })
  })
})

describe('the state of the application', () => {
  it('is what tools are called with, apart from the `state` of scripts, and can be replaced', async () => {
    const peek = tool(
      'peek',
      (_input: never, context: { metadata?: { state?: { n: number } } }) => context.metadata?.state?.n ?? null,
    )
    const session = await open({ appState: { n: 1 }, state: { n: 100 }, tools: [peek] })
    expect((await session.evalCell('[await tools.peek({}), state.n]')).value).toEqual([1, 100])
    session.setAppState({ n: 2 })
    session.setState({ n: 200 })
    expect((await session.evalCell('[await tools.peek({}), state.n]')).value).toEqual([2, 200])
    expect(session.appState).toEqual({ n: 2 })
  })
})

describe('a live session', () => {
  it('takes another policy and other capabilities, and keeps variables, counts and drafts', async () => {
    const session = await open({ policy: { maxToolCalls: 1 }, tools: [tool('one', () => 1)] })
    await session.evalCell(
      'let n = await tools.one({}); await graph_define({ name: "g", source: "graph g { start a node a { prompt \\"Hi.\\" next END } }" })',
    )
    session.setCapabilities({ tools: [tool('two', () => 2)] })
    expect((await session.evalCell('try { await tools.two({}) } catch {}')).error?.code).toBe('LIMIT_EXCEEDED')
    session.setPolicy({ maxToolCalls: 2 })
    expect(
      (await session.evalCell('[n, await tools.two({}), (await graph_diff("g", "g")).changes.length]')).value,
    ).toEqual([1, 2, 0])
    expect((await session.evalCell('tools.one')).status).toBe('completed')
    expect((await session.evalCell('await tools.one({})')).error?.code).toBe('TOOL_UNKNOWN')
  })

  it('counts over restarts', async () => {
    const service = newService()
    const options: ReplOptions = { sessionId: 's', policy: { maxToolCalls: 2 }, tools: [tool('t', () => 1)] }
    await (await ReplSession.open(service, options)).evalCell('await tools.t({})')
    const again = await ReplSession.open(service, options)
    expect((await again.evalCell('await tools.t({}); await tools.t({})')).error?.code).toBe('LIMIT_EXCEEDED')
  })
})

describe('what a model is shown', () => {
  it('is cut apart from the hard limit, without splitting characters', async () => {
    const session = await open({ policy: { shownChars: 21 } })
    const result = await session.evalCell('print("😀".repeat(50))')
    expect(result.stdout).toHaveLength(101)
    expect(session.shown(result)).toMatch(/^Printed:\n(?:😀)+\n… \d+ of 100 characters left out.*\n(?:😀)+\n/u)
  })

  it('has the types of the tools', async () => {
    const schema = { type: 'object', properties: { q: { type: 'string' }, n: { type: 'integer' } }, required: ['q'] }
    const session = await open({ tools: [tool('search', () => 1, { inputSchema: schema, description: 'Finds.' })] })
    expect(session.describe()).toContain('tools.search({ q: string, n?: number }): Promise<any>')
  })
})
