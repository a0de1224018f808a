import type { Message } from '../message.ts'
import type { ModelRequest } from '../model.ts'
import { type ModelReply, collectReply } from '../reply.ts'
import { type FromAiSdkOptions, fromAiSdk } from './from-ai-sdk.ts'
import type { AiSdkCallOptions, AiSdkLanguageModel, AiSdkWhole, SpecVersion, WirePart } from './spec.ts'

export interface FakeModel extends AiSdkLanguageModel {
  /** The requests, in order. */
  readonly asked: AiSdkCallOptions[]
}

export const end: WirePart = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: { total: 3 }, outputTokens: { total: 2 } },
}

/** A provider's model that returns these parts, or this complete answer. */
export function fakeModel(parts: readonly WirePart[] | AiSdkWhole, version: SpecVersion = 'v4'): FakeModel {
  const asked: AiSdkCallOptions[] = []
  return {
    specificationVersion: version,
    provider: 'fake.api',
    modelId: 'model-1',
    asked,
    async doStream(options) {
      asked.push(options)
      return { stream: streamOf(parts as readonly WirePart[]) }
    },
    async doGenerate(options) {
      asked.push(options)
      return parts as AiSdkWhole
    },
  }
}

function streamOf(parts: readonly WirePart[]): ReadableStream<WirePart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

/** Calls such a model once. */
export function hear(
  parts: readonly WirePart[] | AiSdkWhole,
  options: FromAiSdkOptions = {},
  version: SpecVersion = 'v4',
): Promise<ModelReply> {
  const model = fromAiSdk(fakeModel(parts, version), { streaming: Array.isArray(parts), ...options })
  return collectReply(model.stream({ messages: [] }, callNow()))
}

/** The request sent to a provider. */
export async function sentFor(
  request: ModelRequest | readonly Message[],
  version: SpecVersion = 'v4',
  options: FromAiSdkOptions = {},
): Promise<AiSdkCallOptions> {
  const model = fakeModel([end], version)
  const asked = 'messages' in request ? request : { messages: request }
  await collectReply(fromAiSdk(model, options).stream(asked, callNow()))
  return model.asked[0]!
}

export function callNow(signal: AbortSignal = new AbortController().signal): {
  signal: AbortSignal
  attempt: number
  idempotencyKey: string
} {
  return { signal, attempt: 1, idempotencyKey: 'k' }
}
