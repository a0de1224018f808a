import type { AgentSpec, AiSdkMessage } from '../../../agent/index.ts'
import { isRecord } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'
import type { Message } from '../../../model/index.ts'
import type { ClientTurn } from '../client-messages.ts'
import { BadRequest } from './errors.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the request body as an object of unchecked fields. */
export function fieldsOf(body: Json): Fields {
  if (isRecord(body)) return body
  throw new BadRequest('body', 'The body must be a JSON object.')
}

export function textField(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value === 'string' && value !== '') return value
  throw new BadRequest(name, `\`${name}\` must be a text.`)
}

/** Refuses options that agents do not support, because they would be ignored silently. */
export function checkSupported(fields: Fields): void {
  const { response_format: format, text, conversation, background, stream, n } = fields
  checkFormat('response_format', format)
  checkFormat('text.format', isRecord(text) ? text['format'] : undefined)
  if (!isAbsent(conversation))
    throw new BadRequest(
      'conversation',
      'Conversations are not kept here. Use `previous_response_id`, or `metadata.session_id`.',
    )
  if (!isUnset(background))
    throw new BadRequest('background', 'Responses are not made in the background. Leave it out, or use POST /api/runs.')
  if (!isAbsent(stream) && typeof stream !== 'boolean')
    throw new BadRequest('stream', '`stream` must be true or false.')
  if (!isAbsent(n) && n !== 1) throw new BadRequest('n', 'An agent gives one answer. Leave `n` out.')
  for (const [param, why] of UNSUPPORTED)
    if (!isUnset(fields[param])) throw new BadRequest(param, `${why} Leave \`${param}\` out.`)
  if (Array.isArray(fields['include']) && fields['include'].includes('message.output_text.logprobs'))
    throw new BadRequest('include', `${NO_LOGPROBS} Leave them out of \`include\`.`)
}

const NO_LOGPROBS = 'Probabilities of tokens are not given.'

/** What would change the answer. Settings of models, such as the temperature or how long one reply may be, are the agent's own and mean the same without. */
const UNSUPPORTED: readonly (readonly [field: string, why: string])[] = [
  ['stop', 'What an agent says is not cut.'],
  ['logprobs', NO_LOGPROBS],
  ['top_logprobs', NO_LOGPROBS],
  ['functions', 'Tools of the client come in `tools`.'],
  ['audio', 'An agent answers in text.'],
  ['prompt', 'Prompts are those of the agent.'],
]

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

/** What clients send that do not use a field. */
function isUnset(value: unknown): boolean {
  return isAbsent(value) || value === false || value === 0 || isEmptyList(value)
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function checkFormat(param: string, format: unknown): void {
  if (format === undefined || format === null || (isRecord(format) && format['type'] === 'text')) return
  throw new BadRequest(param, `The form of an answer is the agent's own: its \`output\`. Leave \`${param}\` out.`)
}

/** Returns a list as records. Refuses the first item that is not an object, with its index. */
function recordsIn(given: readonly unknown[], param: string): readonly Fields[] {
  const odd = given.findIndex((each) => !isRecord(each))
  if (odd === -1) return given as readonly Fields[]
  throw new BadRequest(`${param}[${odd}]`, `\`${param}[${odd}]\` must be an object.`)
}

/** Returns the session id in `metadata.session_id`, which groups the runs of a conversation. */
export function sessionOf({ metadata }: Fields): string | undefined {
  const session = isRecord(metadata) ? metadata['session_id'] : undefined
  return typeof session === 'string' && session !== '' ? session : undefined
}

/**
 * Returns the names of the tools that the client offers. A client can offer only the tools that the agent leaves to its client; any other tool would never be
 * called and is refused.
 */
export function offeredTools({ tools }: Fields, spec: AgentSpec): ReadonlySet<string> {
  if (tools === undefined || tools === null) return new Set()
  if (!Array.isArray(tools)) throw new BadRequest('tools', '`tools` must be a list.')
  const own = new Set(clientTools(spec))
  const names = recordsIn(tools, 'tools').map(
    (tool): unknown => (isRecord(tool['function']) ? tool['function'] : tool)['name'],
  )
  for (const name of names) {
    if (typeof name === 'string' && own.has(name)) continue
    const known = [...own].join(', ') || 'none'
    throw new BadRequest(
      'tools',
      `The agent "${spec.id}" does not call the tool ${JSON.stringify(name)}. Tools that it leaves to its client: ${known}.`,
    )
  }
  return new Set(names as string[])
}

/** Returns the names of the tools that an agent leaves to its client. */
export function clientTools({ tools }: AgentSpec): readonly string[] {
  return tools.filter((tool) => tool.standsFor !== undefined).map(({ name }) => name)
}

const CHOICES: ReadonlySet<unknown> = new Set(['auto', 'none', 'required'])

/** Returns whether and which tool the agent must call, among its own tools and those of its client. */
export function toolChoiceOf({ tool_choice: choice }: Fields): string | undefined {
  if (choice === undefined || choice === null) return undefined
  if (CHOICES.has(choice)) return choice as string
  const named = isRecord(choice) && isRecord(choice['function']) ? choice['function'] : choice
  if (isRecord(choice) && choice['type'] === 'function' && isRecord(named) && typeof named['name'] === 'string')
    return named['name']
  throw new BadRequest('tool_choice', '`tool_choice` must be "auto", "none", "required" or a function with its name.')
}

/** Converts the messages of `/v1/chat/completions`. */
export function chatTurns(given: unknown): ClientTurn[] {
  if (!Array.isArray(given) || given.length === 0)
    throw new BadRequest('messages', '`messages` must be a list of at least one message.')
  return recordsIn(given, 'messages').map((message, index) => {
    return messageTurn(message, `messages[${index}]`)
  })
}

function messageTurn(message: Fields, param: string): ClientTurn {
  const { role, content, tool_calls: calls, tool_call_id: id } = message
  if (role !== 'assistant' && (isEmptyList(content) || !(typeof content === 'string' || Array.isArray(content))))
    throw new BadRequest(`${param}.content`, `\`${param}.content\` must be a text or a list of parts.`)
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'instructions', text: textIn(content) }
    case 'user':
      return { role: 'user', parts: partsIn(content) }
    case 'assistant':
      return {
        role: 'assistant',
        text: textIn(content),
        calls: Array.isArray(calls) ? recordsIn(calls, 'tool_calls').flatMap(callIn) : [],
      }
    case 'tool':
      return { role: 'tool', id: String(id), text: textIn(content) }
    default:
      throw new BadRequest(param, `\`${param}\` has no role that is known.`)
  }
}

