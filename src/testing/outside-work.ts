import type { AgentConfig } from '../agent/index.ts'
import { isAsyncIterable } from '../core/index.ts'
import { givenModel } from '../model/index.ts'
import type { Model } from '../model/index.ts'
import { toolsFrom } from '../tool/index.ts'
import type { Tool } from '../tool/index.ts'

/** Counts running calls of tools and models: while there are any, a run that is idle may be waiting for outside work. */
export class OutsideWork {
  #count = 0

  get isUnderWay(): boolean {
    return this.#count > 0
  }

  /** Returns the same agent, with the calls of its tools and models counted. */
  watchConfig(config: AgentConfig): AgentConfig {
    const { tools, model, models, fallbackModel, fallbackProvider } = config
    const watched: Record<string, unknown> = { ...config }
    if (tools !== undefined) watched['tools'] = toolsFrom(tools).map((tool) => this.watchTool(tool))
    for (const [field, value] of Object.entries({ model, fallbackModel, fallbackProvider }))
      if (typeof value === 'object') watched[field] = this.#watchModel(givenModel(value))
    if (models !== undefined) watched['models'] = models.map((one) => this.#watchModel(givenModel(one)))
    return watched
  }

  /** Returns the same tool, counted from the validation of its input to the last item of its result. */
  watchTool(tool: Tool): Tool {
    const run: Tool['run'] = async (input, ctx) => {
      const result = await this.#counted(async () => tool.run(input, ctx))
      return isAsyncIterable(result) ? this.#watchItems(result) : result
    }
    // Copies descriptors, because a spread would drop the hidden mark of a finished tool.
    const copy: unknown = Object.create(Object.getPrototypeOf(tool) as object | null, {
      ...Object.getOwnPropertyDescriptors(tool),
      validate: { value: (input: never) => this.#counted(async () => tool.validate(input)), enumerable: true },
      run: { value: run, enumerable: true },
    })
    return copy as Tool
  }

  /** Scripted models wait only for the clock, so they are not counted. */
  #watchModel(model: Model): Model {
    if (model.provider === 'scripted') return model
    const stream: Model['stream'] = (request, call) => this.#watchItems(model.stream(request, call))
    const { id, provider, modelId, capabilities } = model
    return { id, provider, modelId, capabilities, stream, close: async () => model.close?.() }
  }

  async *#watchItems<T>(items: AsyncIterable<T>): AsyncGenerator<T, unknown> {
    const iterator = items[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value } = await this.#counted(() => iterator.next() as Promise<IteratorResult<T, unknown>>)
        if (done === true) return value
        yield value
      }
    } finally {
      await iterator.return?.()
    }
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    this.#count++
    try {
      return await work()
    } finally {
      this.#count--
    }
  }
}
