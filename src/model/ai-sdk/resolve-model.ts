import { MandateError, messageOf, checkFields } from '../../core/index.ts'
import type { EmbeddingModel } from '../embedding.ts'
import type { Model } from '../model.ts'
import {
  FROM_AI_SDK_EMBEDDING_OPTIONS,
  type FromAiSdkEmbeddingOptions,
  fromAiSdkEmbedding,
} from './from-ai-sdk-embedding.ts'
import { FROM_AI_SDK_OPTIONS, type FromAiSdkOptions, fromAiSdk } from './from-ai-sdk.ts'
import { type ModelSources, type ParsedModelId, parseModelId, settingsOf } from './model-id.ts'
import type { AiSdkEmbeddingModel, AiSdkLanguageModel } from './spec.ts'

/**
 * Creates a model from an id such as `openai/gpt-5`, with the AI SDK package of that provider and the usual environment variables.
 * `openai.chat/gpt-5` also selects the API, for providers with several.
 *
 * @example
 * ```ts
 * import { resolveModel } from 'mandate/model'
 * const model = await resolveModel('openai/gpt-5', { load: (name) => import(name), env: process.env })
 * ```
 */
export async function resolveModel(
  id: string,
  sources: ModelSources,
  options: Omit<FromAiSdkOptions, 'id'> = {},
): Promise<Model> {
  checkFields(options, 'an option of a model', FROM_AI_SDK_OPTIONS)
  const parsed = parseModelId(id, sources)
  const provider = await openProvider(parsed, sources)
  const make = parsed.api === undefined ? ['languageModel'] : [parsed.api, `${parsed.api}Model`]
  const model = callFirst(provider, make, parsed)
  return fromAiSdk(model as AiSdkLanguageModel, { ...options, id: parsed.id })
}

/**
 * Creates an embedding model from an id such as `openai/text-embedding-3-small`; otherwise like `resolveModel`.
 *
 * @example
 * ```ts
 * import { resolveEmbeddingModel } from 'mandate/model'
 * const id = 'openai/text-embedding-3-small'
 * const model = await resolveEmbeddingModel(id, { load: (name) => import(name), env: process.env })
 * ```
 */
export async function resolveEmbeddingModel(
  id: string,
  sources: ModelSources,
  options: Omit<FromAiSdkEmbeddingOptions, 'id'> = {},
): Promise<EmbeddingModel> {
  checkFields(options, 'an option of an embedding model', FROM_AI_SDK_EMBEDDING_OPTIONS)
  const parsed = parseModelId(id, sources)
  const provider = await openProvider(parsed, sources)
  const model = callFirst(provider, ['embeddingModel', 'textEmbeddingModel'], parsed)
  return fromAiSdkEmbedding(model as AiSdkEmbeddingModel, { ...options, id: parsed.id })
}

async function openProvider(parsed: ParsedModelId, sources: ModelSources): Promise<unknown> {
  const { row, id } = parsed
  const settings = settingsOf(parsed, sources.env)
  const module = (await loadPackage(parsed, sources)) as Record<string, unknown>
  const factory = row.factory.map((name) => module[name]).find((one) => typeof one === 'function')
  if (factory === undefined) {
    throw invalid(
      `"${id}": ${row.package} has no ${row.factory.join(' or ')}. Install a newer one: npm install ${row.package}@latest`,
    )
  }
  return (factory as (settings: object) => unknown)(settings)
}

async function loadPackage({ row, id }: ParsedModelId, { load }: ModelSources): Promise<unknown> {
  try {
    return await load(row.package)
  } catch (cause) {
    const isMissing = messageOf(cause).includes(row.package)
    const what = isMissing ? 'is not installed' : `could not be loaded (${messageOf(cause)})`
    throw invalid(`"${id}" needs the package ${row.package}, which ${what}. Run: npm install ${row.package}`, cause)
  }
}

function callFirst(provider: unknown, methods: readonly string[], { id, row, modelId }: ParsedModelId): unknown {
  const made = provider as Record<string, unknown>
  const method = methods.find((name) => typeof made[name] === 'function')
  if (method === undefined) throw invalid(`"${id}": ${row.package} has no ${methods.join(' or ')}.`)
  try {
    return (made[method] as (modelId: string) => unknown)(modelId)
  } catch (cause) {
    throw invalid(`"${id}": ${row.package} refuses it: ${messageOf(cause)}`, cause)
  }
}

function invalid(message: string, cause?: unknown): MandateError {
  return new MandateError('CONFIG_INVALID', message, { cause })
}
