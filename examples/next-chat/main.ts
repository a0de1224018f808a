// A Next.js application (`app/`): a route that passes requests on to Mandate, and a page with `useChat`. `npm run test:runtimes -- next` builds it with
// Next.js and opens it in a browser. Here its handlers are called without Next.js, by the parts that `useChat` is made of: the agent asks before it
// pays an order back.
import { DefaultChatTransport, readUIMessageStream } from 'ai'
import type { UIMessage } from 'ai'
import { GET, POST } from './app/api/chat/[...path]/route.ts'

const headers = { host: 'localhost:3000', 'content-type': 'application/json' }
const api = 'http://localhost:3000/api/chat/support'
const transport = new DefaultChatTransport({
  api,
  headers,
  fetch: (url, init) => POST(new Request(url, init)),
})

async function send(messages: UIMessage[]): Promise<UIMessage> {
  const last = messages.at(-1)!
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId: 'chat-1',
    messageId: undefined,
    messages,
    abortSignal: undefined,
  })
  const message = last.role === 'assistant' ? structuredClone(last) : undefined
  let answer = last
  for await (const next of readUIMessageStream(message === undefined ? { stream } : { stream, message })) answer = next
  return answer
}

const question: UIMessage = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Refund order A-17.' }] }
const asked = await send([question])
console.log(asked.parts.map((part) => ('state' in part ? `${part.type}: ${part.state}` : part.type)))

// The person says yes: what a click on the button in the page does.
const parts = asked.parts.map((part) =>
  'approval' in part && part.state === 'approval-requested'
    ? ({ ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } } as never)
    : part,
)
const answered = await send([question, { ...asked, parts }])
const text = answered.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
console.log(text)

// Whoever reloads the page gets the messages from the server.
const before = await GET(new Request(`${api}/chat-1`, { headers }))
const { messages } = (await before.json()) as { messages: UIMessage[] }
console.log(messages.map(({ role }) => role))
if (text !== 'Order A-17 is paid back.' || messages.length !== 2) process.exitCode = 1
