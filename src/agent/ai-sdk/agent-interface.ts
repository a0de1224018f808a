import { MandateError } from '../../core/index.ts'
import type { AgentCall, AiSdkGenerated, AiSdkIterable, AiSdkStep, AiSdkStreamed } from './agent-shapes.ts'
import { openCall } from './calling.ts'
import type { Called, Calling } from './calling.ts'
import type { AiSdkStreamPart } from './part-shapes.ts'
import { Replay } from './replay-stream.ts'
import { ResultFold } from './result-fold.ts'

/** `generate` of the AI SDK's agent interface: runs to the end, or to the next question, and gives what came of it. A run that fails throws. */
export async function generateWith(called: Called, call: AgentCall): Promise<AiSdkGenerated> {
  const { runId, parts, result } = await openCall(called, call)
  const fold = new ResultFold(runId, call.onStepEnd as ((step: AiSdkStep) => unknown) | undefined)
  for await (const part of parts) fold.add(part)
  if (fold.failure !== undefined) throw fold.failure.error
  const { status, error } = await result
  if (status === 'cancelled')
    throw call.abortSignal?.aborted === true ? call.abortSignal.reason : cancelled(error?.message)
  return fold.end(await result)
}

function cancelled(message = 'The run was cancelled.'): MandateError {
  return new MandateError('CANCELLED', message)
}

/** `stream` of the AI SDK's agent interface. The run goes on by itself: whoever stops reading does not stop it; the abort signal does. */
export async function streamWith(called: Called, call: AgentCall): Promise<AiSdkStreamed> {
  const calling = await openCall(called, call).catch((error: unknown) => refused(error))
  const { runId, result } = calling
  const fold = new ResultFold(runId, call.onStepEnd as ((step: AiSdkStep) => unknown) | undefined)
  const replay = new Replay(calling.parts, (part) => fold.add(part))
  const whole = replay.done.then(async () => fold.end(await result))
  // Whoever reads the stream may never look at the promises; that is no unhandled failure.
  whole.catch(() => {})
  return streamedOf(runId, replay, whole)
}

/** An answer to something that is not there is told in the stream: whoever sent it is listening there. */
function refused(error: unknown): Calling {
  if (!MandateError.isInstance(error) || error.code !== 'NOT_FOUND') throw error
  const result = Promise.reject(error)
  result.catch(() => {})
  async function* parts(): AsyncGenerator<AiSdkStreamPart> {
    yield { type: 'start' }
    yield { type: 'error', error }
  }
  return { runId: '', parts: parts(), result }
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
  'output',
] as const satisfies readonly (keyof AiSdkGenerated)[]

function streamedOf(runId: string, replay: Replay<AiSdkStreamPart>, whole: Promise<AiSdkGenerated>): AiSdkStreamed {
  const streams = {
    runId,
    get stream(): AiSdkIterable<AiSdkStreamPart> {
      return replay.stream((part) => [part])
    },
    get fullStream(): AiSdkIterable<AiSdkStreamPart> {
      return replay.stream((part) => [part])
    },
    get textStream(): AiSdkIterable<string> {
      return replay.stream((part) => (part.type === 'text-delta' ? [part.text] : []))
    },
    consumeStream: () => replay.done,
  }
  for (const name of PROMISED) {
    Object.defineProperty(streams, name, {
      enumerable: true,
      get: () => {
        const promise = whole.then((all) => all[name])
        return promise
      },
    })
  }
  return streams as unknown as AiSdkStreamed
}
