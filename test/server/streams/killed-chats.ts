import { DefaultChatTransport, readUIMessageStream } from 'ai'
import type { UIMessage } from 'ai'
import { expect } from 'vitest'
import { eventClients, pause, post, saidBy } from './killed-clients.ts'
import type { Clients } from './killed-clients.ts'

type Server = Parameters<Clients['begin']>[0]

/** A conversation as a client reads it. */
interface Shown {
  readonly status: string
  readonly messages: readonly string[]
}

/** Clients of conversations: the events of each turn, and then the conversation itself, in which one more message is answered. */
export function conversationClients(count: number): Clients {
  const turns: { readonly id: string; readonly run: string }[] = []
  let server: Server
  const inner = eventClients(count, async (given) => {
    server = given
    const { id } = await post(server, '/api/conversations', { agentId: 'teller' })
    const { streamId } = await post(server, `/api/conversations/${id}/messages`, { message: 'Tell.' })
    turns.push({ id: id!, run: streamId! })
    return streamId!
  })
  const shown = new Map<string, readonly string[]>()
  const settled = new Map<string, Shown>()
  const read = async (id: string): Promise<Shown> => {
    const answer = await fetch(`${server.url}/api/conversations/${id}`, { headers: server.headers })
    const { status, messages } = (await answer.json()) as {
      status: string
      messages: { role: string; content: { text?: string }[] }[]
    }
    const lines = messages.map(({ role, content }) => `${role}: ${content.map(({ text = '' }) => text).join('')}`)
    return { status, messages: lines }
  }
  return {
    begin: (given) => inner.begin(given),
    async finish() {
      await Promise.all(
        turns.map(async ({ id, run }) => {
          // The run has gone on without the conversation, which shows it all the same.
          settled.set(run, await read(id))
          const next = await post(server, `/api/conversations/${id}/messages?wait=60`, { message: 'Again.' })
          expect(next['status']).toBe('completed')
          shown.set(id, (await read(id)).messages)
        }),
      )
    },
    async compare(journal) {
      await inner.compare(journal)
      for (const { id, run } of turns) {
        const messages = shown.get(id)!
        const answer = `assistant: ${(await saidBy(journal, run)).join('\n')}`
        const turn = ['assistant: ', 'tool: ']
        expect(settled.get(run)).toEqual({ status: 'idle', messages: ['user: Tell.', ...turn, answer] })
        expect(messages.slice(0, -1)).toEqual(['user: Tell.', ...turn, answer, 'user: Again.', ...turn])
      }
    },
  }
}

/** Clients with the transport of `useChat`: a stream that breaks off is asked for again, as a page does that was reloaded. */
export function chatClients(count: number): Clients {
  const clients = Array.from({ length: count }, (_, index) => ({
    id: `chat-${index}`,
    run: '',
    text: '',
    isEnded: false,
  }))
  let resumed = 0
  return {
    async begin({ url, headers }) {
      const transport = new DefaultChatTransport({ api: `${url}/api/chat/teller`, headers })
      const sent = { id: 'u1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Tell.' }] }
      const take = async (client: (typeof clients)[number], stream: ReadableStream<never>): Promise<void> => {
        let isWhole = false
        const watched = stream.pipeThrough(
          new TransformStream<{ type: string }, never>({
            transform(chunk, controller) {
              if (chunk.type === 'finish') isWhole = true
              controller.enqueue(chunk as never)
            },
          }),
        )
        for await (const message of readUIMessageStream({ stream: watched })) keep(client, message)
        client.isEnded = isWhole
      }
      const talk = async (client: (typeof clients)[number]): Promise<void> => {
        const first = await transport.sendMessages({
          trigger: 'submit-message',
          chatId: client.id,
          messageId: undefined,
          messages: [sent],
          abortSignal: undefined,
        })
        await take(client, first as never).catch(() => {})
        while (!client.isEnded) {
          try {
            // A page that is loaded again reads the messages first, and then what is under way.
            const answer = await fetch(`${url}/api/chat/teller/${client.id}`, { headers })
            const { messages } = (await answer.json()) as { messages: UIMessage[] }
            const rest = await transport.reconnectToStream({ chatId: client.id })
            if (rest !== null) resumed++
            if (rest !== null) await take(client, rest as never)
            else if (messages.at(-1)?.role === 'assistant') {
              keep(client, messages.at(-1)!)
              client.isEnded = true
            }
          } catch {
            await pause()
          }
        }
      }
      const heard = clients.map((client) => ({
        hasHeard: (pid: string) => client.text.includes(pid),
        get isEnded() {
          return client.isEnded
        },
      }))
      return { clients: heard, done: Promise.all(clients.map(talk)) }
    },
    async compare(journal) {
      expect(resumed).toBeGreaterThan(0)
      const runs = await journal.list({ parent: null, limit: 10 * count })
      expect(runs).toHaveLength(count)
      for (const { id, text } of clients) {
        const { run } = runs.find(({ sessionId }) => sessionId === id)!
        expect(text).toBe((await saidBy(journal, run)).join('\n'))
      }
    },
  }
}

function keep(client: { text: string }, { parts }: UIMessage): void {
  client.text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
