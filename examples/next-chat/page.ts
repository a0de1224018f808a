// The page of a Next.js application (a client component, without JSX): `useChat` with approvals, and with `resume` for whoever reloads it.
import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import type { UIMessage } from 'ai'
import { createElement as h } from 'react'
import type { ReactNode } from 'react'

const transport = new DefaultChatTransport({ api: '/api/chat/support' })

/** `before` is what `GET /api/chat/support/{id}` answers with: the messages so far. */
export function Chat({ id, before }: { id: string; before: UIMessage[] }): ReactNode {
  const { messages, sendMessage, addToolApprovalResponse } = useChat({
    id,
    transport,
    messages: before,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const shown = messages.flatMap(({ parts }) =>
    parts.map((part) => {
      if (part.type === 'text') return h('p', { key: part.text }, part.text)
      if (!('approval' in part) || part.state !== 'approval-requested') return null
      const approve = (): void => void addToolApprovalResponse({ id: part.approval.id, approved: true })
      return h('button', { key: part.toolCallId, onClick: approve }, `Allow ${part.type.slice('tool-'.length)}?`)
    }),
  )
  return h('main', null, ...shown, h('button', { onClick: () => sendMessage({ text: 'Refund order A-17.' }) }, 'Ask'))
}
