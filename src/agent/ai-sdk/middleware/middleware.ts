import { checkNumbers, checkFields } from '../../../core/index.ts'
import { DEFAULT_PRICES, defaultOutputTokens, isOnLoopback, namesOf, outputTokensWithin } from '../../../model/index.ts'
import { LoopSession } from '../loop-session.ts'
import { MIDDLEWARE_OPTIONS } from './middleware-shapes.ts'
import type { MandateMiddleware, MiddlewareOptions, ModelNames } from './middleware-shapes.ts'

/**
 * Middleware for the AI SDK's `wrapLanguageModel` that adds gate, budget, journal and cassette to an existing loop. All calls through one middleware
 * are one run; `close` ends it.
 *
 * @example
 * ```ts
 * import { openai } from '@ai-sdk/openai'
 * import { generateText, wrapLanguageModel } from 'ai'
 * import { mandateMiddleware } from 'mandate'
 * const middleware = mandateMiddleware({ budget: { money: 0.5 }, mandate: { allow: ['model:openai/*'] } })
 * const model = wrapLanguageModel({ model: openai('gpt-5'), middleware })
 * const { text } = await generateText({ model, prompt: 'Say hello.' })
 * await middleware.close()
 * ```
 */
export function mandateMiddleware(options: MiddlewareOptions = {}): MandateMiddleware {
  checkFields(options, 'an option of `mandateMiddleware`', MIDDLEWARE_OPTIONS)
  checkNumbers(options, 'an option of `mandateMiddleware`', { maxOutputTokens: 'count+' })
  const { budget, runId, sessionId, cassette, onApproval = refuseAll, maxOutputTokens, ...kernel } = options
  const session = new LoopSession({ ...kernel, onApproval }, { budget, runId, sessionId })
  const isMetered = [budget?.money, budget?.outputTokens, budget?.totalTokens].some((limit) => limit !== undefined)
  return {
    specificationVersion: 'v4',
    get runId() {
      return session.runId
    },
    close: () => session.close(),
    // The reservation must cover the maximum that the model may write.
    transformParams: async ({ params, model }) => {
      if (!isMetered || params.maxOutputTokens !== undefined) return params
      return { ...params, maxOutputTokens: maxOutputTokens ?? outputFor(model, options) }
    },
    async wrapGenerate(call) {
      const { generateThrough } = await import('./middleware-calls.ts')
      return generateThrough(session, call, cassette) as never
    },
    async wrapStream(call) {
      const { streamThrough } = await import('./middleware-calls.ts')
      return streamThrough(session, call, cassette) as never
    },
  }
}

/** The output limit of a call without one: that of an agent. */
function outputFor(model: ModelNames | undefined, { budget = {}, prices = DEFAULT_PRICES }: MiddlewareOptions): number {
  const named =
    model === undefined
      ? { id: '' }
      : { id: namesOf(model, undefined).id, capabilities: { local: isOnLoopback(model) } }
  return outputTokensWithin(defaultOutputTokens(named, prices), budget, { model: named, prices, inputTokens: 0 })
}

const refuseAll = (): { readonly answer: 'reject'; readonly text: string } => ({
  answer: 'reject',
  text: 'There is no approver. Give `onApproval` to the middleware.',
})
