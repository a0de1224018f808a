import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DefaultChatTransport, isToolUIPart, readUIMessageStream } from 'ai'
import type { UIMessage } from 'ai'
import { openApi } from './api.ts'

const api = await openApi('http://localhost:5173')
let transport: DefaultChatTransport<UIMessage>

before(async () => {
  const { url } = await api.listen()
  transport = new DefaultChatTransport({ api: `${url}/api/chat/support` })
})
after(() => api.close())

/** Sends what `useChat` would send, and gives the answer. */
async function send(chatId: string, messages: UIMessage[]): Promise<UIMessage> {
  const last = messages.at(-1)!
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId,
    messageId: undefined,
    messages,
    abortSignal: undefined,
  })
  let answer = last
  const begun = last.role === 'assistant' ? { stream, message: structuredClone(last) } : { stream }
  for await (const next of readUIMessageStream(begun)) answer = next
  return answer
}

const question: UIMessage = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'I want order A-17 back.' }] }

/** The message with the person's answer to what it asks. */
function answered(message: UIMessage, approved: boolean): UIMessage {
  const parts = message.parts.map((part) =>
    isToolUIPart(part) && part.state === 'approval-requested'
      ? ({
          ...part,
          state: 'approval-responded',
          approval: { ...part.approval, approved },
        } as UIMessage['parts'][number])
      : part,
  )
  return { ...message, parts }
}

const stateOf = (message: UIMessage): string | undefined => message.parts.filter(isToolUIPart).at(-1)?.state

test('a large refund asks in the page, and is paid when it is approved there', async () => {
  const asked = await send('c1', [question])
  assert.equal(stateOf(asked), 'approval-requested')
  assert.equal(stateOf(await send('c1', [question, answered(asked, true)])), 'output-available')
})

test('a refund that is denied in the page is not paid', async () => {
  const asked = await send('c2', [question])
  assert.equal(stateOf(await send('c2', [question, answered(asked, false)])), 'output-denied')
})
