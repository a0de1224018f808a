import { expect, test } from 'vitest'
import { Conversations } from '../../chat/index.ts'
import { scripted } from '../../model/index.ts'
import { defineTool } from '../../tool/index.ts'
import { bench, greeter } from './server.fixture.ts'
import type { Bench } from './server.fixture.ts'
import { conversationPart } from './routes/conversations.ts'

/** Has the format of a token of GitHub. */
const SECRET = `ghp_${'x1Y2z3'.repeat(6)}`

/** Requests with a secret in everything that a client may write, by what their answers show. */
const REQUESTS: Readonly<Record<string, (of: Bench) => Promise<{ readonly status: number; readonly body: unknown }>>> =
  {
    'a schedule': ({ json }) =>
      json('PUT', '/api/schedules/daily', { everyMs: 60_000, agent: 'greeter', prompt: `Use ${SECRET}` }),
    'a schedule that is read': async ({ json }) => {
      await json('PUT', '/api/schedules/daily', { everyMs: 60_000, agent: 'greeter', prompt: `Use ${SECRET}` })
      return json('GET', '/api/schedules/daily')
    },
    'a call that is explained': ({ json }) =>
      json('POST', '/api/policy/test', { tool: 'send', input: { to: SECRET, parts: [{ text: SECRET }] } }),
    'a call that is refused for its input': ({ json }) =>
      json('POST', '/api/policy/test', { tool: 'send', input: { [SECRET]: SECRET, to: 1 } }),
    'a run': ({ json }) => json('POST', '/api/runs?wait=20', { agent: 'greeter', prompt: `Use ${SECRET}` }),
    'a run of an agent that repeats it': ({ json }) =>
      json('POST', '/api/runs?wait=20', { agent: 'parrot', prompt: `Use ${SECRET}` }),
    'a conversation': ({ json }) => json('POST', '/api/conversations', { id: 'c1', metadata: { note: SECRET } }),
    'a message that is appended': async ({ json }) => {
      await json('POST', '/api/conversations', { id: 'c1' })
      return json('POST', '/api/conversations/c1/append', { message: `Use ${SECRET}` })
    },
  }

test.each(Object.entries(REQUESTS))('%s is answered without the secret that was sent in it', async (_, request) => {
  const send = defineTool({
    name: 'send',
    risk: 'write',
    inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
    run: () => null,
  })
  const parrot = { id: 'parrot', model: scripted(() => `You said ${SECRET}.`) }
  const of = bench((host) => ({ parts: [conversationPart(host, new Conversations(host))] }), {
    agents: [greeter(), parrot],
    tools: [send],
  })
  const { status, body } = await request(of)
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  expect(JSON.stringify(body)).not.toContain(SECRET)
})
