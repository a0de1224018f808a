import { HttpAgent } from '@ag-ui/client'
import { AgentService } from 'mandate'
import { Conversations, chatText, databaseConversations } from 'mandate/chat'
import { inMemoryDatabase } from 'mandate/memory'
import { scripted } from 'mandate/model'
import type { Model, ModelPart } from 'mandate/model'
import { httpServer, newToken } from 'mandate/server'
import { chainTeam } from 'mandate/team'
import { afterEach, expect, test } from 'vitest'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** A team whose speaker says "A good ", and the rest when it is let go. */
async function serve() {
  const { promise, resolve: go } = Promise.withResolvers<void>()
  const edit: Model = {
    id: 'test/edit',
    provider: 'test',
    modelId: 'edit',
    async *stream(): AsyncGenerator<ModelPart> {
      yield { type: 'text-delta', text: 'A good ' }
      await promise
      yield { type: 'text-delta', text: 'text.' }
      yield { type: 'finish', reason: 'stop' }
    },
  }
  const draft = { id: 'draft', model: scripted(['A draft.'], { name: 'draft' }) }
  const service = new AgentService({
    agents: chainTeam({ id: 'press', members: [draft, { id: 'edit', model: edit }] }),
  })
  const token = newToken()
  const server = httpServer(service, { tokens: [{ token, identity: { id: 'ana', roles: ['owner'] } }] })
  const { url } = await server.listen()
  open.push(
    () => server.close(),
    () => service.stop(),
  )
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const call = (path: string, body?: unknown): Promise<Response> =>
    fetch(`${url}${path}`, body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) })
  return { service, url, headers, call, go }
}

async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, what: string): Promise<string> {
  let text = ''
  while (!text.includes(what)) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`The stream ended without ${what}: ${text}`)
    text += new TextDecoder().decode(value)
  }
  return text
}

/** The texts of a UI message stream. */
const deltas = (stream: string): string =>
  [...stream.matchAll(/"type":"text-delta"[^\n]*"delta":"([^"]*)"/g)].map(([, text]) => text).join('')

const hello = { id: 'chat', messages: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Write.' }] }] }

test('useChat, and a page that is reloaded in the middle, get the text of a team as it is written', async () => {
  const { call, go } = await serve()
  const first = (await call('/api/chat/press', hello)).body!.getReader()
  let text = await readUntil(first, 'A good ')
  const second = (await call('/api/chat/press/chat/stream')).body!.getReader()
  let again = await readUntil(second, 'A good ')
  go()
  text += await readUntil(first, '[DONE]')
  again += await readUntil(second, '[DONE]')
  expect([deltas(text), deltas(again)]).toEqual(['A good text.', 'A good text.'])
})

test('an answer of a team that ended before the page was reloaded has its text', async () => {
  const { call, go, service } = await serve()
  const first = (await call('/api/chat/press', hello)).body!.getReader()
  await readUntil(first, 'A good ')
  const { messages } = (await (await call('/api/chat/press/chat')).json()) as { messages: object[] }
  expect(messages).toHaveLength(1)
  go()
  await expect.poll(async () => (await service.runs({ parent: null }))[0]!.state).toBe('completed')
  const second = (await call('/api/chat/press/chat/stream')).body!.getReader()
  expect(deltas(await readUntil(second, '[DONE]'))).toBe('A good text.')
  await first.cancel()
})

test('a client of AG-UI gets the text of a team as it is written', async () => {
  const { url, headers, go } = await serve()
  const agent = new HttpAgent({
    url: `${url}/api/ag-ui/press`,
    headers: { authorization: headers.authorization },
    threadId: 'thread',
  })
  const pieces: string[] = []
  agent.subscribe({
    onTextMessageContentEvent: ({ event }) => {
      pieces.push(event.delta)
      go()
    },
  })
  agent.messages = [{ id: 'u', role: 'user', content: 'Write.' }]
  await agent.runAgent()
  expect(pieces).toEqual(['A good ', 'text.'])
  expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'A good text.' })
})

test('server-sent events of the run of a team have its text under one key, and none of the texts of its other members', async () => {
  const { call, service, go } = await serve()
  const run = service.run('press', 'Write.')
  const events = (await call(`/api/runs/${run.id}/events`)).body!.getReader()
  let text = await readUntil(events, 'A good ')
  go()
  text += await readUntil(events, 'event: end')
  const said = [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!) as never)
  const texts = said.filter(({ type }: { type?: string }) => type === 'text-delta')
  expect(texts).toMatchObject([
    { key: '#answer', data: { text: 'A good ', offset: 0 } },
    { key: '#answer', data: { text: 'text.', offset: 7 } },
  ])
})

test('a conversation with a team is streamed as it is written', async () => {
  const { service, go } = await serve()
  const conversations = new Conversations(service, { store: databaseConversations(inMemoryDatabase()) })
  await conversations.create({ id: 'c', agentId: 'press' })
  const stream = conversations.send('c', 'Write.')
  const pieces: string[] = []
  for await (const piece of stream) {
    pieces.push(piece)
    go()
  }
  expect(pieces).toEqual(['A good ', 'text.'])
  expect(chatText(await stream.finalMessage)).toBe('A good text.')
})
