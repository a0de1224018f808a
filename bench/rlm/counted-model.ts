import type { Model } from 'mandate/model'

/** Counts of the calls and tokens of a model. */
export interface Counts {
  calls: number
  inputTokens: number
  outputTokens: number
  /** The largest input of a call, in tokens. */
  largest: number
}

/** Wraps a model to count its calls and tokens. Scripted models estimate their tokens from the text; others use the provider's count. */
export function counted(model: Model, counts: Counts): Model {
  return {
    ...model,
    async *stream(request, call) {
      counts.calls += 1
      for await (const event of model.stream(request, call)) {
        if (event.type === 'usage') {
          const { inputTokens, outputTokens } = event.usage
          counts.inputTokens += inputTokens
          counts.outputTokens += outputTokens
          counts.largest = Math.max(counts.largest, inputTokens)
        }
        yield event
      }
    },
  }
}

export function noCounts(): Counts {
  return { calls: 0, inputTokens: 0, outputTokens: 0, largest: 0 }
}
