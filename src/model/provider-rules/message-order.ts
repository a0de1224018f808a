import { sha256 } from '../../core/index.ts'
import type { Message, Part } from '../message.ts'
import { assistantMessage, systemMessage, textOf, userMessage } from '../message.ts'
import { isCallId, isForeignThought } from './rules.ts'
import type { ProviderRules } from './rules.ts'

/** Stands for what came before the part of a conversation that is sent. */
const BEFORE = '(The conversation goes on from here.)'
/** Between results of tools and a message of the user, for providers that want a reply there. */
const BETWEEN = '(I have read the results.)'

/** The messages as this provider takes them: roles in its order, ids of calls in its form, and no thoughts of other models. */
export function withMessageOrder(messages: readonly Message[], rules: ProviderRules): readonly Message[] {
  const own = messages.map((message) => withOwnParts(message, rules))
  const ordered = rules.systemFirst === true ? systemFirst(own) : own
  const begun = rules.beginsWithUser === true ? fromUser(ordered) : ordered
  return rules.replyAfterTools === true ? repliedTo(begun) : begun
}

function withOwnParts(message: Message, rules: ProviderRules): Message {
  let isSame = true
  const content = message.content.flatMap((part): readonly Part[] => {
    const own = isForeignThought(part, rules) ? undefined : withCallId(part, rules)
    if (own !== part) isSame = false
    return own === undefined ? [] : [own]
  })
  return isSame ? message : { ...message, content }
}

function withCallId(part: Part, rules: ProviderRules): Part {
  if ((part.type !== 'tool-call' && part.type !== 'tool-result') || isCallId(part.toolCallId, rules)) return part
  // Letters and digits alone are a valid id everywhere.
  return { ...part, toolCallId: sha256(part.toolCallId).slice(0, Math.min(rules.callIdMax ?? Infinity, 32)) }
}

/** One instruction at the beginning; later ones become messages of the user that say what they are. */
function systemFirst(messages: readonly Message[]): readonly Message[] {
  const start = messages.findIndex(({ role }) => role !== 'system')
  const head = messages.slice(0, start === -1 ? messages.length : start)
  const rest = messages.slice(head.length)
  const later = rest.map((message) =>
    message.role === 'system' ? userMessage(`Instruction: ${textOf(message)}`) : message,
  )
  return [...(head.length < 2 ? head : [joined(head)]), ...later]
}

function joined(head: readonly Message[]): Message {
  const [first, ...others] = head
  const content = others.flatMap((message) => [{ type: 'text' as const, text: '\n\n' }, ...message.content])
  return others.length === 0 ? first! : { ...systemMessage(''), ...first!, content: [...first!.content, ...content] }
}

function fromUser(messages: readonly Message[]): readonly Message[] {
  const start = messages.findIndex(({ role }) => role !== 'system')
  if (start !== -1 && messages[start]!.role === 'user') return messages
  const at = start === -1 ? messages.length : start
  return [...messages.slice(0, at), userMessage(BEFORE), ...messages.slice(at)]
}

function repliedTo(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message, index) =>
    message.role === 'user' && messages[index - 1]?.role === 'tool' ? [assistantMessage(BETWEEN), message] : [message],
  )
}
