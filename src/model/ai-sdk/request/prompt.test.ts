import { expect, test } from 'vitest'
import {
  type Message,
  type Part,
  type ToolResultPart,
  assistantMessage,
  systemMessage,
  toolMessage,
  userMessage,
} from '../../message.ts'
import { sentFor } from '../ai-sdk.fixture.ts'
import type { SpecVersion } from '../spec.ts'

async function promptFor(messages: readonly Message[], version?: SpecVersion): Promise<unknown> {
  return (await sentFor(messages, version)).prompt
}

test('what a part carried goes back on the same part', async () => {
  const carried = { p: { signature: 's' } }
  const content: Part[] = [
    { type: 'reasoning', text: 'hm', providerMetadata: carried },
    { type: 'text', text: 'Hi', providerMetadata: carried },
    { type: 'text', text: '', providerMetadata: carried },
    { type: 'file', mediaType: 'image/png', data: 'AA==', providerMetadata: carried },
    { type: 'tool-call', toolCallId: 'a', name: 't', input: { x: 1 }, providerMetadata: carried },
    { type: 'tool-call', toolCallId: 'b', name: 'u', input: {}, providerExecuted: true, providerMetadata: carried },
    {
      type: 'tool-result',
      toolCallId: 'b',
      name: 'u',
      status: 'ok',
      value: 1,
      providerExecuted: true,
      providerMetadata: carried,
    },
    { type: 'custom', kind: 'p.compaction', data: { a: 1 }, providerMetadata: carried },
    {
      type: 'custom',
      kind: 'reasoning-file',
      data: { mediaType: 'text/plain', data: 'BB==' },
      providerMetadata: carried,
    },
  ]
  const providerOptions = carried
  expect(await promptFor([assistantMessage(content)])).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', providerOptions },
        { type: 'text', text: 'Hi', providerOptions },
        { type: 'text', text: '', providerOptions },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' }, providerOptions },
        { type: 'tool-call', toolCallId: 'a', toolName: 't', input: { x: 1 }, providerOptions },
        { type: 'tool-call', toolCallId: 'b', toolName: 'u', input: {}, providerExecuted: true, providerOptions },
        { type: 'tool-result', toolCallId: 'b', toolName: 'u', output: { type: 'json', value: 1 }, providerOptions },
        { type: 'custom', kind: 'p.compaction', a: 1, providerOptions },
        { type: 'reasoning-file', mediaType: 'text/plain', data: { type: 'data', data: 'BB==' }, providerOptions },
      ],
    },
  ])
})

test('a system message is one text, with the marks of its parts', async () => {
  const marked: Message = {
    role: 'system',
    content: [
      { type: 'text', text: 'Be brief. ' },
      { type: 'text', text: 'Be kind.', providerMetadata: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
    ],
  }
  expect(await promptFor([systemMessage('First.'), marked])).toEqual([
    { role: 'system', content: 'First.' },
    {
      role: 'system',
      content: 'Be brief. Be kind.',
      providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    },
  ])
})

test('pictures and files have the shape of their specification', async () => {
  const content: Part[] = [
    { type: 'image', mediaType: 'image/png', url: 'https://a.example/p.png' },
    { type: 'image', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' },
    { type: 'file', mediaType: 'application/pdf', data: 'BBBB', filename: 'b.pdf' },
  ]
  const url = new URL('https://a.example/p.png')
  const bare = [
    { type: 'file', mediaType: 'image/png', data: url },
    { type: 'file', mediaType: 'image/png', data: 'AAAA' },
    { type: 'file', mediaType: 'application/pdf', data: 'BBBB', filename: 'b.pdf' },
  ]
  expect(await promptFor([userMessage(content)], 'v2')).toEqual([{ role: 'user', content: bare }])
  expect(await promptFor([userMessage(content)], 'v3')).toEqual([{ role: 'user', content: bare }])
  expect(await promptFor([userMessage(content)], 'v4')).toEqual([
    {
      role: 'user',
      content: [
        { ...bare[0], data: { type: 'url', url } },
        { ...bare[1], data: { type: 'data', data: 'AAAA' } },
        { ...bare[2], data: { type: 'data', data: 'BBBB' } },
      ],
    },
  ])
  const lost = promptFor([userMessage([{ type: 'image', mediaType: 'image/png', url: 'p.png' }])])
  await expect(lost).rejects.toMatchObject({ code: 'INPUT_INVALID' })
})

const result = (more: Partial<ToolResultPart>): ToolResultPart => ({
  type: 'tool-result',
  toolCallId: 'a',
  name: 't',
  status: 'ok',
  value: { n: 1 },
  ...more,
})

async function outputFor(part: ToolResultPart, version?: SpecVersion): Promise<unknown> {
  const [message] = (await promptFor([toolMessage([part])], version)) as { content: { output: unknown }[] }[]
  return message!.content[0]!.output
}

test('results say what came of a call: given, failed, refused', async () => {
  expect(await outputFor(result({}))).toEqual({ type: 'json', value: { n: 1 } })
  expect(await outputFor(result({ value: 'one' }))).toEqual({ type: 'text', value: 'one' })
  expect(await outputFor(result({ text: 'n is one' }))).toEqual({ type: 'text', value: 'n is one' })
  expect(await outputFor(result({ status: 'error', value: 'broken' }))).toEqual({ type: 'error-text', value: 'broken' })
  expect(await outputFor(result({ status: 'error' }))).toEqual({ type: 'error-json', value: { n: 1 } })
  expect(await outputFor(result({ status: 'cancelled', value: 'cut' }))).toEqual({ type: 'error-text', value: 'cut' })
  const denied = result({ status: 'denied', value: 'not allowed' })
  expect(await outputFor(denied)).toEqual({ type: 'execution-denied', reason: 'not allowed' })
  expect(await outputFor(denied, 'v3')).toEqual({ type: 'execution-denied', reason: 'not allowed' })
  expect(await outputFor(denied, 'v2')).toEqual({ type: 'error-text', value: 'not allowed' })
})

test('what a role cannot say, and what older specifications have no word for, is kept back', async () => {
  const extra: Part[] = [
    { type: 'custom', kind: 'source', data: { url: 'https://a.example' } },
    { type: 'text', text: '' },
  ]
  expect(await promptFor([assistantMessage(extra)])).toEqual([])
  const compacted: Part[] = [
    { type: 'custom', kind: 'p.compaction', data: null },
    { type: 'text', text: 'Hi' },
  ]
  const hi = [{ role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }]
  expect(await promptFor([assistantMessage(compacted)], 'v3')).toEqual(hi)
  expect(await promptFor([userMessage([{ type: 'reasoning', text: 'hm' }, result({})])])).toEqual([])
  const answer: Part = { type: 'custom', kind: 'tool-approval-response', data: { approvalId: 'a', approved: true } }
  expect(await promptFor([{ role: 'tool', content: [answer, { type: 'text', text: 'x' }] }])).toEqual([
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] },
  ])
})

