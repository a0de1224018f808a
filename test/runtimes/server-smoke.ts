import { AgentService } from 'mandate'
import { scripted } from 'mandate/model'
import { httpServer } from 'mandate/server'
import type { HttpServer } from 'mandate/server'

const TOKEN = 'token-of-the-smoke-test-0001'

/** A server with one agent. It answers web-standard requests, and opens no port. */
export function smokeServer(): HttpServer {
  const service = new AgentService({ agents: [{ id: 'greeter', model: scripted(() => 'Hello.') }] })
  return httpServer(service, { tokens: [{ token: TOKEN, identity: { id: 'ana', roles: ['owner'] } }] })
}

/** Starts a run over the server and gives what it came to, with the statuses of a request that is refused and of the API's document. */
export async function askServer(fetch: (request: Request) => Promise<Response>, origin: string): Promise<string> {
  const body = JSON.stringify({ agent: 'greeter', prompt: 'Say hello.' })
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const answer = await fetch(new Request(`${origin}/api/runs?wait=30`, { method: 'POST', headers, body }))
  const { status, text } = (await answer.json()) as { readonly status?: string; readonly text?: string }
  const refused = await fetch(new Request(`${origin}/api/runs`))
  const document = await fetch(new Request(`${origin}/openapi.json`, { headers }))
  return `${answer.status} ${status} ${text} ${refused.status} ${document.status}`
}

export const ANSWERED = '201 completed Hello. 401 200'

/** The same without a network. */
export async function serverSmoke(): Promise<string> {
  const server = smokeServer()
  const said = await askServer(async (request) => server.fetch(request), 'http://127.0.0.1:8080')
  await server.close()
  if (said !== ANSWERED) throw new Error(`${said} is not ${ANSWERED}`)
  return 'the server handler'
}
