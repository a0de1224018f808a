import { toPlain } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { Cassette, ModelRequest } from '../../model/index.ts'
import type { CallParams } from './middleware/middleware-shapes.ts'

interface Taped {
  readonly model: { readonly provider: string; readonly modelId: string }
  readonly params: CallParams
  readonly request: ModelRequest
}

/** A complete answer through a cassette, in the provider's own shape. */
export async function playWhole<W extends object>(
  cassette: Cassette,
  taped: Taped,
  ask: () => PromiseLike<W>,
): Promise<W> {
  const answer = await cassette.value(nameOf(taped), keyOf(taped), async () => ask())
  const { response } = answer as { response?: { timestamp?: unknown } }
  return response === undefined ? answer : { ...answer, response: revived(response) }
}

/** A streamed answer through a cassette. Headers and request body of the stream are not kept. */
export async function playStream<S extends { readonly stream: ReadableStream<{ readonly type: string }> }>(
  cassette: Cassette,
  taped: Taped,
  ask: () => PromiseLike<S>,
): Promise<S> {
  const parts = cassette.stream(nameOf(taped), keyOf(taped), async () => iterate((await ask()).stream))
  const iterator = parts[Symbol.asyncIterator]()
  // The first part is awaited, so that a call that fails at once fails here, as it does without a cassette.
  let next: Promise<IteratorResult<{ readonly type: string }>> | undefined = Promise.resolve(await iterator.next())
  const stream = new ReadableStream<object>({
    async pull(controller) {
      const { done, value } = await (next ?? iterator.next())
      next = undefined
      if (done === true) controller.close()
      else controller.enqueue(revived(value))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
  return { stream } as unknown as S
}

async function* iterate<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    await reader.cancel()
  }
}

/** Restores the date in a recorded answer: cassettes hold plain data. */
function revived<T extends object>(part: T): T {
  const { timestamp } = part as { timestamp?: unknown }
  return typeof timestamp === 'string' ? { ...part, timestamp: new Date(timestamp) } : part
}

function nameOf({ model }: Taped): string {
  return `${model.provider}/${model.modelId}`
}

/** Everything that determines the answer. Headers are left out because they contain keys, and signals because they contain nothing. */
function keyOf({ params, request }: Taped): Json {
  const {
    prompt: _prompt,
    abortSignal: _signal,
    headers: _headers,
    ...settings
  } = params as CallParams & { headers?: unknown }
  return toPlain({ ...settings, messages: request.messages }).value
}
