import { type Clock, MandateError, systemClock } from '../../core/index.ts'
import type { Model, ModelCallContext, ModelCapabilities, ModelPart, ModelRequest } from '../model.ts'
import { callOptions } from './call-options.ts'
import { cutBy, readStream, untilCut } from './cutting.ts'
import { failureOf } from './failure.ts'
import { PartReader } from './part-reader.ts'
import type {
  AiSdkCallOptions,
  AiSdkLanguageModel,
  AiSdkProviderTool,
  AiSdkSettings,
  AiSdkWhole,
  WirePart,
} from './spec.ts'

export interface FromAiSdkOptions {
  /** `provider/modelId`: what prices and journals go by. Made of the model's own names when absent. */
  readonly id?: string | undefined
  /** What the model can do, where it does not say so itself. */
  readonly capabilities?: ModelCapabilities | undefined
  /** `false`: asks for the whole answer at once, for models and servers that do not stream. */
  readonly streaming?: boolean | undefined
  /** Sent with every call: `topP`, `reasoning`, `headers`, `providerOptions`, … What a request says wins. */
  readonly settings?: AiSdkSettings | undefined
  /** Tools that the provider brings, by the name they get. Those it runs itself are recorded, never run here. */
  readonly providerTools?: { readonly [name: string]: AiSdkProviderTool } | undefined
  /** Takes answers that end without a reason instead of failing: for servers that never give one. */
  readonly acceptUnfinished?: boolean | undefined
  /** For `Retry-After` dates. */
  readonly clock?: Clock | undefined
}

/**
 * Makes a model of an AI SDK language model, of specification v2, v3 or v4.
 *
 * What a provider attaches to a part (signatures, cache marks) is kept with it and sent back on the same part; parts that are newer than
 * this code are kept as `custom`; calls that the provider runs itself are recorded and not run here.
 *
 * @example
 * ```ts
 * import { openai } from '@ai-sdk/openai'
 * import { fromAiSdk } from 'mandate/model'
 * const model = fromAiSdk(openai('gpt-5'))
 * ```
 */
export function fromAiSdk(model: AiSdkLanguageModel, options: FromAiSdkOptions = {}): Model {
  const version = checkVersion(model)
  const { id, provider, modelId } = namesOf(model, options.id)
  const isWhole = options.streaming === false
  const setup = { version, provider, settings: options.settings, providerTools: options.providerTools }
  return {
    id,
    provider,
    modelId,
    capabilities: { tools: true, streaming: !isWhole, ...modalitiesOf(model.supportedUrls), ...options.capabilities },
    async *stream(request: ModelRequest, { signal }: ModelCallContext): AsyncGenerator<ModelPart> {
      const acceptUnfinished = options.acceptUnfinished === true
      const reader = new PartReader({ id, provider, request, acceptUnfinished })
      try {
        const asked = callOptions(request, setup, signal)
        const parts = isWhole ? askWhole(model, asked, signal) : askStream(model, asked, signal)
        for await (const part of parts) yield* reader.read(part)
        yield* reader.end()
      } catch (error) {
        throw signal.aborted ? cutBy(signal) : failureOf(error, id, options.clock ?? systemClock)
      }
    },
  }
}

/** The provider's name is `openai.responses` and the like; prices and people say `openai`. */
export function namesOf(
  model: { readonly provider: string; readonly modelId: string },
  given: string | undefined,
): { readonly id: string; readonly provider: string; readonly modelId: string } {
  const id = given ?? `${model.provider.split('.')[0]}/${model.modelId}`
  const slash = id.indexOf('/')
  if (slash > 0 && slash < id.length - 1) return { id, provider: id.slice(0, slash), modelId: id.slice(slash + 1) }
  throw new MandateError(
    'CONFIG_INVALID',
    `The model id "${id}" is not of the form provider/model, such as "openai/gpt-5".`,
  )
}

/** Refuses what is no model of a specification that this code knows. */
export function checkVersion(model: { readonly specificationVersion?: unknown }): 'v2' | 'v3' | 'v4' {
  const version = model?.specificationVersion
  if (version === 'v2' || version === 'v3' || version === 'v4') return version
  const given = version === undefined ? 'none' : JSON.stringify(version)
  throw new MandateError(
    'CONFIG_INVALID',
    `This is no AI SDK model of specification v2, v3 or v4 (its \`specificationVersion\` is ${given}). Give what a provider makes, such as openai('gpt-5').`,
  )
}

async function* askStream(
  model: AiSdkLanguageModel,
  asked: AiSdkCallOptions,
  signal: AbortSignal,
): AsyncGenerator<WirePart> {
  const { stream } = await untilCut(model.doStream(asked), signal, (late) => void late.stream.cancel().catch(() => {}))
  yield* readStream(stream as ReadableStream<WirePart>, signal)
}

/** A whole answer as the stream it would have been. */
async function* askWhole(
  model: AiSdkLanguageModel,
  asked: AiSdkCallOptions,
  signal: AbortSignal,
): AsyncGenerator<WirePart> {
  const whole: AiSdkWhole = await untilCut(model.doGenerate(asked), signal)
  yield { type: 'stream-start', warnings: whole.warnings ?? [] }
  if (whole.response !== undefined) yield { ...responseFields(whole.response), type: 'response-metadata' }
  for (const [index, content] of whole.content.entries()) {
    const part = content as WirePart
    if (part.type !== 'text' && part.type !== 'reasoning') {
      yield part
      continue
    }
    const { text = '', ...rest } = part
    yield { type: `${part.type}-delta`, id: String(index), delta: text }
    yield { ...rest, type: `${part.type}-end`, id: String(index) }
  }
  const { finishReason, usage, providerMetadata } = whole
  yield { type: 'finish', finishReason, usage, providerMetadata }
}

function responseFields({ id, modelId, timestamp }: NonNullable<AiSdkWhole['response']>): Partial<WirePart> {
  return { ...(id === undefined ? {} : { id }), ...(modelId === undefined ? {} : { modelId }), timestamp }
}

/** Models do not say what they read besides text, but most say which addresses they fetch, and of what. */
function modalitiesOf(supportedUrls: unknown): { readonly modalities?: readonly string[] } {
  if (typeof supportedUrls !== 'object' || supportedUrls === null || 'then' in supportedUrls) return {}
  const types = Object.keys(supportedUrls)
  const image = types.some((type) => type.startsWith('image/') || type.startsWith('*')) ? ['image'] : []
  const file = types.some((type) => type.startsWith('application/') || type.startsWith('*')) ? ['file'] : []
  return image.length + file.length === 0 ? {} : { modalities: [...image, ...file] }
}
