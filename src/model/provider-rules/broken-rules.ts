import { isRecord } from '../../core/index.ts'
import type { ModelRequest } from '../model.ts'
import { toolCallsOf, toolResultsOf } from '../message.ts'
import { isStrictSchema } from './answer-schema.ts'
import type { ProviderRules } from './rules.ts'

/** What in a request the provider would refuse, one sentence each. */
export function brokenRules(request: ModelRequest, rules: ProviderRules): readonly string[] {
  return [
    ...brokenTools(request, rules),
    ...brokenOrder(request, rules),
    ...brokenCalls(request, rules),
    ...brokenAnswer(request, rules),
  ]
}

function brokenTools({ tools = [] }: ModelRequest, rules: ProviderRules): string[] {
  const wrong: string[] = []
  const { toolName, toolNameMax, toolsMax = Infinity, reserved = [] } = rules
  if (tools.length > toolsMax) wrong.push(`There are ${tools.length} tools; at most ${toolsMax} are taken.`)
  for (const [index, { name, inputSchema }] of tools.entries()) {
    if (!toolName.test(name) || name.length > toolNameMax || reserved.includes(name))
      wrong.push(`The name of tool "${name}" is refused.`)
    if (tools.findIndex((tool) => tool.name === name) !== index) wrong.push(`There are two tools "${name}".`)
    const schema = isRecord(inputSchema) ? inputSchema : {}
    if (schema['type'] !== 'object' || !isRecord(schema['properties']))
      wrong.push(`The input of "${name}" is not an object with properties.`)
    for (const keyword of ['allOf', 'anyOf', 'oneOf', 'not', 'enum'])
      if (keyword in schema) wrong.push(`The input of "${name}" has \`${keyword}\` at its top.`)
  }
  return wrong
}

function brokenOrder({ messages }: ModelRequest, rules: ProviderRules): string[] {
  const wrong: string[] = []
  const rest = messages.filter(({ role }) => role !== 'system')
  if (rules.beginsWithUser === true && rest[0]?.role !== 'user')
    wrong.push('The conversation does not begin with the user.')
  const start = messages.findIndex(({ role }) => role !== 'system')
  if (
    rules.systemFirst === true &&
    start !== -1 &&
    (start > 1 || messages.slice(start).some(({ role }) => role === 'system'))
  )
    wrong.push('There is an instruction behind the first message.')
  if (
    rules.replyAfterTools === true &&
    rest.some(({ role }, index) => role === 'user' && rest[index - 1]?.role === 'tool')
  )
    wrong.push('The user speaks directly after results of tools.')
  return wrong
}

function brokenCalls({ messages }: ModelRequest, { callId, callIdMax = Infinity, options }: ProviderRules): string[] {
  const wrong: string[] = []
  let open = new Set<string>()
  for (const message of messages) {
    for (const { toolCallId } of toolResultsOf(message))
      if (message.role === 'tool' && !open.delete(toolCallId))
        wrong.push(`The result of ${toolCallId} has no call before it.`)
    if (message.role !== 'tool' && open.size > 0) wrong.push(`The calls ${[...open].join(', ')} have no result.`)
    if (message.role !== 'tool')
      open = new Set(
        toolCallsOf(message)
          .filter((call) => call.providerExecuted !== true)
          .map(({ toolCallId }) => toolCallId),
      )
    for (const id of open)
      if (callId !== undefined && (!callId.test(id) || id.length > callIdMax))
        wrong.push(`The call id ${id} is refused.`)
    for (const { type, providerMetadata = {} } of message.content) {
      const makers = Object.keys(providerMetadata).filter((name) => name !== 'mandate')
      if (
        type === 'reasoning' &&
        makers.length > 0 &&
        options.length > 0 &&
        !makers.some((name) => options.includes(name))
      )
        wrong.push('Thoughts of another provider are sent.')
    }
  }
  if (open.size > 0) wrong.push(`The calls ${[...open].join(', ')} have no result.`)
  return wrong
}

function brokenAnswer({ responseFormat, providerOptions, messages }: ModelRequest, rules: ProviderRules): string[] {
  if (responseFormat?.type !== 'json') return []
  const { schema } = responseFormat
  const isLoose = rules.options.some((name) => providerOptions?.[name]?.['strictJsonSchema'] === false)
  const isStrict = rules.answer === 'strict-only' || (rules.answer === 'strict' && !isLoose)
  if (isStrict && schema !== undefined && !isStrictSchema(schema))
    return ['The schema of the answer is sent as strict and is not.']
  const said = JSON.stringify(messages.map(({ content }) => content))
  if (schema === undefined && rules.answer !== 'package' && !/json/iu.test(said))
    return ['JSON is wanted, and no message says so.']
  return []
}
