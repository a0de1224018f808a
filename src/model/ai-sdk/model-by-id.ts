import type { Model, ModelCallContext, ModelPart, ModelRequest } from '../model.ts'
import type { FromAiSdkOptions } from './from-ai-sdk.ts'
import { type ModelSources, parseModelId, settingsOf } from './model-id.ts'

/**
 * The same as `resolveModel`, at once: a wrong id or a missing variable is an error now, and the package is loaded at the first call.
 *
 * @example
 * ```ts
 * import { modelById } from 'mandate/model'
 * const model = modelById('anthropic/claude-sonnet-5', { load: (name) => import(name), env: process.env })
 * ```
 */
export function modelById(id: string, sources: ModelSources, options: Omit<FromAiSdkOptions, 'id'> = {}): Model {
  const parsed = parseModelId(id, sources)
  settingsOf(parsed, sources.env)
  let resolving: Promise<Model> | undefined
  const resolve = async (): Promise<Model> => {
    try {
      return await (resolving ??= load(id, sources, options))
    } catch (error) {
      // What is missing may be there by the next call.
      resolving = undefined
      throw error
    }
  }
  return {
    id: parsed.id,
    provider: parsed.provider,
    modelId: parsed.modelId,
    capabilities: { tools: true, streaming: options.streaming !== false, ...options.capabilities },
    async *stream(request: ModelRequest, call: ModelCallContext): AsyncGenerator<ModelPart> {
      yield* (await resolve()).stream(request, call)
    },
  }
}

/** Imported at the first call: an agent whose models are given as objects carries nothing of the AI SDK's. */
async function load(id: string, sources: ModelSources, options: Omit<FromAiSdkOptions, 'id'>): Promise<Model> {
  const { resolveModel } = await import('./resolve-model.ts')
  return resolveModel(id, sources, options)
}
