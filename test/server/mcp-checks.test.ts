import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { McpServer } from '@modelcontextprotocol/server'
import { AgentService, type Json } from 'mandate'
import { mcpServer, type McpServerOptions } from 'mandate/server'
import { defineTool } from 'mandate/tool'
import { expect, onTestFinished, test } from 'vitest'
import { manualClock } from '../../src/core/index.ts'
import type { Identity } from '../../src/journal/index.ts'
import { Sessions } from '../../src/server/mcp/sessions.ts'

const paid: string[] = []
const payment = (name: string): ReturnType<typeof defineTool> =>
  defineTool({
    name,
    inputSchema: { type: 'object' },
    risk: 'write',
    needsApproval: true,
    run: () => void paid.push(name),
  })

type Door = Awaited<ReturnType<typeof mcpServer>>

async function doorOf(options: Partial<McpServerOptions> = {}): Promise<Door> {
  paid.length = 0
  const service = new AgentService({ tools: [payment('pay'), payment('pay_again')], mandate: { grant: ['*'] } })
  onTestFinished(async () => void (await service.stop()))
  return mcpServer({ service, tools: ['pay', 'pay_again'], ...options })
}

interface Answer {
  readonly result?: {
    readonly requestState?: string
    readonly inputRequests?: Record<string, Json>
    readonly isError?: boolean
  }
  readonly error?: { readonly code: number }
}

/** Calls a tool in the newest revision, in the name of somebody. */
async function call(
  door: Door,
  name: string,
  { user = 'ann', ...params }: { user?: string; [member: string]: unknown } = {},
): Promise<Answer> {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
      },
      ...params,
    },
  }
  const headers = {
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
    'x-user': user,
  }
  const answer = await door.fetch(
    new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(body) }),
  )
  const text = await answer.text()
  return JSON.parse(text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)![1]!) as Answer
}

const byHeader = (request: Request | undefined): Identity => ({
  id: request?.headers.get('x-user') ?? 'none',
  roles: ['owner'],
})

/** What the client sends to say yes to all that was asked. */
function yes({ result }: Answer): { requestState: string | undefined; inputResponses: object } {
  const asked = Object.keys(result?.inputRequests ?? {})
  const accept = { action: 'accept', content: { decision: 'approve' } }
  return { requestState: result?.requestState, inputResponses: Object.fromEntries(asked.map((id) => [id, accept])) }
}

test('the state of a request is of use to its own caller alone', async () => {
  const door = await doorOf({ identify: byHeader })
  const asked = await call(door, 'pay')
  expect(await call(door, 'pay', { ...yes(asked), user: 'bob' })).toMatchObject({ error: { code: -32_602 } })
  expect(paid).toEqual([])
  expect((await call(door, 'pay', yes(asked))).error).toBeUndefined()
  expect(paid).toEqual(['pay'])
})

test('the state of a request of one tool is of no use to another', async () => {
  const door = await doorOf({ identify: byHeader })
  const asked = await call(door, 'pay')
  expect(await call(door, 'pay_again', yes(asked))).toMatchObject({ result: { isError: true } })
  expect(paid).toEqual([])
})

test('a state that was signed by another server is refused', async () => {
  const [door, other] = [await doorOf({ identify: byHeader }), await doorOf({ identify: byHeader })]
  expect(await call(door, 'pay', yes(await call(other, 'pay')))).toMatchObject({ error: { code: -32_602 } })
  expect(paid).toEqual([])
})

test('a key that could be guessed is refused', async () => {
  await expect(doorOf({ stateKey: 'short' })).rejects.toThrow('at least 32 characters')
})

test('an identity of a wrong shape calls nothing', async () => {
  const door = await doorOf({ identify: () => ({ id: 'ann', roles: 'owner' }) as never })
  await expect(call(door, 'pay')).rejects.toMatchObject({ code: 'INPUT_INVALID' })
})

test('over stdio, too, nothing is served to nobody', async () => {
  const source = `
    import { AgentService } from 'mandate'
    import { mcpServer } from 'mandate/server'
    const server = await mcpServer({ service: new AgentService(), identify: () => undefined })
    server.stdio()
    process.stdin.on('end', () => setTimeout(() => process.exit(), 200))`
  const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning', '--input-type=module', '-e']
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const said = spawnSync(process.execPath, [...flags, source], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`,
    encoding: 'utf8',
    timeout: 30_000,
  })
  expect(said.stdout).not.toContain('"result"')
  expect(said.stdout + said.stderr).toMatch(/nobody for stdio|"error"/)
})

const ANN: Identity = { id: 'ann', roles: ['owner'] }

async function sessionsWith(
  clock: ReturnType<typeof manualClock>,
): Promise<{ open(): Promise<string>; status(id: string): Promise<number> }> {
  const sessions = new Sessions(clock, async () => new McpServer({ name: 's', version: '1' }))
  onTestFinished(() => sessions.close())
  const send = (method: string, params: object, session?: string): Promise<Response> => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return sessions.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }), ANN)
  }
  const handshake = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  return {
    open: async () => (await send('initialize', handshake)).headers.get('mcp-session-id')!,
    status: async (id) => (await send('ping', {}, id)).status,
  }
}

test('a session that nobody uses is over', async () => {
  const clock = manualClock(0)
  const { open, status } = await sessionsWith(clock)
  const id = await open()
  expect(await status(id)).toBe(200)
  clock.advance(31 * 60_000)
  expect(await status(id)).toBe(404)
})

test('of too many sessions the one that was silent longest makes room', async () => {
  const clock = manualClock(0)
  const { open, status } = await sessionsWith(clock)
  const first = await open()
  clock.advance(1)
  const second = await open()
  for (let i = 0; i < 999; i++) await open()
  expect(await status(first)).toBe(404)
  expect(await status(second)).toBe(200)
}, 60_000)
