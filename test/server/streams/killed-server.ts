import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import type { Model } from 'mandate/model'
import { Conversations, databaseConversations } from 'mandate/chat'
import { conversationPart, httpServer, recoverRuns } from 'mandate/server'
import { openStore } from 'mandate/sqlite'

/** A server that its test kills: what its models say names the process, so that a repeated call says something else. */
const [folder = '', port = '0', token = '', words = '20'] = process.argv.slice(2)

const model: Model = {
  ...scripted(['']),
  async *stream({ messages }) {
    const isFirst = messages.at(-1)?.role === 'user'
    for (let count = 0; count < Number(words); count++) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      yield { type: 'text-delta', id: 't', text: `${process.pid}.${count} ` }
    }
    if (isFirst) yield { type: 'tool-call', toolCallId: 'c1', name: 'look', input: {} }
    yield { type: 'finish', reason: isFirst ? 'tool-calls' : 'stop' }
  },
}

const look = defineTool({ name: 'look', risk: 'read', idempotent: true, run: () => 'a door' })
const store = await openStore({ dir: folder })
const service = new AgentService({
  store,
  agents: [{ id: 'teller', model, tools: [look] }],
})
await recoverRuns(service)
const conversations = new Conversations(service, { store: databaseConversations(store.data.database()) })
const server = httpServer(service, {
  tokens: [{ token, identity: { id: 'ana', roles: ['owner'] } }],
  parts: [conversationPart(service, conversations)],
})
const { port: bound } = await server.listen({ port: Number(port) })
process.send?.(bound)
