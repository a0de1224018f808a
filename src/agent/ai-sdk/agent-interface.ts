import { MandateError } from '../../core/index.ts'
import type { AnyTools, ToolTypes } from '../../tool/index.ts'
import type { AgentCall, AiSdkGenerated, AiSdkIterable, AiSdkStep, AiSdkStreamed } from './agent-shapes.ts'
import { openCall } from './tool-calls.ts'
import type { Called, Calling } from './tool-calls.ts'
import type { AiSdkStreamPart } from './part-shapes.ts'
import { PartialObject } from '../output/partial-json.ts'
import { Replay } from './replay-stream.ts'
import { ResultFold } from './result-fold.ts'

/** `generate` of the AI SDK's agent interface: runs to the end, or to the next question, and returns the result. Throws if the run fails. */
export async function generateWith<Output, Tools extends ToolTypes = AnyTools>(
  called: Called,
  call: AgentCall,
): Promise<AiSdkGenerated<Output, Tools>> {
  const { runId, parts, result } = await openCall(called, call)
  const fold = new ResultFold(runId, call.onStepEnd as ((step: AiSdkStep) => unknown) | undefined)
  for await (const part of parts) fold.add(part)
  if (fold.failure !== undefined) throw fold.failure.error
  const { status, error } = await result
  if (status === 'cancelled')
    throw call.abortSignal?.aborted === true ? call.abortSignal.reason : cancelled(error?.message)
  return fold.end(await result) as AiSdkGenerated<Output, Tools>
}

function cancelled(message = 'The run was cancelled.'): MandateError {
  return new MandateError('CANCELLED', message)
}

/** `stream` of the AI SDK's agent interface. The run continues when the consumer stops reading; only the abort signal stops it. */
export async function streamWith<Output, Tools extends ToolTypes = AnyTools>(
  called: Called,
  call: AgentCall,
): Promise<AiSdkStreamed<Output, Tools>> {
  const calling = await openOrRefuse(called, call)
  const { runId, result } = calling
  const fold = new ResultFold(runId, call.onStepEnd as ((step: AiSdkStep) => unknown) | undefined)
  const replay = new Replay(calling.parts, (part) => fold.add(part))
  const whole = replay.done.then(async () => fold.end(await result))
  // A consumer of the stream may ignore the promises; this avoids unhandled rejections.
  whole.catch(() => {})
  const streamed = streamedOf(runId, replay, { whole, isStructured: called.spec.output !== undefined })
  return streamed as AiSdkStreamed<Output, Tools>
}

const UNASKED: ReadonlySet<string> = new Set(['NOT_FOUND', 'APPROVAL_STALE'])

/** An answer that matches no waiting run is reported in the stream, which its sender reads. */
async function openOrRefuse(called: Called, call: AgentCall): Promise<Calling> {
  try {
    return await openCall(called, call)
  } catch (error) {
    if (!MandateError.isInstance(error) || !UNASKED.has(error.code)) throw error
    const result = Promise.reject(error)
    result.catch(() => {})
    return { runId: '', parts: refusal(error), result }
  }
}

async function* refusal(error: MandateError): AsyncGenerator<AiSdkStreamPart> {
  yield { type: 'start' }
  yield { type: 'error', error }
}

const PROMISED = [
  'content',
  'text',
  'reasoning',
  'reasoningText',
  'files',
  'sources',
  'toolCalls',
  'staticToolCalls',
  'dynamicToolCalls',
  'toolResults',
  'staticToolResults',
  'dynamicToolResults',
  'finishReason',
  'rawFinishReason',
  'usage',
  'totalUsage',
  'warnings',
  'steps',
  'finalStep',
  'request',
  'response',
  'responseMessages',
  'providerMetadata',
  'result',
  'output',
] as const satisfies readonly (keyof AiSdkGenerated)[]

/** Functions of the AI SDK that used to be methods, with what to use instead. */
const MOVED = {
  toUIMessageStream: 'toUIMessageStream({ stream })',
  toUIMessageStreamResponse: 'createUIMessageStreamResponse({ stream: toUIMessageStream({ stream }) })',
  pipeUIMessageStreamToResponse: 'pipeUIMessageStreamToResponse({ response, stream: toUIMessageStream({ stream }) })',
  toTextStreamResponse: 'createTextStreamResponse({ stream: toTextStream({ stream }) })',
  pipeTextStreamToResponse: 'pipeTextStreamToResponse({ response, stream: toTextStream({ stream }) })',
}

/** The partial objects of a structured answer. */
function partials(replay: Replay<AiSdkStreamPart>): AiSdkIterable<never> {
  const object = new PartialObject()
  return replay.stream((part): never[] => {
    if (part.type === 'start-step') object.reset()
    if (part.type !== 'text-delta') return []
    object.add(part.text)
    const value = object.take()
    return value === undefined ? [] : [value as never]
  })
}

/** Returns a promise of one member of the result. Its rejection is handled, so that a promise which the caller ignores cannot end the process. */
function promised<Name extends keyof AiSdkGenerated>(
  whole: Promise<AiSdkGenerated>,
  name: Name,
): Promise<AiSdkGenerated[Name]> {
  const one = whole.then((settled) => settled[name])
  one.catch(() => {})
  return one
}

function streamedOf(
  runId: string,
  replay: Replay<AiSdkStreamPart>,
  { whole, isStructured }: { readonly whole: Promise<AiSdkGenerated>; readonly isStructured: boolean },
): AiSdkStreamed {
  const all = (): AiSdkIterable<AiSdkStreamPart> => replay.stream((part) => [part])
  const none = (): AiSdkIterable<never> => replay.stream(() => [])
  const getters: Record<string, () => unknown> = {
    stream: all,
    fullStream: all,
    textStream: () => replay.stream((part) => (part.type === 'text-delta' ? [part.text] : [])),
    partialOutputStream: isStructured ? () => partials(replay) : none,
    experimental_partialOutputStream: isStructured ? () => partials(replay) : none,
    elementStream: none,
    ...Object.fromEntries(PROMISED.map((name) => [name, () => promised(whole, name)])),
  }
  const streamed = { runId, consumeStream: () => replay.done }
  for (const [name, get] of Object.entries(getters)) Object.defineProperty(streamed, name, { enumerable: true, get })
  for (const [name, instead] of Object.entries(MOVED)) {
    const refuse = (): never => {
      throw new MandateError('CONFIG_INVALID', `\`${name}\` is deprecated. Use ${instead} from the package "ai".`)
    }
    Object.defineProperty(streamed, name, { value: refuse })
  }
  return streamed as unknown as AiSdkStreamed
}
