import { createAnthropic } from '@ai-sdk/anthropic'
import { createDeepSeek } from '@ai-sdk/deepseek'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createOpenAI as createOpenAIv2 } from 'ai-provider-v2'
import { createOpenAI as createOpenAIv3 } from 'ai-provider-v3'
import { expect, test } from 'vitest'
import type { Json } from '../../../core/index.ts'
import { estimateTokens } from '../../estimate.ts'
import { assistantMessage, toolMessage, userMessage } from '../../message.ts'
import type { Message } from '../../message.ts'
import { collectReply } from '../../reply.ts'
import { fromAiSdk } from '../from-ai-sdk.ts'

/** A picture of one point, and a sound, which most providers do not take. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

const settings = { apiKey: 'key', baseURL: 'https://provider.example/v1' }

type Fetch = (url: unknown, init?: { body?: unknown }) => Promise<Response>

const providers: Readonly<Record<string, (fetch: Fetch) => unknown>> = {
  anthropic: (fetch) => createAnthropic({ ...settings, fetch })('claude-sonnet-4-5'),
  'openai responses': (fetch) => createOpenAI({ ...settings, fetch }).responses('gpt-5'),
  'openai responses, v3': (fetch) => createOpenAIv3({ ...settings, fetch }).responses('gpt-5'),
  'openai responses, v2': (fetch) => createOpenAIv2({ ...settings, fetch }).responses('gpt-5'),
  google: (fetch) => createGoogleGenerativeAI({ ...settings, fetch })('gemini-3-pro'),
  'openai chat': (fetch) => createOpenAI({ ...settings, fetch }).chat('gpt-4o'),
  deepseek: (fetch) => createDeepSeek({ ...settings, fetch })('deepseek-chat'),
  'openai-compatible': (fetch) => createOpenAICompatible({ ...settings, name: 'local', fetch })('some-model'),
}

function conversation(value: Json): readonly Message[] {
  return [
    userMessage('Look.'),
    assistantMessage([{ type: 'tool-call', toolCallId: 'call_1', name: 'look', input: {} }]),
    toolMessage([{ type: 'tool-result', toolCallId: 'call_1', name: 'look', status: 'ok', value }]),
  ]
}

/** What a provider sends over the wire for a result. */
async function sent(name: string, value: Json): Promise<Json> {
  let body = ''
  const model = providers[name]!(async (_url, init) => {
    body = String(init?.body)
    return new Response('{}', { status: 400 })
  })
  try {
    const call = { signal: new AbortController().signal, attempt: 1, idempotencyKey: 'k' }
    await collectReply(fromAiSdk(model as never).stream({ messages: conversation(value) }, call))
  } catch {
    // The provider was never meant to answer.
  }
  return JSON.parse(body) as Json
}

/** Every text of a value that holds base64 but is not base64 alone. */
function textsWith(value: Json, base64: string): string[] {
  if (typeof value === 'string') {
    const isField = value === base64 || value.startsWith('data:')
    return value.includes(base64) && !isField ? [value] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((member) => textsWith(member, base64))
}

const shapes: Readonly<Record<string, Json>> = {
  'a list of parts, as of MCP': [
    { type: 'text', text: 'Here it is.' },
    { type: 'image', mediaType: 'image/png', data: PNG, bytes: 70 },
  ],
  'MCP’s own': [
    { type: 'text', text: 'Here it is.' },
    { type: 'image', mimeType: 'image/png', data: PNG },
  ],
  'a member': { note: 'Here it is.', screenshot: { type: 'image', mediaType: 'image/png', data: PNG } },
  'a data URL': { note: 'Here it is.', screenshot: `data:image/png;base64,${PNG}` },
  'Anthropic’s': [
    { type: 'text', text: 'Here it is.' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
  ],
  'OpenAI’s': [
    { type: 'text', text: 'Here it is.' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
  ],
}

const takers = Object.keys(providers).filter((name) => name !== 'openai-compatible')

test.each(takers.flatMap((name) => Object.keys(shapes).map((shape) => [name, shape] as const)))(
  '%s: a picture in a result (%s) reaches the model as a picture, never as text',
  async (name, shape) => {
    const body = await sent(name, shapes[shape]!)
    const text = JSON.stringify(body)
    expect(text).toContain('Here it is.')
    expect(text.split(PNG)).toHaveLength(2)
    expect(textsWith(body, PNG)).toEqual([])
  },
)

test('a model that is not known to take pictures gets a note with a handle', async () => {
  const body = await sent('openai-compatible', shapes['a list of parts, as of MCP']!)
  const text = JSON.stringify(body)
  expect(text).toContain('Here it is.')
  expect(text).not.toContain(PNG)
  expect(text).toContain('[image/png, 72 bytes, not shown to this model: call_1#/1]')
})

test.each(['anthropic', 'openai responses', 'openai chat'])('%s: a sound in a result is a note', async (name) => {
  const text = JSON.stringify(await sent(name, { sound: { type: 'audio', mimeType: 'audio/wav', data: WAV } }))
  expect(text).not.toContain(WAV)
  expect(text).toContain('call_1#/sound')
})

test('a provider that takes sounds gets them', async () => {
  const body = await sent('google', { sound: { type: 'audio', mimeType: 'audio/wav', data: WAV } })
  expect(JSON.stringify(body)).toContain(WAV)
  expect(textsWith(body, WAV)).toEqual([])
})

test('where pictures follow the results, they follow all of them', async () => {
  const body = (await sent('openai chat', shapes['a member']!)) as { readonly messages: readonly { role: string }[] }
  expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
})

test('a picture counts as a picture, however many characters its base64 has', () => {
  const large = [{ type: 'image', mediaType: 'image/png', data: 'A'.repeat(400_000) }]
  expect(estimateTokens(conversation(large))).toBeLessThan(2_000)
})
