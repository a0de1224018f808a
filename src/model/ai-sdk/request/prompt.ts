import { isRecord } from '../../../core/index.ts'
import type { CustomPart, Message, Part, ToolCallPart } from '../../message.ts'
import { textOf, toolResultsOf } from '../../message.ts'
import { resultContent } from '../../result-content.ts'
import { sentFile } from '../file-data.ts'
import { isForeign } from '../host-mark.ts'
import type { AiSdkProviderOptions, SpecVersion, WireMessage } from '../spec.ts'
import { type Recipient, behindResult, toolOutput } from './tool-output.ts'

/**
 * The transcript in the form of a provider. What was received with a part is sent back on the same part, such as signatures and cache marks. Calls
 * that another provider executed are left out; what it wrote about them is in its text.
 */
export function promptOf(messages: readonly Message[], recipient: Recipient, provider: string): WireMessage[] {
  return messages.flatMap((message, index): WireMessage[] => {
    if (message.role === 'system') return [systemOf(message)]
    const own = message.content.filter((part) => !isForeign(part, provider))
    const content = own.flatMap((part) => partOf(part, message.role, recipient))
    const sent = content.length === 0 ? [] : [{ role: message.role, content }]
    const isLast = message.role === 'tool' && messages[index + 1]?.role !== 'tool'
    return isLast ? [...sent, ...mediaBehind(messages, index, recipient)] : sent
  })
}

/** Images and files that an interface does not accept inside results follow in a message of the user, after all results of the turn. */
function mediaBehind(messages: readonly Message[], last: number, recipient: Recipient): WireMessage[] {
  let first = last
  while (messages[first - 1]?.role === 'tool') first -= 1
  const files = messages.slice(first, last + 1).flatMap((message) =>
    toolResultsOf(message).flatMap((result) => {
      const content = resultContent(result)
      return content === undefined ? [] : behindResult(content, recipient)
    }),
  )
  if (files.length === 0) return []
  return [{ role: 'user', content: [{ type: 'text', text: 'Of the results above, in their order:' }, ...files] }]
}

/** System content is a single string, so the metadata of its parts is set on the message. */
function systemOf(message: Message): WireMessage {
  const carried: AiSdkProviderOptions = Object.assign({}, ...message.content.map((part) => part.providerMetadata ?? {}))
  const hasCarried = Object.keys(carried).length > 0
  return { role: 'system', content: textOf(message), ...(hasCarried ? { providerOptions: carried } : {}) }
}

function partOf(part: Part, role: Message['role'], recipient: Recipient): object[] {
  const sent = bodyOf(part, role, recipient)
  if (sent === undefined) return []
  return [part.providerMetadata === undefined ? sent : { ...sent, providerOptions: part.providerMetadata }]
}

/** A part in the form for its role; `undefined` for a part that the role cannot have, which stays in the transcript and is not sent. */
function bodyOf(part: Part, role: Message['role'], recipient: Recipient): object | undefined {
  const { version } = recipient
  if (role === 'tool' && part.type !== 'tool-result' && part.type !== 'custom') return undefined
  switch (part.type) {
    case 'text':
      // Some providers refuse empty texts, unless they carry a signature.
      return part.text === '' && part.providerMetadata === undefined ? undefined : { type: 'text', text: part.text }
    case 'image':
    case 'file':
      return sentFile(part, version)
    case 'reasoning':
      return role === 'assistant' ? { type: 'reasoning', text: part.text } : undefined
    case 'tool-call':
      return role === 'assistant' ? callOf(part) : undefined
    case 'tool-result': {
      if (role === 'user') return undefined
      const { toolCallId, name } = part
      return { type: 'tool-result', toolCallId, toolName: name, output: toolOutput(part, recipient) }
    }
    case 'custom':
      return customOf(part, role, version)
    default:
      return undefined
  }
}

/** Providers refuse arguments that are not an object; what the model really wrote is in the error result. */
function callOf({ toolCallId, name, input, providerExecuted }: ToolCallPart): object {
  const call = { type: 'tool-call', toolCallId, toolName: name, input: input ?? {} }
  return providerExecuted === true ? { ...call, providerExecuted } : call
}

/** The provider's own parts that it accepts back, with their types. */
function customOf({ kind, data }: CustomPart, role: Message['role'], version: SpecVersion): object | undefined {
  const fields = isRecord(data) ? data : {}
  if (kind === 'tool-approval-response' && role === 'tool' && version !== 'v2') return { ...fields, type: kind }
  if (role !== 'assistant' || version !== 'v4') return undefined
  if (kind === 'reasoning-file') return { ...sentFile(fields as never, version), type: kind }
  return kind.includes('.') ? { ...fields, type: 'custom', kind } : undefined
}
