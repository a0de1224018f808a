import { FROM_AI_SDK_OPTIONS } from './from-ai-sdk.ts'
import { checkFields } from '../../core/index.ts'
import type { Model, ModelCallContext, ModelPart, ModelRequest } from '../model.ts'
import type { FromAiSdkOptions } from './from-ai-sdk.ts'
import type { ModelSources } from './model-id.ts'

/**
 * A model that is resolved by its id with the first call, where errors of the id are reported. An agent whose models are given as objects loads
 * nothing of the AI SDK.
 */
export function lateModel(id: string, sources: ModelSources, options: Omit<FromAiSdkOptions, 'id'> = {}): Model {
  checkFields(options, 'an option of a model', FROM_AI_SDK_OPTIONS)
  const [before = ''] = id.split('/', 1)
  const [provider = ''] = before.split('.', 1)
  const modelId = id.slice(before.length + 1)
  let resolving: Promise<Model> | undefined
  const resolve = async (): Promise<Model> => {
    try {
      return await (resolving ??= load(id, sources, options))
    } catch (error) {
      // A missing package or key may have been added by the next call.
      resolving = undefined
      throw error
    }
  }
  return {
    id: `${provider}/${modelId}`,
    provider,
    modelId,
    capabilities: { tools: true, streaming: options.streaming !== false, ...options.capabilities },
    async *stream(request: ModelRequest, call: ModelCallContext): AsyncGenerator<ModelPart> {
      yield* (await resolve()).stream(request, call)
    },
  }
}

async function load(id: string, sources: ModelSources, options: Omit<FromAiSdkOptions, 'id'>): Promise<Model> {
  const { resolveModel } = await import('./resolve-model.ts')
  return resolveModel(id, sources, options)
}
