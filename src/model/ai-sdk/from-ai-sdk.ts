import { checkName, type Clock, MandateError, checkFields, type FieldNames } from '../../core/index.ts'
import { checkCapabilities } from '../model.ts'
import type { Model, ModelCallContext, ModelCapabilities, ModelPart, ModelRequest } from '../model.ts'
import { isOnLoopback } from '../prices/loopback.ts'
import type { AiSdkLanguageModel, AiSdkProviderTool, AiSdkSettings } from './spec.ts'

export interface FromAiSdkOptions {
  /** `provider/modelId`: the id in prices and journals. Derived from the model's own names by default. */
  readonly id?: string | undefined
  /** The capabilities of the model, if it does not declare them itself. */
  readonly capabilities?: ModelCapabilities | undefined
  /** `false`: requests complete answers, for models and servers that do not stream. */
  readonly streaming?: boolean | undefined
  /** Sent with every call: `topP`, `reasoning`, `headers`, `providerOptions`, … Options of a request override them. */
  readonly settings?: AiSdkSettings | undefined
  /** Tools of the provider, by name. Those that it executes itself are recorded, never executed here. */
  readonly providerTools?: { readonly [name: string]: AiSdkProviderTool } | undefined
  /** Accepts answers that end without a reason instead of failing: for servers that never give one. */
  readonly acceptUnfinished?: boolean | undefined
  /** For `Retry-After` dates. */
  readonly clock?: Clock | undefined
}

export const FROM_AI_SDK_OPTIONS: FieldNames<FromAiSdkOptions> = {
  id: true,
  capabilities: 'object',
  streaming: 'flag',
  settings: 'object',
  providerTools: 'object',
  acceptUnfinished: 'flag',
  clock: 'object',
}

/**
 * Wraps an AI SDK language model of specification v2, v3 or v4.
 *
 * What a provider attaches to a part (signatures, cache marks) is kept with it and sent back on the same part; unknown kinds of parts are kept as
 * `custom`; calls that the provider executes itself are recorded and not executed here.
 *
 * @example
 * ```ts
 * import { openai } from '@ai-sdk/openai'
 * import { fromAiSdk } from 'mandate/model'
 * const model = fromAiSdk(openai('gpt-5'))
 * ```
 */
export function fromAiSdk(model: AiSdkLanguageModel, options: FromAiSdkOptions = {}): Model {
  checkFields(options, 'an option of `fromAiSdk`', FROM_AI_SDK_OPTIONS)
  checkCapabilities(options.capabilities)
  const version = checkVersion(model)
  const { id, provider, modelId } = namesOf(model, options.id)
  const capabilities = {
    tools: true,
    streaming: options.streaming !== false,
    ...modalitiesOf(model.supportedUrls),
    ...(isOnLoopback(model) ? { local: true } : {}),
  }
  return {
    id,
    provider,
    modelId,
    capabilities: { ...capabilities, ...options.capabilities },
    async *stream(request: ModelRequest, { signal }: ModelCallContext): AsyncGenerator<ModelPart> {
      // Imported with the first call: creating a model does not need it.
      const { ask } = await import('./model-request.ts')
      const { modalities } = { ...capabilities, ...options.capabilities }
      yield* ask({ model, version, id, provider, modalities, options }, request, signal)
    },
  }
}

/** The provider's name is `openai.responses` or similar; prices and people use `openai`. */
export function namesOf(
  model: { readonly provider: string; readonly modelId: string },
  given: string | undefined,
): { readonly id: string; readonly provider: string; readonly modelId: string } {
  const id = given ?? `${model.provider.split('.')[0]}/${model.modelId}`
  checkName(id, 'The id of a model')
  const slash = id.indexOf('/')
  if (slash > 0 && slash < id.length - 1) return { id, provider: id.slice(0, slash), modelId: id.slice(slash + 1) }
  throw new MandateError(
    'CONFIG_INVALID',
    `The model id "${id}" is not of the form provider/model, such as "openai/gpt-5".`,
  )
}

/** Throws if the model has no supported specification version. */
export function checkVersion(model: { readonly specificationVersion?: unknown }): 'v2' | 'v3' | 'v4' {
  const version = model?.specificationVersion
  if (version === 'v2' || version === 'v3' || version === 'v4') return version
  const given = version === undefined ? 'none' : JSON.stringify(version)
  throw new MandateError(
    'CONFIG_INVALID',
    `This is no AI SDK model of specification v2, v3 or v4 (its \`specificationVersion\` is ${given}). Give what a provider makes, such as openai('gpt-5').`,
  )
}

/** Models do not declare their input modalities, but most declare which URLs they fetch, by media type. */
function modalitiesOf(supportedUrls: unknown): { readonly modalities?: readonly string[] } {
  if (typeof supportedUrls !== 'object' || supportedUrls === null || 'then' in supportedUrls) return {}
  const types = Object.keys(supportedUrls)
  const image = types.some((type) => type.startsWith('image/') || type.startsWith('*')) ? ['image'] : []
  const file = types.some((type) => type.startsWith('application/') || type.startsWith('*')) ? ['file'] : []
  return image.length + file.length === 0 ? {} : { modalities: [...image, ...file] }
}
