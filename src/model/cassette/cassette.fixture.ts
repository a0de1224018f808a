import { MandateError } from '../../core/index.ts'
import type { Model, ModelPart, ModelRequest } from '../model.ts'
import type { CassetteStorage } from './options.ts'

/** Storage in a map. */
export function shelf(): CassetteStorage & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>()
  return { texts, read: (name) => texts.get(name), write: (name, text) => void texts.set(name, text) }
}

/** A model that returns these parts and counts its calls. */
export function modelOf(parts: readonly ModelPart[] | (() => readonly ModelPart[])): Model & { calls: number } {
  return {
    id: 'test/model',
    provider: 'test',
    modelId: 'model',
    calls: 0,
    async *stream() {
      this.calls++
      yield* typeof parts === 'function' ? parts() : parts
    },
  }
}

export function askModel(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): AsyncIterable<ModelPart> {
  return model.stream(request, { signal, attempt: 1, idempotencyKey: 'k' })
}

export function partsOf(model: Model, request: ModelRequest): Promise<ModelPart[]> {
  return itemsOf(askModel(model, request))
}

export async function itemsOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

/** The error of a rejected promise. */
export async function errorOf(attempt: Promise<unknown>): Promise<MandateError> {
  try {
    await attempt
  } catch (error) {
    return MandateError.isInstance(error) ? error : new MandateError('INTERNAL', (error as Error).message)
  }
  throw new Error('it did not fail')
}
