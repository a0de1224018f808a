// The paths are those of Mandate's server, so requests are passed on as they are.
import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import { httpServer, recoverRuns } from 'mandate/server'
import type { HttpServer } from 'mandate/server'
import { openStore } from 'mandate/sqlite'
import { z } from 'zod'

const refund = defineTool({
  name: 'refund',
  description: 'Pays an order back.',
  risk: 'write',
  needsApproval: true,
  inputSchema: z.object({ order: z.string() }),
  run: ({ order }) => ({ order, refunded: true }),
})

// With the key of a provider: const model = 'openai/gpt-5-mini'
const model = scripted([{ toolCalls: [{ name: 'refund', input: { order: 'A-17' } }] }, 'Order A-17 is paid back.'])

async function open(): Promise<HttpServer> {
  const store = await openStore({ dir: '.mandate' })
  const service = new AgentService({ store, agents: [{ id: 'support', model, tools: [refund] }] })
  const server = httpServer(service, {
    // Here belong the sessions of your application: `undefined` refuses a request.
    authenticate: () => ({ id: 'ana', roles: ['owner'] }),
    // Where the application is deployed: hosts: ['app.example.com']
  })
  await recoverRuns(service)
  return server
}

// Opened by the first request, because `next build` imports this file too.
let server: Promise<HttpServer> | undefined

async function handle(request: Request): Promise<Response> {
  return (await (server ??= open())).fetch(request)
}

export { handle as DELETE, handle as GET, handle as POST }