function callIn(call: Fields): { id: string; name: string; arguments: string }[] {
  const { id, function: named } = call
  if (typeof id !== 'string' || !isRecord(named)) return []
  const { name, arguments: written } = named
  return [{ id, name: String(name), arguments: typeof written === 'string' ? written : '{}' }]
}

/** Converts the input items of `/v1/responses`: messages, calls and their results, answers to approvals. */
export function responseTurns(input: unknown): ClientTurn[] {
  if (typeof input === 'string') return [{ role: 'user', parts: [{ type: 'text', text: input }] }]
  if (!Array.isArray(input)) throw new BadRequest('input', '`input` must be a text or a list of items.')
  return recordsIn(input, 'input').flatMap((item, index): ClientTurn[] => {
    switch (item['type'] ?? 'message') {
      case 'message':
        return [messageTurn(item, `input[${index}]`)]
      case 'function_call': {
        const { call_id: id, name, arguments: written } = item
        return [
          { role: 'assistant', text: '', calls: [{ id: String(id), name: String(name), arguments: String(written) }] },
        ]
      }
      case 'function_call_output':
        return [{ role: 'tool', id: String(item['call_id']), text: textIn(item['output']) }]
      case 'mcp_approval_response': {
        const { approval_request_id: id, approve, reason } = item
        const why = typeof reason === 'string' ? { reason } : {}
        return [{ role: 'approval', id: String(id), approved: approve === true, ...why }]
      }
      default:
        // Items that the server produced are sent back with the others; the run already contains them.
        return []
    }
  })
}

const TEXTS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text', 'refusal'])

function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return recordsIn(content, 'content')
    .map((part) => (TEXTS.has(part['type']) ? textOf(part) : ''))
    .join('')
}

function textOf(part: Fields): string {
  const text = part['text'] ?? part['refusal']
  if (typeof text === 'string') return text
  throw new BadRequest('content', `Content of the type ${JSON.stringify(part['type'])} must have a \`text\`.`)
}

function partsIn(content: unknown): object[] {
  if (!Array.isArray(content)) return [{ type: 'text', text: textIn(content) }]
  return recordsIn(content, 'content').map((part) => {
    if (TEXTS.has(part['type'])) return { type: 'text', text: textOf(part) }
    const picture = isRecord(part['image_url']) ? part['image_url']['url'] : part['image_url']
    if (typeof picture === 'string') return { type: 'file', mediaType: mediaTypeOf(picture, 'image/*'), data: picture }
    const file = isRecord(part['file']) ? part['file'] : part
    const { file_data: data, filename } = file
    if (typeof data !== 'string')
      throw new BadRequest('messages', `Content of the type ${JSON.stringify(part['type'])} is not taken.`)
    return { type: 'file', mediaType: mediaTypeOf(data, 'application/octet-stream'), data, filename }
  })
}

function mediaTypeOf(url: string, otherwise: string): string {
  return /^data:([^;,]+)/.exec(url)?.[1] ?? otherwise
}

/** Converts the messages of an earlier run to input for the next run. */
export function messagesOf(messages: readonly Message[]): AiSdkMessage[] {
  return messages.map((message): AiSdkMessage => {
    const content = message.content.flatMap((part): object[] => {
      switch (part.type) {
        case 'text':
          return [{ type: 'text', text: part.text }]
        case 'image':
        case 'file':
          return [{ type: 'file', mediaType: part.mediaType, data: part.url ?? part.data }]
        case 'tool-call':
          return [{ type: 'tool-call', toolCallId: part.toolCallId, toolName: part.name, input: part.input }]
        case 'tool-result': {
          const { toolCallId, name, status, value } = part
          const type = status === 'ok' ? 'json' : status === 'denied' ? 'execution-denied' : 'error-json'
          const reason = typeof value === 'string' ? value : JSON.stringify(value)
          return [{ type: 'tool-result', toolCallId, toolName: name, output: { type, value, reason } }]
        }
        default:
          return []
      }
    })
    return { role: message.role, content }
  })
}
