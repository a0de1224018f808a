import { isRecord } from '../../core/index.ts'
import type { ModelRequest } from '../model.ts'
import { toolCallsOf, toolResultsOf } from '../message.ts'
import { isStrictSchema } from './answer-schema.ts'
import { isCallId, isForeignThought, isToolName } from './rules.ts'
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
  const { toolsMax = Infinity } = rules
  const names = new Set<string>()
  if (tools.length > toolsMax) wrong.push(`There are ${tools.length} tools; at most ${toolsMax} are taken.`)
  for (const { name, inputSchema } of tools) {
    if (!isToolName(name, rules)) wrong.push(`The name of tool "${name}" is refused.`)
    if (names.has(name)) wrong.push(`There are two tools "${name}".`)
    names.add(name)
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

function brokenCalls({ messages }: ModelRequest, rules: ProviderRules): string[] {
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
    for (const id of open) if (!isCallId(id, rules)) wrong.push(`The call id ${id} is refused.`)
    if (message.content.some((part) => isForeignThought(part, rules)))
      wrong.push('Thoughts of another provider are sent.')
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
  if (schema !== undefined || rules.answer === 'package') return []
  // Written only here: a conversation may hold megabytes of pictures.
  const said = JSON.stringify(messages.map(({ content }) => content))
  return /json/iu.test(said) ? [] : ['JSON is wanted, and no message says so.']
}
