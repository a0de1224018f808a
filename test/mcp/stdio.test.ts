import { connectMcp } from 'mandate/mcp'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callTool, connected, notesFile, stdioServer } from './bench.ts'

describe('a server over stdio', () => {
  it('offers its tools under its name, marked as untrusted, with the hash of their definition', async () => {
    const connection = await connected('honest')
    expect(connection.tools.map(({ name }) => name)).toEqual([
      'fix__echo',
      'fix__slow',
      'fix__crash',
      'fix__environment',
    ])
    const [echo] = connection.tools
    expect(echo).toMatchObject({ risk: 'write', safeByDefault: false, labels: ['untrusted:mcp', 'source:mcp:fix'] })
    expect(echo!.description).toContain(connection.definitions['echo']!.slice(0, 16))
    expect(connection.server).toEqual({ name: 'fixture', version: '1', protocol: '2025-11-25' })
    expect(await callTool(connection, 'echo', { text: 'hello' })).toMatchObject({ value: 'hello' })
  })

  it.each(['dies-at-unknown', 'silent-at-unknown', 'paged'])('is spoken to in its own version: %s', async (mode) => {
    const connection = await connected(mode, { connectTimeoutMs: 2_000 })
    expect(connection.tools).toHaveLength(4)
    expect(await callTool(connection, 'echo', { text: 'hello' })).toMatchObject({ value: 'hello' })
  })

  it('gets PATH, HOME, LANG and what the configuration gives, and nothing else', async () => {
    process.env['PROVIDER_KEY'] = 'not for servers'
    onTestFinished(() => void delete process.env['PROVIDER_KEY'])
    const connection = await connected('honest', { env: { GIVEN: 'yes' } })
    const { value } = await callTool(connection, 'environment')
    const names = Object.keys(JSON.parse(value as string) as object).filter((name) => !name.startsWith('__'))
    expect(names.filter((name) => !['PATH', 'HOME', 'LANG'].includes(name))).toEqual(['GIVEN'])
  })

  it('tells progress to listeners and is told when a call is cut; what it answers then is not heard', async () => {
    const notes = notesFile()
    const connection = await connected('honest', {}, { notes: notes.path })
    const cutter = new AbortController()
    const call = callTool(connection, 'slow', {}, cutter.signal)
    await expect.poll(notes.lines).toContain('call slow')
    await callTool(connection, 'echo', { text: 'after the progress' })
    cutter.abort()
    const { error, events } = await call
    expect(error?.code).toBe('CANCELLED')
    expect(events).toEqual(
      [1, 2, 3].map((step) => ({
        event: 'tool-progress',
        data: { progress: step, total: 3, message: `step ${step}` },
      })),
    )
    await expect.poll(() => notes.lines().join()).toContain('cancelled')
    expect(await callTool(connection, 'echo', { text: 'still there' })).toMatchObject({ value: 'still there' })
  })

  it('may crash in a call: that is an error with its last words and no secrets, and the next call starts it again', async () => {
    const notes = notesFile()
    const connection = await connected('honest', { env: { KEY: 'planted-secret-value' } }, { notes: notes.path })
    const { error } = await callTool(connection, 'crash')
    expect(error).toMatchObject({ code: 'CONNECTOR_FAILED', message: expect.stringContaining('I fall over') })
    expect(error!.message).not.toMatch(/planted-secret-value|sk-ant-api03-notarealsecret/)
    expect(await callTool(connection, 'echo', { text: 'again' })).toMatchObject({ value: 'again' })
    // Once may happen; a server that keeps falling over is left alone for a while.
    for (let times = 0; times < 2; times++) await callTool(connection, 'crash')
    expect((await callTool(connection, 'echo')).error?.message).toContain('in a row')
  })

  it('ends with the connection, also when it does not want to, and everything it started with it', async () => {
    const notes = notesFile()
    const connection = await connectMcp(stdioServer('ignores-end', {}, notes.path), { name: 'fix' })
    const pid = Number(/start (\d+)/.exec(notes.lines().join())![1])
    await connection.close()
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    expect((await callTool(connection, 'echo')).error?.code).toBe('CLOSED')
  })
})

describe('what a server gives', () => {
  it.each<[string, unknown]>([
    ['image', [{ type: 'image', mediaType: 'image/png', data: 'aGVsbG8=', bytes: 6 }]],
    ['audio', [{ type: 'audio', mediaType: 'audio/wav', data: 'aGVsbG8=', bytes: 6 }]],
    ['resource', [{ type: 'resource', uri: 'test://a', mediaType: 'text/plain', text: 'inside' }]],
    ['link', [{ type: 'resource-link', uri: 'test://b', name: 'b' }]],
    [
      'mixed',
      [
        { type: 'text', text: 'seen' },
        { type: 'image', mediaType: 'image/png', data: 'aGVsbG8=', bytes: 6 },
      ],
    ],
    ['big-image', [{ type: 'image', mediaType: 'image/png', bytes: 2_700_000, omitted: 'larger than 2500000 bytes' }]],
  ])('%s becomes plain data', async (tool, expected) => {
    const connection = await connected('results')
    expect((await callTool(connection, tool)).value).toEqual(expected)
  })

  it.each([
    ['failing', 'TOOL_FAILED', 'the disk is full'],
    ['rpc-error', 'TOOL_FAILED', 'The back end is away.'],
    ['odd', 'CONNECTOR_FAILED', ''],
  ])('%s is an error result', async (tool, code, text) => {
    const connection = await connected('results')
    expect((await callTool(connection, tool)).error).toMatchObject({ code, message: expect.stringContaining(text) })
  })

  it('structured content is checked against the schema that was promised', async () => {
    const connection = await connected('structured')
    expect((await callTool(connection, 'right')).value).toEqual({ n: 1 })
    // In this version of the protocol it is an object, whatever the schema says.
    expect((await callTool(connection, 'list')).error?.code).toBe('CONNECTOR_FAILED')
    expect((await callTool(connection, 'wrong')).error?.code).toBe('OUTPUT_INVALID')
    expect((await callTool(connection, 'missing')).error?.code).toBe('OUTPUT_INVALID')
  })
})

describe('questions of a server', () => {
  it('are declined without somebody to ask: sampling, roots and forms are methods that are not there', async () => {
    const notes = notesFile()
    const connection = await connected('asks', {}, { notes: notes.path })
    const { value } = await callTool(connection, 'echo', { text: '' })
    expect(JSON.parse(value as string)).toEqual(['sample', 'roots', 'form', 'page'].map((id) => ({ id, code: -32601 })))
    expect(notes.lines()).toContain('capabilities {}')
  })

  it('reach a person through `elicit`, with the name of who asks; pages that are not https do not', async () => {
    const asked: unknown[] = []
    const elicit = async (question: unknown): Promise<{ action: 'accept'; content: { colour: string } }> => {
      asked.push(question)
      return { action: 'accept', content: { colour: 'red' } }
    }
    const connection = await connected('asks', {}, { elicit })
    const { value } = await callTool(connection, 'echo', { text: '' })
    const answers = JSON.parse(value as string) as { id: string }[]
    expect(answers.find(({ id }) => id === 'form')).toMatchObject({
      result: { action: 'accept', content: { colour: 'red' } },
    })
    expect(answers.find(({ id }) => id === 'page')).toMatchObject({ result: { action: 'decline' } })
    expect(asked).toEqual([
      { server: 'fix', message: 'Which colour?', schema: expect.objectContaining({ type: 'object' }) },
    ])
  })
})
