import { setTimeout as wait } from 'node:timers/promises'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequests,
  type McpServer,
  acceptedContent,
  inputRequired,
} from '@modelcontextprotocol/server'
import { AgentService, type Json } from 'mandate'
import { type Tool, defineTool } from 'mandate/tool'
import type { OfferedPrompt, OfferedResource, SealState } from '../../src/server/mcp/options.ts'
import { mcpServer } from 'mandate/server'
import { z } from 'zod'

/** What the public suite wants to find on a server. It prints its address and serves until it is killed. */

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const SOUND = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='
const NOTHING = { type: 'object', properties: {} } as const

const embedded = {
  type: 'resource',
  uri: 'test://embedded-resource',
  mediaType: 'text/plain',
  text: 'This is an embedded resource content.',
}
const mixed = [
  { type: 'text', text: 'Multiple content types test:' },
  { type: 'image', mediaType: 'image/png', data: PIXEL },
  {
    type: 'resource',
    uri: 'test://mixed-content-resource',
    mediaType: 'application/json',
    text: '{"test":"data","value":123}',
  },
]

const tool = (name: string, run: Tool['run']): Tool =>
  defineTool({ name, description: `The suite's ${name}.`, inputSchema: NOTHING, risk: 'read', run })

const tools = [
  tool('test_simple_text', () => 'This is a simple text response for testing.'),
  tool('test_image_content', () => [{ type: 'image', mediaType: 'image/png', data: PIXEL }]),
  tool('test_audio_content', () => [{ type: 'audio', mediaType: 'audio/wav', data: SOUND }]),
  tool('test_embedded_resource', () => [embedded]),
  tool('test_multiple_content_types', () => mixed),
  tool('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing')
  }),
  tool('test_tool_with_logging', async (_input, context) => {
    for (const text of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      context.emit('log', { level: 'info', text })
      await wait(50)
    }
    return 'logged'
  }),
  tool('test_tool_with_progress', async function* () {
    for (const progress of [0, 50, 100]) {
      yield { progress, total: 100 }
      await wait(50)
    }
    return 'done'
  }),
  tool('test_logging_tool', (_input, context) => {
    context.emit('log', { text: 'not asked for' })
    return 'logged'
  }),
  // An approval, put to the person behind the client.
  defineTool({
    name: 'test_streaming_elicitation',
    description: 'Needs approval.',
    inputSchema: NOTHING,
    needsApproval: true,
    run: () => 'approved',
  }),
  defineTool({
    name: 'json_schema_2020_12_tool',
    description: 'Tool with JSON Schema 2020-12 features',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    run: () => 'fits',
  }),
]

const text = (said: string): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: said }],
})

