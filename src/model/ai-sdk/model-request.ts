import { systemClock } from '../../core/index.ts'
import type { ModelPart, ModelRequest } from '../model.ts'
import { callOptions } from './request/call-options.ts'
import { cutBy, readStream, untilCut } from './stream-cut.ts'
import { failureOf, webPage } from './failure.ts'
import type { FromAiSdkOptions } from './from-ai-sdk.ts'
import { PartReader } from './part-reader.ts'
import type { AiSdkCallOptions, AiSdkLanguageModel, AiSdkWhole, WirePart } from './spec.ts'

/** A model with its names. */
interface Asked {
  readonly model: AiSdkLanguageModel
  readonly version: 'v2' | 'v3' | 'v4'
  readonly id: string
  readonly provider: string
  readonly modalities: readonly string[] | undefined
  readonly options: FromAiSdkOptions
}

/** Sends one request to a model of the AI SDK, and yields the answer as parts of this package. */
export async function* ask(asked: Asked, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
  const { model, version, id, provider, options } = asked
  const reader = new PartReader({ id, provider, request, acceptUnfinished: options.acceptUnfinished === true })
  try {
    const { settings, providerTools } = options
    const setup = { version, provider, api: model.provider, modalities: asked.modalities, settings, providerTools }
    const call = callOptions(request, setup, signal)
    const parts = options.streaming === false ? askWhole(model, call, signal) : askStream(model, id, call, signal)
    for await (const part of parts) yield* reader.read(part)
    yield* reader.end()
  } catch (error) {
    throw signal.aborted ? cutBy(signal) : failureOf(error, id, options.clock ?? systemClock)
  }
}

async function* askStream(
  model: AiSdkLanguageModel,
  id: string,
  asked: AiSdkCallOptions,
  signal: AbortSignal,
): AsyncGenerator<WirePart> {
  const answer = await untilCut(model.doStream(asked), signal, (late) => void late.stream.cancel().catch(() => {}))
  const { stream, response } = answer
  const type = Object.entries(response?.headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  if (type?.startsWith('text/html') === true) {
    void stream.cancel().catch(() => {})
    throw webPage(id)
  }
  yield* readStream(stream as ReadableStream<WirePart>, signal)
}

/** A complete answer as a stream of parts. */
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
