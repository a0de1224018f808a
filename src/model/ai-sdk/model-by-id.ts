import { FROM_AI_SDK_OPTIONS } from './from-ai-sdk.ts'
import { checkFields } from '../../core/index.ts'
import type { Model } from '../model.ts'
import type { FromAiSdkOptions } from './from-ai-sdk.ts'
import { lateModel } from './late-model.ts'
import { isLoopback } from '../prices/loopback.ts'
import { type ModelSources, parseModelId, settingsOf } from './model-id.ts'

/**
 * The synchronous form of `resolveModel`: a wrong id or a missing variable throws now, and the package is loaded with the first call.
 *
 * @example
 * ```ts
 * import { modelById } from 'mandate/model'
 * const model = modelById('anthropic/claude-sonnet-5', { load: (name) => import(name), env: process.env })
 * ```
 */
export function modelById(id: string, sources: ModelSources, options: Omit<FromAiSdkOptions, 'id'> = {}): Model {
  checkFields(options, 'an option of a model', FROM_AI_SDK_OPTIONS)
  const { baseURL } = settingsOf(parseModelId(id, sources), sources.env)
  if (!isLoopback(baseURL)) return lateModel(id, sources, options)
  return lateModel(id, sources, { ...options, capabilities: { local: true, ...options.capabilities } })
}
