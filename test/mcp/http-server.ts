import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer, type McpHttpHandler, createMcpHandler, inputRequired } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

/** Serves on loopback for the length of a test. */
export async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ url: string; server: Server }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, server }
}

/** Hands requests of Node to something shaped like `fetch`. */
export function toFetch(
  fetch: (request: Request) => Promise<Response>,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => void pass(fetch, request, response).catch(() => response.destroy())
}

async function pass(
  fetch: (request: Request) => Promise<Response>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const cutter = new AbortController()
  response.on('close', () => cutter.abort())
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
  const answer = await fetch(
    new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method!,
      headers: request.headers as Record<string, string>,
      signal: cutter.signal,
      ...(hasBody ? { body: Buffer.concat(chunks) } : {}),
    }),
  )
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  for await (const chunk of answer.body ?? []) response.write(chunk)
  response.end()
}

/** A server on the protocol's own package; it speaks all versions. `state` can be changed while it runs. */
export function honestHandler(state: { description: string } = { description: 'Says it again.' }): McpHttpHandler {
  return createMcpHandler(() => {
    const server = new McpServer({ name: 'honest', version: '2' }, { capabilities: { tools: { listChanged: true } } })
    const text = (said: string): { content: { type: 'text'; text: string }[] } => ({
      content: [{ type: 'text', text: said }],
    })
    server.registerTool(
      'echo',
      { description: state.description, inputSchema: z.object({ text: z.string() }) },
      async ({ text: said }) => text(said),
    )
    server.registerTool('wait', { inputSchema: z.object({}) }, async (_input, ctx) => {
      await new Promise((resolve) => ctx.mcpReq.signal.addEventListener('abort', resolve))
      return text('cut')
    })
    const output = z.object({ n: z.number() })
    server.registerTool('count', { inputSchema: z.object({}), outputSchema: output }, async () => ({
      ...text('{"n":7}'),
      structuredContent: { n: 7 },
    }))
    server.registerTool('confirm', { inputSchema: z.object({}) }, async (_input, ctx) => {
      const answers = ctx.mcpReq.inputResponses as { sure?: { action?: string } } | undefined
      if (answers?.sure !== undefined) return text(`the answer is ${answers.sure.action}`)
      const schema = { type: 'object' as const, properties: { sure: { type: 'boolean' as const } } }
      return inputRequired({
        inputRequests: { sure: inputRequired.elicit({ message: 'Sure?', requestedSchema: schema }) },
      })
    })
    return server
  })
}

/** A server of 2025-11-25 by hand, with sessions that it forgets when told to; `log` is what it was asked. */
export function sessionHandler(): {
  fetch(request: Request): Promise<Response>
  forget(): void
  readonly log: string[]
} {
  const log: string[] = []
  let session = 0
  const json = (id: unknown, result: object, headers: Record<string, string> = {}): Response =>
    Response.json({ jsonrpc: '2.0', id, result }, { headers })
  const tools = [{ name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }]
  return {
    log,
    forget: () => void (session += 1),
    async fetch(request) {
      if (request.method !== 'POST') {
        log.push(request.method)
        return new Response(null, { status: request.method === 'DELETE' ? 204 : 405 })
      }
      const { id, method, params } = (await request.json()) as { id?: number; method: string; params: never }
      log.push(method)
      if (method === 'initialize') {
        const { protocolVersion } = params as { protocolVersion: string }
        const said = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
        return json(id, said, { 'mcp-session-id': `s${session}` })
      }
      if (method === 'server/discover')
        return Response.json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } })
      if (request.headers.get('mcp-session-id') !== `s${session}`)
        return new Response('unknown session', { status: 404 })
      if (method === 'tools/list') return json(id, { tools })
      if (method === 'tools/call')
        return json(id, {
          content: [{ type: 'text', text: (params as { arguments: { text: string } }).arguments.text }],
        })
      return new Response(null, { status: 202 })
    },
  }
}
