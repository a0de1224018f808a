import { createHmac } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import type { AgentConfig, AgentService } from '../../src/agent/index.ts'
import { MandateError } from '../../src/core/index.ts'
import { scripted } from '../../src/model/index.ts'
import { httpServer, webhooks } from '../../src/server/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { pause } from './processes.ts'

/** The name of the agent that deliveries start, and of the shape of such runs. */
export const HOOKED = 'hooked'

const SECRET = 'a-secret-of-the-webhooks-01'
const owner = { id: 'hooks', roles: ['owner'] }

/** Does two things that must not be done twice, the second when a person has said yes. */
export function hookedAgent(log: string): AgentConfig {
  const run = async (name: string, runId: string): Promise<string> => {
    await pause(10)
    appendFileSync(log, `${runId}/${name}\n`)
    await pause(10)
    return 'done'
  }
  const tools = [
    defineTool({ name: 'store', risk: 'write', safeByDefault: true, run: (_, { runId }) => run('store', runId) }),
    defineTool({ name: 'confirm', risk: 'write', needsApproval: true, run: (_, { runId }) => run('confirm', runId) }),
  ]
  const calls = tools.map(({ name }) => ({ toolCalls: [{ name, input: {} }] }))
  return { id: HOOKED, model: scripted([...calls, 'Done.']), tools }
}

/** Sends the delivery of this number to a server over the service, and gives the run that it is. Throws where the server did not take it. */
export function hookSender(service: AgentService): (index: number) => Promise<string> {
  const hooks = webhooks(service, { incoming: [{ name: HOOKED, secret: SECRET, identity: owner, agent: HOOKED }] })
  const server = httpServer(service, {
    tokens: [{ token: 'token-of-the-owner-0001', identity: owner }],
    parts: [hooks],
  })
  return async (index) => {
    const [id, body] = [`msg_${index}`, JSON.stringify({ index })]
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const signature = createHmac('sha256', SECRET).update(`${id}.${timestamp}.${body}`).digest('base64')
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
    const request = new Request(`http://127.0.0.1:8080/hooks/${HOOKED}`, { method: 'POST', body, headers })
    request.headers.set('host', '127.0.0.1:8080')
    const answer = await server.fetch(request)
    if (!answer.ok) throw new MandateError('STORE_FAILED', `The delivery was not taken: ${await answer.text()}`)
    return ((await answer.json()) as { readonly run: string }).run
  }
}
