import { createAnthropic } from '@ai-sdk/anthropic'
import { createDeepSeek } from '@ai-sdk/deepseek'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createOpenAI as createOpenAI2 } from 'ai-provider-v2'
import { createOpenAI as createOpenAI3 } from 'ai-provider-v3'
import type { AiSdkLanguageModel } from '../../src/model/index.ts'

/** A wire format, spoken by a real provider package. */
export interface Wire {
  readonly name: string
  /** The provider's model, pointed at a server of ours. */
  readonly model: (url: string) => AiSdkLanguageModel
  /** Payloads, one JSON text each, as the event stream they came in. */
  readonly stream: (payloads: readonly string[]) => string
}

const apiKey = 'test-key'
const plain = (payloads: readonly string[]): string => payloads.map((line) => `data: ${line}\n\n`).join('')
const done = (payloads: readonly string[]): string => `${plain(payloads)}data: [DONE]\n\n`
const named = (payloads: readonly string[]): string =>
  payloads.map((line) => `event: ${(JSON.parse(line) as { type: string }).type}\ndata: ${line}\n\n`).join('')

export type WireName =
  | 'chat'
  | 'responses'
  | 'anthropic'
  | 'google'
  | 'interactions'
  | 'deepseek'
  | 'compatible'
  | 'chatV2'
  | 'responsesV2'
  | 'chatV3'
  | 'responsesV3'

export const wires: Readonly<Record<WireName, Wire>> = {
  chat: { name: 'openai chat', model: (baseURL) => createOpenAI({ apiKey, baseURL }).chat('gpt-4o'), stream: done },
  responses: {
    name: 'openai responses',
    model: (baseURL) => createOpenAI({ apiKey, baseURL })('gpt-5'),
    stream: plain,
  },
  anthropic: {
    name: 'anthropic',
    model: (baseURL) => createAnthropic({ apiKey, baseURL })('claude-sonnet-4-5'),
    stream: named,
  },
  google: { name: 'google', model: (baseURL) => createGoogle({ apiKey, baseURL })('gemini-2.5-flash'), stream: plain },
  interactions: {
    name: 'google interactions',
    model: (baseURL) => createGoogle({ apiKey, baseURL }).interactions('gemini-2.5-flash'),
    stream: plain,
  },
  deepseek: {
    name: 'deepseek',
    model: (baseURL) => createDeepSeek({ apiKey, baseURL })('deepseek-chat'),
    stream: done,
  },
  compatible: {
    name: 'openai-compatible',
    model: (baseURL) => createOpenAICompatible({ name: 'local', baseURL, includeUsage: true })('some-model'),
    stream: done,
  },
  chatV2: {
    name: 'openai chat, v2',
    model: (baseURL) => createOpenAI2({ apiKey, baseURL }).chat('gpt-4o'),
    stream: done,
  },
  responsesV2: {
    name: 'openai responses, v2',
    model: (baseURL) => createOpenAI2({ apiKey, baseURL })('gpt-5'),
    stream: plain,
  },
  chatV3: {
    name: 'openai chat, v3',
    model: (baseURL) => createOpenAI3({ apiKey, baseURL }).chat('gpt-4o'),
    stream: done,
  },
  responsesV3: {
    name: 'openai responses, v3',
    model: (baseURL) => createOpenAI3({ apiKey, baseURL })('gpt-5'),
    stream: plain,
  },
}
