import type { Model } from '../model.ts'
import { fromAiSdk } from './from-ai-sdk.ts'
import type { AiSdkLanguageModel } from './spec.ts'

/** A model as users have one: ours, or what an AI SDK provider makes, such as `openai('gpt-5')`. */
export type GivenModel = Model | AiSdkLanguageModel

const made = new WeakMap<AiSdkLanguageModel, Model>()

/** The model itself; one of the AI SDK is wrapped, always in the same wrapper. */
export function givenModel(given: GivenModel): Model {
  if (!isAiSdkModel(given)) return given
  const known = made.get(given) ?? fromAiSdk(given)
  made.set(given, known)
  return known
}

/** Whether it is a model of the AI SDK, of whichever specification: one that cannot be used is refused with what would do. */
export function isAiSdkModel(value: unknown): value is AiSdkLanguageModel {
  return typeof value === 'object' && value !== null && 'specificationVersion' in value && 'doStream' in value
}
