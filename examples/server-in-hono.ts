// Agents inside a Hono application: the application's own session says who calls.
import { Hono } from 'hono'
import { AgentService } from 'mandate'
import { scripted } from 'mandate/model'
import { httpServer } from 'mandate/server'

const service = new AgentService({ agents: [{ id: 'greeter', model: scripted(['Hello from inside Hono.']) }] })

/** Stands for the sessions of an application. */
const signedIn = new Map([['s3ss10n', { id: 'ana', roles: ['owner'] }]])

const server = httpServer(service, {
  authenticate: (request) => signedIn.get(request.headers.get('x-session') ?? ''),
  hosts: ['app.example.com'],
})

const app = new Hono()
app.get('/', (context) => context.text('The application.'))
app.mount('/agents', server.fetch)

// As a runtime would call it; `serve(app)` or `export default app` does the same for requests from outside.
const answer = await app.fetch(
  new Request('https://app.example.com/agents/api/runs?wait=30', {
    method: 'POST',
    headers: { host: 'app.example.com', 'x-session': 's3ss10n', 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'greeter', prompt: 'Say hello.' }),
  }),
)
const { status, lastText } = (await answer.json()) as { status: string; lastText: string }
console.log(answer.status, status, lastText)
const stranger = await app.fetch(
  new Request('https://app.example.com/agents/api/runs', { headers: { host: 'app.example.com' } }),
)
console.log(stranger.status)
if (status !== 'completed' || stranger.status !== 401) process.exitCode = 1

await server.close()
await service.stop()
