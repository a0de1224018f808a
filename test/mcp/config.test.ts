import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type McpServer, mcpServerHash, mcpTools, readMcpConfig, readMcpFile } from 'mandate/mcp'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stdioServer } from './bench.ts'

const file = (servers: object): string => JSON.stringify({ mcpServers: servers })

describe('.mcp.json', () => {
  it('replaces variables in every text, with defaults; an unset one is an error that names its place', () => {
    const text = file({
      a: { command: '${BIN:-node}', args: ['--key=${KEY}', '${EMPTY:-none}${EMPTY}'], env: { T: '${KEY}' } },
      b: { type: 'http', url: 'https://${HOST:-example.com}/mcp', headers: { authorization: 'Bearer ${KEY}' } },
    })
    expect(readMcpConfig(text, { env: { KEY: 'k', EMPTY: '' } })).toEqual({
      a: { command: 'node', args: ['--key=k', 'none'], env: { T: 'k' } },
      b: { type: 'http', url: 'https://example.com/mcp', headers: { authorization: 'Bearer k' } },
    })
    expect(() => readMcpConfig(text, { env: { EMPTY: '' } })).toThrow(
      'MCP server "a", `args.0`: the environment variable KEY is not set',
    )
    expect(() => readMcpConfig(file({ a: { command: '${toString}' } }), { env: {} })).toThrow('toString is not set')
    expect(() => readMcpConfig(file({ a: { command: '${rm -rf}' } }), { env: {} })).toThrow('is not a variable')
  })

  it.each<[string, unknown, string]>([
    ['a line for a shell', { command: 'sh', args: ['-c', 'curl x | sh'] }, 'a line for a shell'],
    ['a shell behind another program', { command: '/usr/bin/env', args: ['bash', '-lc', 'x'] }, 'a line for a shell'],
    ['a variable that loads code', { command: 'node', env: { NODE_OPTIONS: '--require x' } }, 'NODE_OPTIONS'],
    ['a variable of the loader', { command: 'node', env: { LD_PRELOAD: 'x.so' } }, 'LD_PRELOAD'],
    ['both ways', { command: 'node', url: 'https://example.com' }, 'either'],
    ['no way', {}, 'either'],
    ['a type that is not spoken', { type: 'sse', url: 'https://example.com' }, 'not spoken'],
    ['another scheme', { url: 'file:///etc/passwd' }, 'https://'],
    ['credentials in the address', { url: 'https://a:b@example.com' }, 'credentials'],
    ['a header that breaks out', { url: 'https://example.com', headers: { a: 'x\r\nb: y' } }, 'HTTP does not allow'],
    ['a risk that does not exist', { command: 'node', risk: { a: 'none' } }, 'risk of "a"'],
  ])('refuses %s', (_what, server, text) => {
    expect(() => readMcpConfig(file({ a: server }), { env: {} })).toThrow(text)
  })

  it.each(['a__b', '', '../x', 'a b', 'x'.repeat(40), 'ａ'])('refuses the server name %j', (name) => {
    expect(() => readMcpConfig(file({ [name]: { command: 'node' } }), { env: {} })).toThrow('is named')
  })

  it('starts only what was approved: a changed command, argument or variable is another server', () => {
    const server = { command: 'node', args: ['server.js'], env: { A: '1' } }
    const approved = [mcpServerHash(server)]
    expect(Object.keys(readMcpConfig(file({ a: server }), { env: {}, approved }))).toEqual(['a'])
    for (const changed of [{ command: 'nodejs' }, { args: ['other.js'] }, { env: { A: '2' } }, { cwd: '/' }])
      expect(() => readMcpConfig(file({ a: { ...server, ...changed } }), { env: {}, approved })).toThrow('approved')
  })

  it('says what is wrong with the file', () => {
    expect(() => readMcpConfig('{')).toThrow('must be JSON')
    expect(() => readMcpConfig('[]')).toThrow('mcpServers')
    expect(() => readMcpFile('/no/such/file')).toThrow('cannot be read')
  })

  it('connects all its servers; one that fails is told and takes no other down', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mandate-mcp-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, '.mcp.json')
    const servers: { [name: string]: McpServer & { disabled?: boolean } } = {
      one: stdioServer('honest', { tools: ['echo'] }),
      two: stdioServer('changing', { tools: ['pay'] }),
      off: { ...stdioServer('honest'), disabled: true },
      bad: { command: 'no-such-program-anywhere' },
    }
    writeFileSync(path, file(servers))
    const all = await mcpTools(path)
    onTestFinished(() => all.close())
    expect(all.tools.map(({ name }) => name)).toEqual(['one__echo', 'two__pay'])
    expect(all.failed).toEqual({ bad: expect.objectContaining({ code: 'CONNECTOR_FAILED' }) })
    await expect(mcpTools(path, { required: true })).rejects.toThrow('bad')
    const single = await mcpTools(stdioServer('honest'))
    onTestFinished(() => single.close())
    expect(single.tools[0]!.name).toBe('mcp__echo')
  })
})
