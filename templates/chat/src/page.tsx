import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  getToolName,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
} from 'ai'
import type { UIMessage } from 'ai'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'

const API = '/api/chat/support'
const transport = new DefaultChatTransport({ api: API })

function Chat({ id, before }: { id: string; before: UIMessage[] }): ReactNode {
  const [text, setText] = useState('')
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat({
    id,
    transport,
    messages: before,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const answer = (approval: string, approved: boolean): void => void addToolApprovalResponse({ id: approval, approved })
  return (
    <main>
      <h1>Support</h1>
      {messages.map((message) => (
        <section key={message.id} className={message.role} aria-label={message.role}>
          {message.parts.map((part, index) => {
            if (part.type === 'text') return <p key={index}>{part.text}</p>
            if (!isToolUIPart(part)) return null
            return (
              <p key={index} className="call">
                {getToolName(part)} <code>{JSON.stringify(part.input)}</code>{' '}
                {part.state === 'approval-requested' ? (
                  <>
                    <button onClick={() => answer(part.approval.id, true)}>Approve</button>{' '}
                    <button onClick={() => answer(part.approval.id, false)}>Deny</button>
                  </>
                ) : (
                  part.state
                )}
              </p>
            )
          })}
        </section>
      ))}
      {error === undefined ? null : <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() === '') return
          void sendMessage({ text })
          setText('')
        }}
      >
        <input
          aria-label="Message"
          placeholder="I want order A-17 back."
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button disabled={status === 'submitted' || status === 'streaming'}>Send</button>
      </form>
    </main>
  )
}

/** The conversation of this tab, so that a reload goes on with it. */
const id = sessionStorage.getItem('chat') ?? crypto.randomUUID()
sessionStorage.setItem('chat', id)
const answer = await fetch(`${API}/${id}`)
const before = answer.ok ? ((await answer.json()) as { messages: UIMessage[] }).messages : []
createRoot(document.getElementById('root')!).render(<Chat id={id} before={before} />)
