// app/api/chat/[...path]/route.ts of a Next.js application: the paths are those of Mandate's server, so requests are passed on as they are.
import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import { httpServer, recoverRuns } from 'mandate/server'

const refund = defineTool({
  name: 'refund',
  description: 'Pays an order back.',
  risk: 'write',
  needsApproval: true,
  inputSchema: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
  run: ({ order }: { order: string }) => ({ order, refunded: true }),
})

// With a key: model: 'openai/gpt-5', and a store, so that conversations outlive the process.
const model = scripted([{ toolCalls: [{ name: 'refund', input: { order: 'A-17' } }] }, 'Order A-17 is paid back.'])
export const service: AgentService = new AgentService({ agents: [{ id: 'support', model, tools: [refund] }] })

/** Stands for the sessions of the application. */
const signedIn = new Map([['s3ss10n', { id: 'ana', roles: ['owner'] }]])

const server = httpServer(service, {
  authenticate: (request) => signedIn.get(request.headers.get('x-session') ?? ''),
  hosts: ['app.example.com'],
})
await recoverRuns(service)

export const GET = (request: Request): Promise<Response> => server.fetch(request)
export const POST = (request: Request): Promise<Response> => server.fetch(request)
export const DELETE = (request: Request): Promise<Response> => server.fetch(request)
