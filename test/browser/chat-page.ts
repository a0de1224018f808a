/// <reference lib="dom" />
import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from 'ai'
import type { UIMessage } from 'ai'
import { createElement as h, useState } from 'react'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'

/** A chat as an application writes it: `useChat` with nothing changed, and the messages so far from the server. */
const { api, token, id } = Object.fromEntries(new URLSearchParams(location.hash.slice(1))) as Record<string, string>
const headers = { authorization: `Bearer ${token}` }
const transport = new DefaultChatTransport({ api: api!, headers })

interface ToolPart {
  readonly type: string
  readonly state: string
  readonly toolCallId: string
  readonly approval?: { readonly id: string }
  readonly output?: unknown
}

function Chat({ before }: { before: UIMessage[] }): ReactNode {
  const chat = useChat({
    id: id!,
    transport,
    messages: before,
    resume: true,
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(state) || lastAssistantMessageIsCompleteWithToolCalls(state),
  })
  const [text, setText] = useState('')
  const [files, setFiles] = useState<FileList>()
  const stop = async (): Promise<void> => {
    await fetch(`${api}/${id}/stream`, { method: 'DELETE', headers })
    await chat.stop()
  }
  const { messages, status, error } = chat

  const tool = (part: ToolPart): ReactNode => {
    const name = part.type.slice('tool-'.length)
    const answer = (approved: boolean): void =>
      void chat.addToolApprovalResponse({
        id: part.approval!.id,
        approved,
        ...(approved ? {} : { reason: 'Not on a Friday.' }),
      })
    const give = (): void =>
      void chat.addToolOutput({ tool: name as never, toolCallId: part.toolCallId, output: { colour: 'blue' } })
    return h(
      'div',
      { key: part.toolCallId, className: 'tool', style: { border: '1px solid #88a', padding: 8, margin: '4px 0' } },
      `${name}: ${part.state}`,
      part.state === 'approval-requested' &&
        h('button', { onClick: () => answer(true), style: { marginLeft: 8 } }, 'Approve'),
      part.state === 'approval-requested' && h('button', { onClick: () => answer(false) }, 'Deny'),
      name === 'pick_colour' && part.state === 'input-available' && h('button', { onClick: give }, 'Blue'),
    )
  }

  return h(
    'main',
    { style: { font: '16px sans-serif', maxWidth: 520, margin: '24px auto' } },
    messages.map((message) =>
      h(
        'article',
        {
          key: message.id,
          className: message.role,
          style: { background: message.role === 'user' ? '#eef' : '#fff', padding: 8 },
        },
        message.parts.map((part, index) => {
          if (part.type === 'text') return h('p', { key: index }, part.text)
          if (part.type === 'reasoning') return h('blockquote', { key: index }, part.text)
          if (part.type === 'file') return h('img', { key: index, src: part.url, alt: part.filename })
          return part.type.startsWith('tool-') ? tool(part as unknown as ToolPart) : null
        }),
      ),
    ),
    h('output', null, error === undefined ? status : `error: ${error.message}`),
    h(
      'form',
      {
        onSubmit: (event: { preventDefault(): void }) => {
          event.preventDefault()
          void chat.sendMessage(files === undefined ? { text } : { text, files })
          setText('')
          setFiles(undefined)
        },
      },
      h('input', {
        name: 'text',
        value: text,
        onChange: (event: { target: { value: string } }) => setText(event.target.value),
      }),
      h('button', { type: 'submit' }, 'Send'),
    ),
    h('button', { onClick: stop }, 'Stop'),
    h('button', { onClick: () => void chat.regenerate() }, 'Again'),
    h('input', {
      type: 'file',
      onChange: (event: { target: { files: FileList } }) => setFiles(event.target.files),
    }),
  )
}

const answer = await fetch(`${api}/${id}`, { headers })
const { messages: before } = (await answer.json()) as { messages: UIMessage[] }
createRoot(document.getElementById('root')!).render(h(Chat, { before }))
