import { describe, expect, it } from 'vitest'
import { Agent, AgentService, defineTool } from 'mandate'
import type { AgentConfig, ServiceOptions } from 'mandate'
import { memoryJournal } from 'mandate/journal'
import { scripted, textOf } from 'mandate/model'
import { codeMode, openContext } from 'mandate/repl'
import { fakeClock } from 'mandate/testing'

const cell = (source: string): string => `\`\`\`js\n${source}\n\`\`\``
const tool = (name: string, run: (input: never) => unknown, more: object = {}) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    risk: 'read',
    inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
    run,
    ...more,
  } as never)

function service(config: AgentConfig, options: ServiceOptions = {}): AgentService {
  return new AgentService({ ...options, agents: [{ id: 'main', mode: 'code', ...config }, ...(options.agents ?? [])] })
}

describe("an agent with `mode: 'code'`", () => {
  it('answers by cells whose variables stay, and calls its tools as functions', async () => {
    const model = scripted([
      cell("const found = await tools.search({ q: 'tea' })\nprint(found.length)"),
      cell('answer(`There are ${found.length} kinds: ${found.join()}`)'),
    ])
    const agent = new Agent({ id: 'main', mode: 'code', model, tools: [tool('search', () => ['green', 'black'])] })
    const { status, result } = await agent.run('Which teas are there?')
    expect({ status, result }).toEqual({ status: 'completed', result: 'There are 2 kinds: green,black' })
    const [first, second] = model.requests.map(({ messages }) => messages)
    expect(textOf(first![0]!)).toContain('tools.search({ q?: string }): Promise<any>')
    expect(textOf(second!.at(-1)!)).toContain('Printed:\n2')
    expect(textOf(second!.at(-1)!)).toContain('Variables set: found')
    await agent.stop()
  })

  it('is told of errors with their place, keeps what was set, and mends', async () => {
    const model = scripted([cell('nope()'), cell("answer('ok')")])
    expect(await service({ model }).run('main', 'Go.')).toMatchObject({ result: 'ok' })
    expect(textOf(model.requests[1]!.messages.at(-1)!)).toMatch(/Error \(.*nope/s)
    const later = scripted([cell('let a = 1\nprint("x")\nnull.x'), cell('answer(String(a + 1))')])
    const { result } = await service({ model: later }).run('main', 'Go.')
    expect(result).toBe('2')
    expect(textOf(later.requests[1]!.messages.at(-1)!)).toContain('Printed:\nx')
  })

  it('cannot reach a tool that is not its own, nor one that its mandate denies', async () => {
    const model = scripted([
      cell(
        [
          'const got = []',
          "for (const tool of ['other', 'wipe', 'look'])",
          '  try { got.push(await tool_call({ tool })) } catch (error) { got.push(error.message) }',
          'print(JSON.stringify(got))',
        ].join('\n'),
      ),
      cell("answer('ok')"),
    ])
    const tools = [tool('look', () => 'seen'), tool('wipe', () => 'wiped')]
    const host = service({ model, tools, mandate: { deny: ['wipe'] } }, { tools: [tool('other', () => 'other')] })
    expect((await host.run('main', 'Go.')).status).toBe('completed')
    const told = textOf(model.requests[1]!.messages.at(-1)!)
    expect(told).toContain('There is no tool \\"other\\" here')
    expect(told).toMatch(/wipe.*seen/s)
    expect(told).not.toContain('wiped')
  })

  it('waits for approvals inside Promise.all, is resumed elsewhere, and repeats no sibling', async () => {
    const journal = memoryJournal()
    let calls = 0
    const tools = [tool('look', () => ++calls), tool('wipe', () => 'wiped', { needsApproval: true })]
    const script = [
      cell('const both = await Promise.all([tools.look({}), tools.wipe({})])\nprint(both.join())'),
      cell('answer(both.join())'),
    ]
    const first = service({ model: scripted(script), tools }, { journal })
    const waiting = await first.run('main', 'Go.')
    expect(waiting).toMatchObject({ status: 'await_user', pending: [{ name: 'wipe' }] })
    const second = service({ model: scripted(script), tools }, { journal })
    await second.approve((await second.approvals())[0]!.id)
    const result = await second.resume(waiting.id)
    expect(result).toMatchObject({ status: 'completed', result: '1,wiped' })
    expect(calls).toBe(1)
    expect(await second.replay(result.id)).toMatchObject({ identical: true })
    expect(await second.verify(result.id)).toMatchObject({ ok: true })
  })

  it('spends one budget: calls of cells, and the cells of agents that they call, count for it', async () => {
    const helper = {
      id: 'helper',
      mode: 'code' as const,
      model: scripted([cell("answer(await model_query({ prompt: 'x' }))"), 'y'], { name: 'b' }),
    }
    const model = scripted([cell("print(await agent_query({ agent: 'helper', prompt: 'Go.' }))"), cell("answer('ok')")])
    const host = service({ model, agents: ['helper'], budget: { modelCalls: 3 } }, { agents: [helper] })
    const result = await host.run('main', 'Go.')
    expect(result).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } })
    expect(model.requests).toHaveLength(1)
  })

  it('finds the variables of earlier runs of its session, and of no other session', async () => {
    const model = scripted(({ messages }) =>
      textOf(messages.findLast(({ role }) => role === 'user')!) === 'Keep it.'
        ? cell('let n = 41\nanswer("kept")')
        : cell('answer(String(n + 1))'),
    )
    const agent = new Agent({ id: 'main', mode: 'code', model })
    expect((await agent.run('Keep it.')).result).toBe('kept')
    expect((await agent.run('One more.')).result).toBe('42')
    const other = await agent.createSession().run('One more.')
    expect(JSON.stringify(other.messages)).toContain('`n` is not defined')
    expect(other).toMatchObject({ status: 'failed', error: { code: 'NO_PROGRESS' } })
    await agent.stop()
  })

  it('ends at its limit of turns with everything that it did', async () => {
    const model = scripted([cell('let n = 1'), cell('n += 1'), cell('n += 1')])
    const result = await service({ model, maxTurns: 3 }).run('main', 'Go.')
    expect(result).toMatchObject({ status: 'max_turns' })
    expect(result.messages.length).toBeGreaterThan(4)
  })

  it('has a limit of time for each cell, and goes on after it', async () => {
    const clock = fakeClock()
    const model = scripted([
      cell('let n = 1\nawait tools.slow({})\nn = 2'),
      cell('while (true) {}'),
      cell("answer('ok')"),
    ])
    const mode = codeMode({ policy: { timeoutMs: 200 } })
    const tools = [tool('slow', () => (clock.advance(300), 'done'))]
    expect(await service({ model, mode, tools }, { clock }).run('main', 'Go.')).toMatchObject({ result: 'ok' })
    expect(textOf(model.requests[1]!.messages.at(-1)!)).toMatch(/Error \(LIMIT_EXCEEDED.*timeMs/s)
  })

  it('cuts what it shows to the model, and keeps the whole in variables', async () => {
    const model = scripted([cell("const long = 'x'.repeat(5000)\nprint(long)"), cell('answer(String(long.length))')])
    const mode = codeMode({ policy: { shownChars: 100 } })
    expect(await service({ model, mode }).run('main', 'Go.')).toMatchObject({ result: '5000' })
    expect(textOf(model.requests[1]!.messages.at(-1)!).length).toBeLessThan(500)
  })

  it('finds its input in `context`, which no prompt shows', async () => {
    const context = `${'hay '.repeat(5000)}needle${' hay'.repeat(5000)}`
    const model = scripted([cell("answer(String(context.indexOf('needle')))")])
    const mode = codeMode({ template: 'context-explorer' })
    const result = await service({ model, mode }).run('main', 'Where?', { context })
    expect(result.result).toBe('20000')
    expect(JSON.stringify(model.requests)).not.toContain('hay hay')
    expect(textOf(model.requests[0]!.messages[0]!)).toContain('a text of 40006 characters')
  })

  it('hands parts of its context to itself, each with its own variables, one budget and a depth that the host keeps', async () => {
    const context = Array.from({ length: 4 }, (_, part) => `${'x'.repeat(2000)}${'needle'.repeat(part)}`).join('|')
    const asked: string[] = []
    const model = scripted((request) => {
      const text = textOf(request.messages.find(({ role }) => role === 'user')!)
      asked.push(text)
      if (text.startsWith('Count'))
        return cell(
          "const n = context.split('needle').length - 1\nanswer(typeof own === 'undefined' ? String(n) : own)",
        )
      if (text.startsWith('How many') && request.messages.length < 3) return cell("const own = 'of the first'")
      if (text.startsWith('How many'))
        return cell(
          [
            "const parts = context.split('|').map((part) => ({ prompt: 'Count the needles.', context: part }))",
            'const counts = await rlm_query_batched(parts)',
            'answer(String(counts.reduce((sum, one) => sum + Number(one.value), 0)))',
          ].join('\n'),
        )
      return 'plain'
    })
    const mode = codeMode({ template: 'context-explorer', policy: { plainChars: 100 } })
    const host = service({ model, mode })
    const result = await host.run('main', 'How many needles?', { context })
    expect(result).toMatchObject({ status: 'completed', result: '6' })
    expect(asked.filter((text) => text.startsWith('Count'))).toHaveLength(4)
    expect(JSON.stringify(model.requests)).not.toContain('xxxx')
    expect(await host.replay(result.id)).toMatchObject({ identical: true })
    const before = asked.length
    await service({ model, mode, budget: { modelCalls: 3 } }).run('main', 'How many needles?', { context })
    expect(asked.length - before).toBe(3)
    const shallow = codeMode({ template: 'context-explorer', policy: { plainChars: 100, maxDepth: 1 } })
    expect((await service({ model, mode: shallow }).run('main', 'How many needles?', { context })).result).toBe('NaN')
  })

  it('reads a file that no prompt holds, and hands parts of it to itself', async () => {
    const text = Array.from({ length: 4_000 }, (_, line) => `line ${line}${line % 1_000 === 7 ? ' needle' : ''}`).join(
      '\n',
    )
    const source = {
      label: 'lines.txt',
      size: async () => text.length,
      read: async (start: number, end: number) => new TextEncoder().encode(text).slice(start, end),
    }
    const model = scripted((request) => {
      const asked = textOf(request.messages.find(({ role }) => role === 'user')!)
      if (asked.startsWith('Count')) return cell("answer(String(await context.count('needle')))")
      if (asked.startsWith('Read')) return `${asked.split('needle').length - 1} here`
      return cell(
        [
          "const parts = await context.chunks({ size: 20_000, by: 'lines' })",
          "const counts = await rlm_query_batched(parts.map((part) => ({ prompt: 'Count the needles.', context: part })))",
          "const [{ at }] = await context.search('needle')",
          "const near = await rlm_query({ prompt: 'Read.', context: { ...parts[0], from: at, to: at + 50 } })",
          'answer(JSON.stringify([parts.length, counts.map((one) => one.value), near]))',
        ].join('\n'),
      )
    })
    const mode = codeMode({ template: 'context-explorer', policy: { plainChars: 100 } })
    const host = service({ model, mode })
    const context = await openContext(host, { sessionId: 'large', context: source })
    const result = await host.run('main', 'How many needles?', { sessionId: 'large', context })
    const [parts, found, near] = JSON.parse(String(result.result)) as [number, string[], string]
    expect(parts).toBe(Math.ceil(text.length / 20_000))
    expect(found).toEqual(['3', '1'])
    expect(near).toBe('1 here')
    expect(JSON.stringify(model.requests)).not.toContain('line 50')
    expect(textOf(model.requests[0]!.messages[0]!)).toContain('declare const context')
    expect(await host.replay(result.id)).toMatchObject({ identical: true })
  })

  it('answers short contexts without cells where it is told to', async () => {
    const model = scripted(['It is tea.'])
    const mode = codeMode({ template: 'context-explorer', plainBelow: 1000 })
    const result = await service({ model, mode }).run('main', 'What is it?', { context: 'Tea.' })
    expect(result.result).toBe('It is tea.')
    expect(textOf(model.requests[0]!.messages[0]!)).toBe('Context:\nTea.')
  })

  it('refuses options that cannot be meant', () => {
    expect(() => codeMode({ templat: 'general' } as never)).toThrow(/template/)
    expect(() => codeMode({ template: 'generic' as never })).toThrow(/context-explorer/)
    expect(() => codeMode({ policy: { maxIterations: 3 } as never })).toThrow(/maxTurns/)
    expect(() => codeMode({ policy: { timeout: 3 } as never })).toThrow(/timeoutMs/)
  })
})
