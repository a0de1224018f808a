import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import { connectMcp } from 'mandate/mcp'
import { openPostgres } from 'mandate/postgres'
import { httpServer, mcpServer } from 'mandate/server'
import { openStore } from 'mandate/sqlite'
import { z } from 'zod'

/** What a server does in a bundle: its store starts a thread, and `ai`, which is installed, is found; what is not installed is told by name. */
async function main(): Promise<void> {
  const pay = defineTool({
    name: 'pay',
    risk: 'write',
    needsApproval: true,
    inputSchema: z.object({ order: z.string() }),
    run: ({ order }) => ({ order }),
  })
  const model = scripted([{ toolCalls: [{ name: 'pay', input: { order: 'A-17' } }] }, 'Paid.'])
  const store = await openStore({ dir: mkdtempSync(join(tmpdir(), 'mandate-bundled-')) })
  const service = new AgentService({ store, agents: [{ id: 'support', model, tools: [pay] }] })
  const server = httpServer(service, { authenticate: () => ({ id: 'ana', roles: ['owner'] }) })
  const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Pay.' }] }
  const body = JSON.stringify({ id: 'c', trigger: 'submit-message', messages: [message] })
  const headers = { host: 'localhost', 'content-type': 'application/json' }
  const chat = new Request('http://localhost/api/chat/support', { method: 'POST', headers, body })
  const answer = await server.fetch(chat)
  const isAsked = (await answer.text()).includes('tool-approval-request')
  const [request] = await service.approvals()
  await service.approve(request!.id)
  const { text } = await service.resume(request!.run)
  const missing = await Promise.all([
    refused(mcpServer({ service, agents: ['support'] })),
    refused(connectMcp({ command: 'true' }, { name: 'files' })),
    refused(openPostgres({ url: 'postgres://127.0.0.1:1/x' })),
  ])
  await server.close()
  await service.stop()
  console.log(JSON.stringify([answer.status, isAsked, text, missing]))
}

/** The command that an error names. */
async function refused(opening: Promise<unknown>): Promise<string> {
  const said = await opening.then(() => 'opened', String)
  return /`(npm install [^`]*)`/.exec(said)?.[1] ?? said
}

void main()
