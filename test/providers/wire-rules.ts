/**
 * What each interface of a provider refuses, checked on the body of the request as it leaves. Written from the published rules and apart from the
 * code that keeps them, so that a mistake there is not repeated here.
 */
export type Interface = 'chat' | 'responses' | 'anthropic' | 'google'

/** The body of a request, which is read as its interface documents it. */
// oxlint-disable-next-line no-explicit-any
type Body = Readonly<Record<string, any>>
type Schema = Body

export interface WireFacts {
  /** A template that wants one instruction at the beginning, then the user. */
  readonly isTemplate?: boolean
  /** Whether the server enforces schemas. */
  readonly enforces?: boolean
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/
const GOOGLE_NAME = /^[a-zA-Z_][a-zA-Z0-9_.-]{0,62}$/
const AT_TOP = ['oneOf', 'anyOf', 'allOf', 'enum', 'not']

/** The broken rules, one sentence each. */
export function refusals(body: Body, api: Interface, facts: WireFacts = {}): string[] {
  const { tools, answer, messages } = READERS[api](body)
  return [
    ...tools.flatMap(({ name, schema }) => toolFaults(name, schema, api)),
    ...(new Set(tools.map(({ name }) => name)).size < tools.length ? ['two tools have one name'] : []),
    ...(answer === undefined ? [] : answerFaults(answer, JSON.stringify(body))),
    ...orderFaults(messages, api, facts),
  ]
}

function toolFaults(name: string, schema: Schema | undefined, api: Interface): string[] {
  const isNamed = (api === 'google' ? GOOGLE_NAME : NAME).test(name)
  return [
    ...(isNamed ? [] : [`the name ${name} is refused`]),
    ...(schema?.['type'] === 'object' && schema['properties'] !== undefined ? [] : [`${name} takes no object`]),
    ...AT_TOP.filter((keyword) => keyword in (schema ?? {})).map((keyword) => `${name} has ${keyword} at its top`),
  ]
}

interface AnswerForm {
  readonly schema?: Schema | undefined
  readonly strict?: boolean | undefined
}

function answerFaults({ schema, strict }: AnswerForm, body: string): string[] {
  if (schema === undefined) return /json/i.test(body.replace('json_object', '')) ? [] : ['no message has the word JSON']
  if (schema['type'] !== 'object') return ['the answer is no object']
  return strict === true ? strictFaults(schema, 'answer') : []
}

function strictFaults(schema: Schema, path: string): string[] {
  const faults: string[] = []
  if (schema['type'] === 'object' || schema['properties'] !== undefined) {
    if (schema['additionalProperties'] !== false) faults.push(`${path} is open`)
    for (const name of Object.keys(schema['properties'] ?? {}))
      if (!(schema['required'] ?? []).includes(name)) faults.push(`${path}.${name} is optional`)
  }
  for (const keyword of ['allOf', 'not', 'oneOf', 'propertyNames', 'patternProperties'])
    if (keyword in schema) faults.push(`${path} has ${keyword}`)
  for (const [name, inner] of Object.entries<Schema>(schema['properties'] ?? {}))
    faults.push(...strictFaults(inner, `${path}.${name}`))
  if (schema['items'] !== undefined) faults.push(...strictFaults(schema['items'], `${path}[]`))
  for (const inner of schema['anyOf'] ?? []) faults.push(...strictFaults(inner, `${path}|`))
  return faults
}

interface Said {
  readonly role: string
  readonly calls: readonly string[]
  readonly results: readonly string[]
}

function orderFaults(messages: readonly Said[], api: Interface, { isTemplate = false }: WireFacts): string[] {
  const faults: string[] = []
  const spoken = messages.filter(({ role }) => role !== 'system')
  if (spoken.length === 0) faults.push('there is no message')
  if (api !== 'chat' && api !== 'responses' && spoken[0]?.role !== 'user')
    faults.push('the first message is not of the user')
  if (isTemplate && spoken[0]?.role !== 'user') faults.push('the first message is not of the user')
  if (isTemplate && messages.slice(1).some(({ role }) => role === 'system'))
    faults.push('an instruction is behind the first')
  const open = new Set<string>()
  for (const { role, calls, results } of messages) {
    for (const id of results) if (!open.delete(id)) faults.push(`the result ${id} has no call`)
    if (open.size > 0 && results.length === 0 && !(api === 'responses' && calls.length > 0))
      faults.push(`${[...open].join()} have no result before ${role}`)
    for (const id of calls) open.add(id)
    if (api === 'chat') for (const id of calls) if (id.length > 40) faults.push(`the id ${id} is too long`)
  }
  if (open.size > 0) faults.push(`${[...open].join()} have no result`)
  return faults
}

interface Read {
  readonly tools: readonly { readonly name: string; readonly schema?: Schema }[]
  readonly answer?: AnswerForm | undefined
  readonly messages: readonly Said[]
}

const READERS: { readonly [A in Interface]: (body: Body) => Read } = {
  chat: (body) => ({
    tools: (body['tools'] ?? []).map(({ function: { name, parameters } }: Body) => ({ name, schema: parameters })),
    answer: chatAnswer(body['response_format']),
    messages: body['messages'].map(({ role, tool_calls = [], tool_call_id }: Body) => ({
      role: role === 'developer' ? 'system' : role,
      calls: tool_calls.map(({ id }: Body) => id),
      results: tool_call_id === undefined ? [] : [tool_call_id],
    })),
  }),
  responses: (body) => ({
    tools: (body['tools'] ?? []).map(({ name, parameters }: Body) => ({ name, schema: parameters })),
    answer:
      body['text']?.format?.type === undefined || body['text'].format.type === 'text'
        ? undefined
        : { schema: body['text'].format.schema, strict: body['text'].format.strict },
    messages: body['input'].map(({ role, type, call_id }: Body) => ({
      role: role === 'developer' ? 'system' : (role ?? type),
      calls: type === 'function_call' ? [call_id] : [],
      results: type === 'function_call_output' ? [call_id] : [],
    })),
  }),
  anthropic: (body) => ({
    tools: (body['tools'] ?? []).map(({ name, input_schema }: Body) => ({ name, schema: input_schema })),
    messages: body['messages'].map(({ role, content }: Body) => ({
      role,
      calls: content.filter(({ type }: Body) => type === 'tool_use').map(({ id }: Body) => id),
      results: content.filter(({ type }: Body) => type === 'tool_result').map(({ tool_use_id }: Body) => tool_use_id),
    })),
  }),
  google: (body) => ({
    tools: (body['tools'] ?? []).flatMap(({ functionDeclarations = [] }: Body) =>
      functionDeclarations.map(({ name, parametersJsonSchema, parameters }: Body) => ({
        name,
        schema: parametersJsonSchema ?? parameters ?? { type: 'object', properties: {} },
      })),
    ),
    // Results are matched by name and place, not by id.
    messages: body['contents'].map(({ role }: Body) => ({ role, calls: [], results: [] })),
  }),
}

function chatAnswer(format: Body | undefined): AnswerForm | undefined {
  if (format === undefined || format['type'] === 'text') return undefined
  return { schema: format['json_schema']?.schema, strict: format['json_schema']?.strict }
}

/** The names of the tools that are offered. */
export function offered(body: Body, api: Interface): string[] {
  return READERS[api](body).tools.map(({ name }) => name)
}
