import { systemClock } from '../../core/index.ts'
import type { ModelPart, ModelRequest } from '../model.ts'
import { brokenRules } from '../provider-rules/broken-rules.ts'
import { keepRules } from '../provider-rules/keep-rules.ts'
import { rulesOf } from '../provider-rules/rules.ts'
import type { ProviderRules } from '../provider-rules/rules.ts'
import { callOptions } from './request/call-options.ts'
import { cutBy, readStream, untilCut } from './stream-cut.ts'
import { failureOf, webPage } from './failure.ts'
import type { FromAiSdkOptions } from './from-ai-sdk.ts'
import { PartReader } from './part-reader.ts'
import type { AiSdkCallOptions, AiSdkLanguageModel, AiSdkProviderOptions, AiSdkWhole, WirePart } from './spec.ts'

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
  const { settings, providerTools } = options
  // Only models with the chat API of OpenAI say whether their server enforces schemas.
  const { supportsStructuredOutputs: enforces } = model as { readonly supportsStructuredOutputs?: boolean }
  const rules = rulesOf(model.provider, typeof enforces === 'boolean')
  const strict = strictByHost(rules, request, settings?.providerOptions)
  const kept = keepRules(request, rules, { enforces, strict, taken: Object.keys(providerTools ?? {}) })
  const { acceptUnfinished = false } = options
  const reader = new PartReader({ id, provider, request, acceptUnfinished, nameOf: (sent) => kept.names.own(sent) })
  try {
    // What cannot be mended may be refused: the limits of providers change, so that is theirs to say.
    for (const message of brokenRules(kept.request, rules)) yield { type: 'warning', message }
    const setup = { version, provider, api: model.provider, modalities: asked.modalities, settings, providerTools }
    const call = callOptions(kept.request, setup, signal)
    const parts = options.streaming === false ? askWhole(model, call, signal) : askStream(model, id, call, signal)
    for await (const part of parts) yield* reader.read(part)
    yield* reader.end()
  } catch (error) {
    throw signal.aborted ? cutBy(signal) : failureOf(error, id, options.clock ?? systemClock)
  }
}

/** Whether the host itself has said that schemas are strict, or are not. */
function strictByHost(
  { options }: ProviderRules,
  { providerOptions }: ModelRequest,
  settings: AiSdkProviderOptions = {},
): boolean | undefined {
  const said = options
    .flatMap((name): object[] => [providerOptions?.[name] ?? {}, settings[name] ?? {}])
    .map((one) => (one as { readonly strictJsonSchema?: unknown }).strictJsonSchema)
  return said.find((one) => typeof one === 'boolean')
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
