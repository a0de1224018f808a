import type { Model } from '../model.ts'
import { fromAiSdk } from './from-ai-sdk.ts'
import type { AiSdkLanguageModel } from './spec.ts'

/** A model as given by users: one of this package, or one of an AI SDK provider, such as `openai('gpt-5')`. */
export type GivenModel = Model | AiSdkLanguageModel

const made = new WeakMap<AiSdkLanguageModel, Model>()

/** The model itself; one of the AI SDK is wrapped, always in the same wrapper. */
export function givenModel(given: GivenModel): Model {
  if (!isAiSdkModel(given)) return given
  const known = made.get(given) ?? fromAiSdk(given)
  made.set(given, known)
  return known
}

/** Whether it is a model of the AI SDK, of any specification: an unsupported one is refused with what to use. */
export function isAiSdkModel(value: unknown): value is AiSdkLanguageModel {
  return typeof value === 'object' && value !== null && 'specificationVersion' in value && 'doStream' in value
}
