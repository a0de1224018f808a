import { createOpenAI } from '@ai-sdk/openai'
import { toolCallsOf } from '../../src/model/index.ts'
import type { FromAiSdkOptions } from '../../src/model/ai-sdk/from-ai-sdk.ts'
import { type ModelReply, fromAiSdk, userMessage } from 'mandate/model'
import { describe, expect, test } from 'vitest'
import { ask, goOn } from './conversation.ts'
import { loopback } from './loopback.ts'
import { at } from './raw-json.ts'
import { type Recording, readRecordings } from './recordings.ts'
import { wires } from './wires.ts'

const recordings = readRecordings().filter((one) => !one.isError && !one.isBroken)

/** Plays a recording, goes on after it, and gives what the provider was sent the second time. */
async function resend(
  recording: Recording,
  options: FromAiSdkOptions = {},
): Promise<{ reply: ModelReply; sent: string; body: unknown }> {
  await using server = await loopback(recording.answer)
  const model = fromAiSdk(wires[recording.wire].model(server.url), { streaming: !recording.isWhole, ...options })
  const reply = await ask(model, [userMessage('Begin.')])
  await ask(model, goOn(reply))
  const { body } = server.asked[1]!
  return { reply, body, sent: JSON.stringify(body) }
}

function find(name: string): Recording | undefined {
  return recordings.find((one) => one.name === name)
}

/** Nothing is kept at the provider, so everything has to be in the request. */
const unstored: FromAiSdkOptions = { settings: { providerOptions: { openai: { store: false } } } }

describe.skipIf(recordings.length === 0)('a conversation goes on after every recorded answer', () => {
  test.each(recordings.map((one) => [one.name, one] as const))('%s', async (_name, recording) => {
    const { reply, sent } = await resend(recording, unstored)
    expect(sent).toContain('Begin.')
    for (const part of reply.message.content) {
      // Anthropic's package trims the end of what is sent.
      if (part.type === 'text') expect(sent).toContain(JSON.stringify(part.text.trimEnd()).slice(1, -1))
    }
    for (const { toolCallId } of toolCallsOf(reply.message)) {
      if (recording.wire !== 'google') expect(sent).toContain(toolCallId)
    }
  })
})

const marks: readonly [recording: string, what: string, path: (payload: unknown) => unknown][] = [
  [
    'anthropic/anthropic-clear-thinking.1.chunks.txt',
    'the signature of a thought',
    (one) => at(one, 'delta.signature'),
  ],
  ['anthropic/anthropic-clear-thinking.1.json', 'the signature of a thought', (one) => at(one, 'content.0.signature')],
  [
    'google/google-tool-call.chunks.txt',
    'the signature of a call',
    (one) => at(one, 'candidates.0.content.parts.0.thoughtSignature'),
  ],
  [
    'google/google-tool-call-gemini3.json',
    'the signature of a call',
    (one) => at(one, 'candidates.0.content.parts.0.thoughtSignature'),
  ],
  ['google/tool-call-step1.chunks.txt', 'the signature of a thought', (one) => at(one, 'delta.signature')],
  [
    'openai/openai-reasoning-encrypted-content.1.json',
    'encrypted reasoning',
    (one) => at(one, 'output.0.encrypted_content'),
  ],
  ['openai/openai-phase.1.json', 'the phase of a text', (one) => at(one, 'output.0.phase')],
  [
    'anthropic/anthropic-web-search-tool.1.json',
    'encrypted search results',
    (one) => at(one, 'content.1.content.0.encrypted_content'),
  ],
  [
    'anthropic/anthropic-compaction.1.json',
    'the summary in place of old messages',
    (one) => at(one, 'content.0.content'),
  ],
  [
    'deepseek/deepseek-tool-call.json',
    'the reasoning before a call',
    (one) => at(one, 'choices.0.message.reasoning_content'),
  ],
]

describe.skipIf(recordings.length === 0)('what a provider attached comes back to it unchanged', () => {
  test.each(marks)('%s: %s', async (name, _what, path) => {
    const recording = find(name)!
    const mark = recording.payloads.map(path).find((one) => typeof one === 'string' && one !== '')
    expect(typeof mark).toBe('string')
    const { sent } = await resend(recording, unstored)
    expect(sent).toContain(JSON.stringify(mark).slice(1, -1))
  })
})

test.skipIf(recordings.length === 0)('items that the provider keeps are referred to by their ids', async () => {
  const recording = find('openai/openai-reasoning-encrypted-content.1.json')!
  const { body } = await resend(recording)
  expect(JSON.stringify(body)).toContain('item_reference')
})

test.skipIf(recordings.length === 0)(
  'calls that the provider ran itself are recorded, are not ours to run, and go back with their results',
  async () => {
    for (const name of [
      'anthropic/anthropic-web-search-tool.1.chunks.txt',
      'anthropic/anthropic-code-execution-20250825.1.json',
      'anthropic/anthropic-mcp.1.json',
    ]) {
      const { reply, sent } = await resend(find(name)!)
      const hosted = reply.message.content.filter((part) => part.type === 'tool-call' && part.providerExecuted === true)
      const results = reply.message.content.filter((part) => part.type === 'tool-result')
      expect(hosted.length).toBeGreaterThan(0)
      expect(results).toHaveLength(hosted.length)
      expect(toolCallsOf(reply.message)).toEqual([])
      for (const call of hosted)
        expect(sent.split(call.type === 'tool-call' ? call.toolCallId : '').length).toBeGreaterThan(2)
    }
  },
)

test.skipIf(recordings.length === 0)(
  "a provider's own tools are offered to it, and what it ran in its container is not ours to run",
  async () => {
    const shell = createOpenAI({ apiKey: 'k' }).tools.shell({ environment: { type: 'containerAuto' } })
    const recording = find('openai/openai-shell-container.1.chunks.txt')!
    const { reply, body } = await resend(recording, { providerTools: { shell } })
    expect(at(body, 'tools')).toMatchObject([{ type: 'shell' }])
    expect(toolCallsOf(reply.message)).toEqual([])
    expect(reply.message.content.map((part) => part.type)).toEqual(['tool-call', 'tool-result', 'text'])
  },
)
