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
  const isBusy = status === 'submitted' || status === 'streaming'
  const send = (): void => {
    if (text.trim() === '') return
    void sendMessage({ text })
    setText('')
  }
  return (
    <main>
      <header>
        <h1>Support</h1>
        <p>Looks orders up, and asks you before it pays one back.</p>
      </header>
      <div className="messages" aria-live="polite">
        {messages.length === 0 ? <div className="empty">Ask about an order: A-17 or A-18.</div> : null}
        {messages.map((message) => (
          <section key={message.id} className={message.role} aria-label={message.role}>
            {message.parts.map((part, index) => {
              if (part.type === 'text') return part.text === '' ? null : <p key={index}>{part.text}</p>
              return isToolUIPart(part) ? <Call key={index} part={part} answer={answer} /> : null
            })}
          </section>
        ))}
        {status === 'submitted' ? <div className="empty">…</div> : null}
        {error === undefined ? null : <div role="alert">{error.message}</div>}
      </div>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <input
          aria-label="Message"
          placeholder="I want order A-17 back."
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button className="primary" disabled={isBusy}>
          Send
        </button>
      </form>
    </main>
  )
}

/** What the states of a call are called in the page. */
const STATES: Partial<Record<ToolPart['state'], string>> = {
  'approval-requested': 'asks for your approval',
  'approval-responded': 'answered',
  'output-available': 'done',
  'output-denied': 'denied',
  'output-error': 'failed',
}

type ToolPart = Extract<UIMessage['parts'][number], { toolCallId: string }>

/** A call of a tool; one that needs an approval has the buttons for it. */
function Call({ part, answer }: { part: ToolPart; answer: (id: string, approved: boolean) => void }): ReactNode {
  return (
    <div className={`call ${part.state}`}>
      <h2>
        {getToolName(part)} <span>{STATES[part.state] ?? 'running'}</span>
      </h2>
      <code>{JSON.stringify(part.input)}</code>
      {part.state === 'approval-requested' ? (
        <div className="actions">
          <button className="primary" onClick={() => answer(part.approval.id, true)}>
            Approve
          </button>
          <button onClick={() => answer(part.approval.id, false)}>Deny</button>
        </div>
      ) : null}
    </div>
  )
}

/** The conversation of this tab, so that a reload goes on with it. */
const id = sessionStorage.getItem('chat') ?? crypto.randomUUID()
sessionStorage.setItem('chat', id)
const answer = await fetch(`${API}/${id}`)
const before = answer.ok ? ((await answer.json()) as { messages: UIMessage[] }).messages : []
createRoot(document.getElementById('root')!).render(<Chat id={id} before={before} />)
