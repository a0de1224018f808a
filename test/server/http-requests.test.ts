import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { scripted } from '../../src/model/index.ts'
import { mcpServer } from '../../src/server/index.ts'
import type { McpDoor } from '../../src/server/index.ts'

const service = new AgentService({ agents: [{ id: 'greeter', model: scripted(['Hello.']) }] })
let server: McpDoor
let port = 0

beforeAll(async () => {
  server = await mcpServer({ service, agents: ['greeter'] })
  port = (await server.listen({ port: 0 })).port
})
afterAll(async () => {
  await server.close()
  await service.stop()
})

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

/** Sends bytes as they are and gives the status of the answer: 404, because there is no such session, for whatever is not refused before. */
function statusOf(lines: readonly string[], body = PING): Promise<number> {
  const fixed = [
    'Mcp-Session-Id: none',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
  ]
  const head = [...lines, ...fixed, `Content-Length: ${body.length}`, 'Connection: close']
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`))
    let said = ''
    socket.on('data', (data: Buffer) => (said += data.toString()))
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1])))
    socket.on('error', reject)
  })
}

const POST = 'POST /mcp HTTP/1.1'
const own = (): string => `Host: 127.0.0.1:${port}`

test('a plain request passes these checks', async () => {
  expect(await statusOf([POST, own()])).toBe(404)
})

test.each<[string, number, () => string[]]>([
  ['the port of another service in Host', 400, () => [POST, `Host: 127.0.0.1:${port === 1 ? 2 : 1}`]],
  ['no port in Host', 400, () => [POST, 'Host: localhost']],
  ['another host', 403, () => [POST, `Host: evil.example:${port}`]],
  ['an absolute target of another host', 400, () => ['POST http://evil.example/mcp HTTP/1.1', own()]],
  ['an absolute target of its own', 400, () => [`POST http://127.0.0.1:${port}/mcp HTTP/1.1`, own()]],
  ['two Host headers', 400, () => [POST, own(), 'Host: evil.example']],
  ['two Authorization headers', 400, () => [POST, own(), 'Authorization: Bearer a', 'Authorization: Bearer b']],
  ['a page of another site', 403, () => [POST, own(), 'Sec-Fetch-Site: cross-site']],
  ['a page of a sibling site', 403, () => [POST, own(), 'Sec-Fetch-Site: same-site']],
  ['a foreign origin', 403, () => [POST, own(), 'Origin: https://evil.example']],
])('%s is refused with %i', async (_what, status, lines) => {
  expect(await statusOf(lines())).toBe(status)
})

test.each([
  ['twice at the top', '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}'],
  ['twice in an argument', '{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"to":"a","to":"b"}}}'],
  ['in two spellings', '{"jsonrpc":"2.0","id":1,"method":"ping","\\u006dethod":"tools/list"}'],
  ['with much space', `{"jsonrpc":"2.0","id":1,"method"${' '.repeat(200)}:"ping","method":"tools/list"}`],
  ['in a batch', '[{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}]'],
])('a body that has a name %s is refused with 400', async (_what, body) => {
  expect(await statusOf([POST, own()], body)).toBe(400)
})

test('one name in several objects, or in a text, is no repetition', async () => {
  const params = { a: { name: 1 }, b: [{ name: 2 }, { name: 3 }], name: 'a "name":1, "name":2' }
  expect(await statusOf([POST, own()], JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params }))).toBe(404)
})

test('nothing can be offered under the name of the server’s own tool', async () => {
  const agents = [{ id: 'greeter', name: 'continue_run' }]
  await expect(mcpServer({ service, agents })).rejects.toMatchObject({
    code: 'DUPLICATE',
    message: expect.stringContaining('continue_run'),
  })
})