test('what another provider ran on its side is not sent to this one, which would look for it in vain', async () => {
  const ran = (ranBy: string): Part[] => [
    {
      type: 'tool-call',
      toolCallId: ranBy,
      name: 's',
      input: {},
      providerExecuted: true,
      providerMetadata: { mandate: { ranBy } },
    },
    {
      type: 'tool-result',
      toolCallId: ranBy,
      name: 's',
      status: 'ok',
      value: 1,
      providerExecuted: true,
      providerMetadata: { mandate: { ranBy } },
    },
  ]
  const prompt = await promptFor([
    assistantMessage([...ran('other'), ...ran('fake'), { type: 'text', text: 'Found.' }]),
  ])
  expect(prompt).toMatchObject([
    {
      content: [
        { type: 'tool-call', toolCallId: 'fake' },
        { type: 'tool-result', toolCallId: 'fake' },
        { type: 'text' },
      ],
    },
  ])
})

test('a call whose arguments were not JSON goes back with none, because providers refuse anything but an object', async () => {
  const call: Part = { type: 'tool-call', toolCallId: 'a', name: 't', input: null, invalid: '{oops' }
  expect(await promptFor([assistantMessage([call])])).toEqual([
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 't', input: {} }] },
  ])
})

test('the request is sent whole, and wins over what goes with every call', async () => {
  const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }]
  const asked = await sentFor(
    {
      messages: [],
      tools,
      toolChoice: { tool: 'look' },
      maxOutputTokens: 9,
      temperature: 0,
      seed: 4,
      responseFormat: { type: 'json', schema: { type: 'object' }, name: 'n' },
      providerOptions: { p: { a: 1 }, q: { b: 2 } },
    },
    'v4',
    { settings: { temperature: 1, topP: 0.5, reasoning: 'low', providerOptions: { p: { a: 0, c: 3 } } } },
  )
  expect(asked).toMatchObject({
    tools: [{ type: 'function', ...tools[0] }],
    toolChoice: { type: 'tool', toolName: 'look' },
    maxOutputTokens: 9,
    temperature: 0,
    seed: 4,
    topP: 0.5,
    reasoning: 'low',
    responseFormat: { type: 'json', schema: { type: 'object' }, name: 'n' },
    providerOptions: { p: { a: 1, c: 3 }, q: { b: 2 } },
  })
  expect(await sentFor({ messages: [], tools: [], toolChoice: 'required' })).not.toHaveProperty('toolChoice')
})

test("a provider's own tool takes the place of ours of the same name", async () => {
  const tools = [
    { name: 'look', inputSchema: {} },
    { name: 'shell', inputSchema: {} },
  ]
  const options = { providerTools: { shell: { id: 'openai.shell', args: { a: 1 } } } }
  const ours = { type: 'function', name: 'look', inputSchema: {} }
  expect((await sentFor({ messages: [], tools }, 'v4', options)).tools).toEqual([
    ours,
    { type: 'provider', id: 'openai.shell', name: 'shell', args: { a: 1 } },
  ])
  expect((await sentFor({ messages: [], tools }, 'v2', options)).tools).toEqual([
    ours,
    { type: 'provider-defined', id: 'openai.shell', name: 'shell', args: { a: 1 } },
  ])
})
