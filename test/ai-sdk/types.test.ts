import { createAnthropic } from '@ai-sdk/anthropic'
import { createDeepSeek } from '@ai-sdk/deepseek'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type {
  EmbeddingModelV2,
  EmbeddingModelV3,
  EmbeddingModelV4,
  LanguageModelV2,
  LanguageModelV3,
  LanguageModelV4,
} from '@ai-sdk/provider'
import { createOpenAI as createOpenAI2 } from 'ai-provider-v2'
import { createOpenAI as createOpenAI3 } from 'ai-provider-v3'
import { type AiSdkEmbeddingModel, fromAiSdk } from 'mandate/model'
import type { AiSdkLanguageModel } from '../../src/model/index.ts'
import type { AiSdkProviderTool } from '../../src/model/ai-sdk/spec.ts'
import { expect, expectTypeOf, test } from 'vitest'

test('the official types of every specification are models for us, without a cast', () => {
  expectTypeOf<LanguageModelV2>().toExtend<AiSdkLanguageModel>()
  expectTypeOf<LanguageModelV3>().toExtend<AiSdkLanguageModel>()
  expectTypeOf<LanguageModelV4>().toExtend<AiSdkLanguageModel>()
  expectTypeOf<EmbeddingModelV2<string>>().toExtend<AiSdkEmbeddingModel>()
  expectTypeOf<EmbeddingModelV3>().toExtend<AiSdkEmbeddingModel>()
  expectTypeOf<EmbeddingModelV4>().toExtend<AiSdkEmbeddingModel>()
  const search: AiSdkProviderTool = createOpenAI({ apiKey: 'k' }).tools.webSearch({})
  expect(search.id).toBe('openai.web_search')
})

test('what the real packages make is taken as it is, and named as prices name it', () => {
  const apiKey = 'k'
  const baseURL = 'http://127.0.0.1:9'
  const ids = [
    fromAiSdk(createOpenAI({ apiKey })('gpt-5')),
    fromAiSdk(createOpenAI({ apiKey }).chat('gpt-5')),
    fromAiSdk(createOpenAI2({ apiKey })('gpt-5')),
    fromAiSdk(createOpenAI3({ apiKey })('gpt-5')),
    fromAiSdk(createAnthropic({ apiKey })('claude-opus-5')),
    fromAiSdk(createGoogle({ apiKey })('gemini-2.5-pro')),
    fromAiSdk(createDeepSeek({ apiKey })('deepseek-chat')),
    fromAiSdk(createOpenAICompatible({ name: 'local', baseURL })('vendor/model')),
  ].map((model) => model.id)
  expect(ids).toEqual([
    'openai/gpt-5',
    'openai/gpt-5',
    'openai/gpt-5',
    'openai/gpt-5',
    'anthropic/claude-opus-5',
    'google/gemini-2.5-pro',
    'deepseek/deepseek-chat',
    'local/vendor/model',
  ])
})

test('a model of another specification is refused with what would do', () => {
  const old = { specificationVersion: 'v1', provider: 'p', modelId: 'm' }
  expect(() => fromAiSdk(old as unknown as AiSdkLanguageModel)).toThrow(/specification v2, v3 or v4.*"v1"/)
})
