'use client'
import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import type { UIMessage } from 'ai'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'

const api = '/api/chat/support'
const id = 'chat-1'
const transport = new DefaultChatTransport({ api })

/** The server has the messages so far, and a reloaded page continues with them. */
export default function Page(): ReactNode {
  const [before, setBefore] = useState<UIMessage[]>()
  useEffect(() => {
    const read = async (): Promise<void> => {
      const answer = await fetch(`${api}/${id}`)
      setBefore((await answer.json()).messages)
    }
    void read()
  }, [])
  return before === undefined ? null : <Chat before={before} />
}

function Chat({ before }: { before: UIMessage[] }): ReactNode {
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat({
    id,
    transport,
    messages: before,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const shown = messages.flatMap((message) =>
    message.parts.map((part, index) => {
      const key = `${message.id}/${index}`
      if (part.type === 'text') return <p key={key}>{part.text}</p>
      if (!('approval' in part) || part.state !== 'approval-requested') return null
      const { approval } = part
      const answer = (approved: boolean): void => void addToolApprovalResponse({ id: approval.id, approved })
      return (
        <p key={key}>
          {part.type.slice('tool-'.length)} {JSON.stringify(part.input)}
          <button onClick={() => answer(true)}>Approve</button>
          <button onClick={() => answer(false)}>Reject</button>
        </p>
      )
    }),
  )
  return (
    <main>
      {shown}
      <button onClick={() => void sendMessage({ text: 'Refund order A-17.' })}>Ask</button>
      <output>{error?.message ?? status}</output>
    </main>
  )
}