const prompts: OfferedPrompt[] = [
  {
    name: 'test_simple_prompt',
    description: 'A text.',
    get: () => [{ role: 'user', content: { type: 'text', text: 'This is a simple prompt for testing.' } }],
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'A text with two holes.',
    arguments: [
      {
        name: 'arg1',
        description: 'First test argument',
        required: true,
        complete: (typed) => ['paris', 'park', 'party'].filter((word) => word.startsWith(typed)),
      },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
    get: ({ arg1, arg2 }) => [
      { role: 'user', content: { type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` } },
    ],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A document.',
    arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
    get: ({ resourceUri }) => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: { uri: resourceUri!, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
      },
      { role: 'user', content: { type: 'text', text: 'Please process the embedded resource above.' } },
    ],
  },
  {
    name: 'test_prompt_with_image',
    description: 'A picture.',
    get: () => [
      { role: 'user', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
      { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
    ],
  },
]

const resources: OfferedResource[] = [
  {
    uri: 'test://static-text',
    name: 'static-text',
    description: 'A text.',
    mimeType: 'text/plain',
    read: () => 'This is the content of the static text resource.',
  },
  {
    uri: 'test://static-binary',
    name: 'static-binary',
    description: 'A picture.',
    mimeType: 'image/png',
    read: () => Buffer.from(PIXEL, 'base64'),
  },
  {
    uri: 'test://watched-resource',
    name: 'watched-resource',
    description: 'Changes every now and then.',
    mimeType: 'text/plain',
    read: () => 'now',
    watch: (changed) => {
      const timer = setInterval(changed, 500)
      return () => clearInterval(timer)
    },
  },
  {
    uri: 'test://template/{id}/data',
    name: 'template',
    description: 'One for each id.',
    mimeType: 'application/json',
    read: (_uri, { id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  },
]

const form = (message: string, properties: object): ReturnType<typeof inputRequired.elicit> =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties, required: Object.keys(properties) } as never,
  })
const word = { type: 'string' } as const
const sample = (said: string, maxTokens: number): ReturnType<typeof inputRequired.createMessage> =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: said } }], maxTokens })

const enums = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: {
    type: 'string',
    oneOf: [
      { const: 'value1', title: 'First Option' },
      { const: 'value2', title: 'Second Option' },
      { const: 'value3', title: 'Third Option' },
    ],
  },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: {
    type: 'array',
    items: {
      anyOf: [
        { const: 'value1', title: 'First Choice' },
        { const: 'value2', title: 'Second Choice' },
        { const: 'value3', title: 'Third Choice' },
      ],
    },
  },
}
const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
}

type Answers = Readonly<Record<string, { action?: string; content?: unknown } | undefined>>

/** What the protocol has and Mandate does not: questions of other kinds, under names of the suite's choosing. */
function extend(server: McpServer, seal: SealState): void {
  const asking = (
    name: string,
    schema: z.ZodObject,
    ask: (input: never) => ReturnType<typeof inputRequired.elicit>,
  ): void => {
    server.registerTool(name, { description: name, inputSchema: schema }, (input, { mcpReq }) => {
      const answer = (mcpReq.inputResponses as Answers | undefined)?.['form']
      if (answer === undefined) return inputRequired({ inputRequests: { form: ask(input as never) } })
      return text(`Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content)}`)
    })
  }
  asking('test_elicitation', z.object({ message: z.string() }), ({ message }: { message: string }) =>
    form(message, {
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    }),
  )
  asking('test_elicitation_sep1034_defaults', z.object({}), () => form('Defaults', defaults))
  asking('test_elicitation_sep1330_enums', z.object({}), () => form('Enums', enums))
  server.registerTool(
    'test_sampling',
    { description: 'Asks the client.', inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, { mcpReq }) => {
      const answer = (mcpReq.inputResponses as Record<string, { content?: { text?: string } }> | undefined)?.['model']
      if (answer === undefined) return inputRequired({ inputRequests: { model: sample(prompt, 100) } })
      return text(`LLM response: ${answer.content?.text ?? ''}`)
    },
  )
  server.registerTool('test_missing_capability', { description: 'Needs a model of the client.' }, () =>
    inputRequired({ inputRequests: { model: sample('Say something', 10) } }),
  )
  addRounds(server, seal)
}

function addRounds(server: McpServer, seal: SealState): void {
  const one = (
    name: string,
    requests: (state: unknown) => InputRequests,
    done: (answers: Answers, state: unknown) => string | undefined,
    sealed?: (state: unknown) => Json,
  ): void => {
    server.registerTool(name, { description: name, inputSchema: z.object({}) }, async (_input, context) => {
      const state = context.mcpReq.requestState()
      const said = done((context.mcpReq.inputResponses ?? {}) as Answers, state)
      if (said !== undefined) return text(said)
      const inputRequests = requests(state)
      if (sealed === undefined) return inputRequired({ inputRequests })
      return inputRequired({ inputRequests, requestState: await seal(sealed(state), context) })
    })
  }
  const nameIn = (answers: Answers, key: string): string | undefined =>
    acceptedContent(answers as never, key, z.object({ name: z.string() }))?.name
  const named = { user_name: form('What is your name?', { name: word }) }
  one(
    'test_input_required_result_elicitation',
    () => named,
    (answers) => {
      const name = nameIn(answers, 'user_name')
      return name === undefined ? undefined : `Hello, ${name}!`
    },
  )
  one(
    'test_input_required_result_sampling',
    () => ({ capital_question: sample('What is the capital of France?', 100) }),
    (answers) => (answers['capital_question'] === undefined ? undefined : JSON.stringify(answers['capital_question'])),
  )
  one(
    'test_input_required_result_list_roots',
    () => ({ client_roots: inputRequired.listRoots() }),
    (answers) => (answers['client_roots'] === undefined ? undefined : JSON.stringify(answers['client_roots'])),
  )
  // Only what the client can answer is asked.
  server.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Asks what the client can answer.', inputSchema: z.object({}) },
    (_input, { mcpReq }) => {
      const can = (mcpReq.envelope as Record<string, Record<string, unknown>> | undefined)?.[
        CLIENT_CAPABILITIES_META_KEY
      ]
      const inputRequests: InputRequests = {
        ...(can?.['elicitation'] === undefined ? {} : named),
        ...(can?.['sampling'] === undefined ? {} : { greeting: sample('Generate a greeting', 50) }),
      }
      return Object.keys(inputRequests).length === 0 ? text('nothing can be asked') : inputRequired({ inputRequests })
    },
  )
  const confirm = { confirm: form('Please confirm', { ok: { type: 'boolean' } }) }
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state'])
    one(
      name,
      () => confirm,
      (answers, state) => (answers['confirm'] === undefined || state === undefined ? undefined : 'state-ok'),
      () => 'kept',
    )
  one(
    'test_input_required_result_multiple_inputs',
    () => ({ ...named, greeting: sample('Generate a greeting', 50), client_roots: inputRequired.listRoots() }),
    (answers) =>
      ['user_name', 'greeting', 'client_roots'].every((key) => answers[key] !== undefined) ? 'all there' : undefined,
    () => 'asked',
  )
  one(
    'test_input_required_result_multi_round',
    (state) =>
      state === undefined
        ? { step1: form('Step 1: What is your name?', { name: word }) }
        : { step2: form('Step 2: What is your favorite color?', { color: word }) },
    (answers) => (answers['step2'] === undefined ? undefined : 'both steps done'),
    (state) => (state === undefined ? 1 : 2),
  )
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'Asks before it speaks.' },
    ({ mcpReq }) => {
      const answer = (mcpReq.inputResponses as Answers | undefined)?.['user_context']
      if (answer === undefined)
        return inputRequired({
          inputRequests: { user_context: form('What context should the prompt use?', { context: word }) },
        })
      return { messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(answer.content) } }] }
    },
  )
}

const service = new AgentService({ tools, mandate: { grant: ['*'] } })
const server = await mcpServer({
  service,
  name: 'conformance',
  tools: tools.map(({ name }) => name),
  prompts,
  resources,
  extend,
})
const { url } = await server.listen()
process.stdout.write(`${url}\n`)
