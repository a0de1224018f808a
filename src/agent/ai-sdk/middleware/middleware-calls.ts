import { MandateError, describeOutcome, toPlain } from '../../../core/index.ts'
import type { ErrorCode, Outcome } from '../../../core/index.ts'
import { fromAiSdk, isOnLoopback } from '../../../model/index.ts'
import type { AiSdkLanguageModel, Model, ModelReply, ModelRequest, ToolSpec } from '../../../model/index.ts'
import type { LoopSession } from '../loop-session.ts'
import { messagesFrom } from '../messages.ts'
import type { CallParams, MandateMiddleware, MiddlewareOptions } from './middleware-shapes.ts'
import { playStream, playWhole } from '../tape.ts'
import { Tap } from '../tap.ts'

type Whole = Parameters<MandateMiddleware['wrapGenerate']>[0]
type Streamed = Parameters<MandateMiddleware['wrapStream']>[0]
type Cassette = MiddlewareOptions['cassette']

/** Requests a complete answer of the wrapped model, through the kernel. */
export async function generateThrough(
  session: LoopSession,
  { doGenerate, params, model }: Whole,
  cassette: Cassette,
): Promise<unknown> {
  const request = requestOf(params)
  const tap = new Tap()
  const ask = cassette === undefined ? doGenerate : () => playWhole(cassette, { model, params, request }, doGenerate)
  const own = ownModel(model, { doGenerate: () => tap.whole(ask), streaming: false })
  const outcome = await session.call(request, own)
  if (outcome.status !== 'ok') throw tap.reason(errorOf(outcome))
  return tap.answer
}

/** Requests a stream of the wrapped model, through the kernel. */
export async function streamThrough(
  session: LoopSession,
  { doStream, params, model }: Streamed,
  cassette: Cassette,
): Promise<unknown> {
  const request = requestOf(params)
  const tap = new Tap()
  const ask = cassette === undefined ? doStream : () => playStream(cassette, { model, params, request }, doStream)
  const own = ownModel(model, { doStream: () => tap.stream(ask), streaming: true })
  const called = session.call(request, own)
  // Closed only when the call is journaled and settled, so that the next one finds an up-to-date budget.
  const settled = called.then(
    (outcome) => tap.close(outcome.status === 'ok' ? undefined : errorOf(outcome)),
    (error: unknown) => tap.close(error),
  )
  settled.catch(() => {})
  const answer = await Promise.race([tap.answer, called.then(refuse(tap))])
  return { ...answer, stream: tap.readable }
}

/** The call ended before the model was called: it was refused, or failed at once. */
function refuse(tap: Tap): (outcome: Outcome<ModelReply>) => Promise<object> {
  return async (outcome) => {
    if (outcome.status === 'ok') return tap.answer
    throw tap.reason(errorOf(outcome))
  }
}

function errorOf(outcome: Exclude<Outcome, { status: 'ok' }>): MandateError {
  const message = describeOutcome(outcome)
  switch (outcome.status) {
    case 'denied':
      return new MandateError(outcome.code, message, { info: { rule: outcome.rule } })
    case 'failed':
      return new MandateError(outcome.error.code, outcome.error.message, { info: outcome.error.info })
    case 'cancelled':
      return new MandateError('CANCELLED', message)
    case 'unknown':
      return new MandateError('OUTCOME_UNKNOWN' satisfies ErrorCode, message)
  }
}

type Asking = Partial<Pick<AiSdkLanguageModel, 'doGenerate' | 'doStream'>> & { readonly streaming: boolean }

/** The wrapped model as a `Model` for one call, so that the kernel reads usage and text from its answer. */
function ownModel(
  wrapped: Pick<AiSdkLanguageModel, 'specificationVersion' | 'provider' | 'modelId'>,
  { streaming, ...asking }: Asking,
): Model {
  const { specificationVersion, provider, modelId } = wrapped
  const missing = (): never => {
    throw new MandateError('INTERNAL', 'This call is made in another way.')
  }
  const model = { specificationVersion, provider, modelId, doGenerate: missing, doStream: missing, ...asking }
  return fromAiSdk(model, {
    streaming,
    acceptUnfinished: true,
    capabilities: isOnLoopback(wrapped) ? { local: true } : {},
  })
}

/** The request for the estimate, the gate and the journal. The model is sent the caller's original. */
function requestOf(params: CallParams): ModelRequest {
  const { prompt, maxOutputTokens, temperature, seed, tools } = params
  return {
    messages: messagesFrom(prompt as never),
    ...(tools === undefined || tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(seed === undefined ? {} : { seed }),
  }
}

function toolOf(tool: object): ToolSpec {
  const { name = '', description, inputSchema } = tool as { name?: string; description?: string; inputSchema?: unknown }
  return { name, inputSchema: toPlain(inputSchema ?? {}).value, ...(description === undefined ? {} : { description }) }
}
