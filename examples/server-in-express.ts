// Agents inside an Express application: Node's requests are passed on as web-standard ones.
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import express from 'express'
import { AgentService } from 'mandate'
import { scripted } from 'mandate/model'
import { httpServer, newToken } from 'mandate/server'

const service = new AgentService({ agents: [{ id: 'greeter', model: scripted(['Hello from inside Express.']) }] })
const token = newToken()
const server = httpServer(service, { tokens: [{ token, identity: { id: 'ana', roles: ['owner'] } }] })

/** Before any middleware that reads bodies: this one reads them itself, within its limits. */
const agents: express.RequestHandler = async (incoming, outgoing) => {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD'
  const request = new Request(`${incoming.protocol}://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method,
    headers: new Headers(incoming.headers as Record<string, string>),
    signal: gone.signal,
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' } : {}),
  })
  const answer = await server.fetch(request, { address: incoming.ip })
  outgoing.status(answer.status).setHeaders(answer.headers)
  if (answer.body === null) outgoing.end()
  else Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]).pipe(outgoing)
}

const app = express()
app.disable('x-powered-by')
app.use('/agents', agents)
app.get('/', (_request, response) => void response.send('The application.'))

const listening = app.listen(0, '127.0.0.1')
await new Promise((resolve) => listening.once('listening', resolve))
const { port } = listening.address() as AddressInfo

const answer = await fetch(`http://127.0.0.1:${port}/agents/api/runs?wait=30`, {
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify({ agent: 'greeter', prompt: 'Say hello.' }),
})
const { status, lastText } = (await answer.json()) as { status: string; lastText: string }
console.log(answer.status, status, lastText)
const stranger = await fetch(`http://127.0.0.1:${port}/agents/api/runs`)
console.log(stranger.status)
if (status !== 'completed' || stranger.status !== 401) process.exitCode = 1

await server.close()
listening.close()
listening.closeAllConnections()
await service.stop()
