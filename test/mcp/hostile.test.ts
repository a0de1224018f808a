import { connectMcp } from 'mandate/mcp'
import { describe, expect, it } from 'vitest'
import { errorInfo } from '../../src/core/index.ts'
import { callTool, connected, notesFile, stdioServer } from './bench.ts'

const QUICK = { timeoutMs: 400, connectTimeoutMs: 2_000 }

describe('a hostile list of tools', () => {
  it('loses what deceives, with a reason each, and keeps the rest', async () => {
    const connection = await connected('hostile')
    const kept = connection.tools.map(({ name }) => name)
    expect(kept.slice(0, -1)).toEqual(['fix__good', 'fix__wiper', 'fix__orders', 'fix__loop', 'fix__regex'])
    // Two servers' long names must not become one.
    expect(kept.at(-1)).toMatch(/^fix__n{50}_[0-9a-f]{8}$/)
    const refused = Object.fromEntries(connection.refused.map(({ name, reason }) => [name.slice(0, 20), reason]))
    expect(Object.keys(refused)).toEqual([
      ...['bad name', 'http\u200Bget', 'p\u0430yment', '../etc', 'x'.repeat(20), 'twice', 'hidden', 'turned'],
      ...['listed', 'outside', 'deep', 'huge'],
    ])
    expect(refused['hidden']).toContain('hide')
    expect(refused['outside']).toContain('another document')
  })

  it('cannot lower a risk, only raise it; the host can do both', async () => {
    const risk = { orders: 'exec', good: 'read' } as const
    const connection = await connected('hostile', { risk })
    const risks = Object.fromEntries(connection.tools.map((tool) => [tool.name, tool.risk]))
    expect(risks).toMatchObject({
      fix__good: 'read',
      fix__wiper: 'destructive',
      fix__orders: 'exec',
      fix__regex: 'write',
    })
    const plain = await connected('hostile')
    expect(plain.tools.find(({ name }) => name === 'fix__good')!.risk).toBe('write')
  })

  it('marks descriptions as the words of the server and cuts them', async () => {
    const { tools } = await connected('hostile')
    const { description = '' } = tools.find(({ name }) => name === 'fix__orders')!
    expect(description).toMatch(/^\[MCP server "fix", definition [0-9a-f]{16}; the text is the server's\] Ignore/)
    expect(description.length).toBeLessThan(4_200)
  })

  it('has inputs checked: unknown arguments are refused, endless schemas and patterns stop nothing', async () => {
    const { tools } = await connected('hostile')
    const check = async (name: string, input: object): Promise<boolean> =>
      (await tools.find((tool) => tool.name === `fix__${name}`)!.validate(input as never)).valid
    expect(await check('good', { path: 'a' })).toBe(true)
    expect(await check('good', { path: 'a', sudo: true })).toBe(false)
    expect(await check('good', {})).toBe(false)
    expect(await check('loop', { a: 1 })).toBe(false)
    expect(await check('regex', { text: `${'a'.repeat(64)}!` })).toBe(true)
  })

  it('is bounded in number and in pages', async () => {
    const many = await connected('many')
    expect(many.tools).toHaveLength(512)
    expect(many.refused.at(-1)?.reason).toContain('10000')
    const error = await failure('endless-pages')
    expect(error).toMatchObject({
      code: 'CONNECTOR_FAILED',
      message: expect.stringContaining('does not list its tools'),
    })
  })

  it('offers no more than the allow list, and a name on it that is missing is a mistake that is told', async () => {
    const connection = await connected('honest', { tools: ['echo'] })
    expect(connection.tools.map(({ name }) => name)).toEqual(['fix__echo'])
    const wrong = connectMcp(stdioServer('honest', { tools: ['ecko'] }), { name: 'fix' })
    await expect(wrong).rejects.toThrow('"ecko", which it does not list')
  })
})

describe('a server that misbehaves', () => {
  it.each(['garbage', 'other-ids', 'twice'])('is heard only where it answers: %s', async (mode) => {
    const connection = await connected(mode, QUICK)
    for (const text of ['one', 'two'])
      expect(await callTool(connection, 'echo', { text })).toMatchObject({ value: text })
  })

  it.each([
    [
      'long-line',
      { ...QUICK, maxMessageBytes: 1_000_000, timeoutMs: 5_000 },
      'echo',
      'CONNECTOR_FAILED',
      'a line of more than 1000000 bytes',
    ],
    ['garbage-for-ever', { ...QUICK, timeoutMs: 5_000 }, 'echo', 'CONNECTOR_FAILED', 'lines that are no messages'],
    ['progress-for-ever', QUICK, 'slow', 'TIMEOUT', ''],
    ['stderr-for-ever', QUICK, 'slow', 'TIMEOUT', ''],
    ['results', QUICK, 'deep', 'TIMEOUT', ''],
  ])('ends in an error result: %s', async (mode, more, tool, code, text) => {
    const connection = await connected(mode, more)
    const { error } = await callTool(connection, tool)
    expect(error).toMatchObject({ code, message: expect.stringContaining(text) })
    expect(error!.message.length).toBeLessThan(4_000)
  })

  it('that says all the time that its tools changed is not listed all the time', async () => {
    const notes = notesFile()
    const connection = await connected('changes-for-ever', QUICK, { notes: notes.path })
    expect((await callTool(connection, 'slow')).error?.code).toBe('TIMEOUT')
    expect(notes.lines().filter((line) => line === 'list').length).toBeLessThan(20)
    expect(await callTool(connection, 'echo', { text: 'still there' })).toMatchObject({ value: 'still there' })
  })

  it.each([
    ['never-answers', 'TIMEOUT'],
    ['wrong-version', 'CONNECTOR_FAILED'],
  ])('is not connected to when it cannot agree: %s', async (mode, code) => {
    expect(await failure(mode)).toMatchObject({ code })
  })

  it('is a clear error when there is no such program', async () => {
    const error = await connectMcp({ command: 'no-such-program-anywhere' }, { name: 'fix' }).catch(errorInfo)
    expect(error).toMatchObject({ code: 'CONNECTOR_FAILED', message: expect.stringContaining('ENOENT') })
  })
})

describe('a definition that changes', () => {
  it('makes the next call ask; a call that was not asked about is refused and not made', async () => {
    const changes: unknown[] = []
    const connection = await connected('changing', {}, { onChange: (change) => void changes.push(change) })
    const pay = connection.tools.find(({ name }) => name === 'fix__pay')!
    const asks = (): unknown => (pay.needsApproval as (input: object) => boolean)({})
    expect([asks(), (await callTool(connection, 'pay')).value]).toEqual([false, 'paid'])
    await callTool(connection, 'change')
    await expect.poll(() => changes).toEqual([{ server: 'fix', added: ['extra'], removed: ['gone'], changed: ['pay'] }])
    expect((await callTool(connection, 'pay')).error).toMatchObject({ code: 'APPROVAL_REQUIRED' })
    expect(asks()).toBe(true)
    expect((await callTool(connection, 'pay')).value).toBe('paid')
    expect((await callTool(connection, 'gone')).error?.code).toBe('TOOL_UNKNOWN')
    expect(connection.tools.map(({ name }) => name)).not.toContain('fix__extra')
  })

  it('is noticed over restarts where the host keeps the hashes', async () => {
    const { definitions } = await connected('changing')
    const pins = { ...definitions, pay: 'the hash of last week' }
    const connection = await connected('changing', { pins })
    expect((await callTool(connection, 'pay')).error).toMatchObject({
      code: 'APPROVAL_REQUIRED',
      info: { pinned: pins.pay },
    })
    expect((await callTool(connection, 'change')).value).toBeDefined()
  })
})

async function failure(mode: string): Promise<unknown> {
  return connectMcp(stdioServer(mode, QUICK), { name: 'fix' }).then(
    async (connection) => connection.close(),
    (error: unknown) => errorInfo(error),
  )
}
