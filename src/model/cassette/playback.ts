import { type ErrorInfo, type Json, MandateError, toPlain } from '../../core/index.ts'
import type { Asked, Deck } from './deck.ts'
import type { RecordedEnd, Recording } from './recorder.ts'

/** A streamed call. */
interface StreamCall<T> extends Asked {
  open(): AsyncIterable<T> | Promise<AsyncIterable<T>>
  readonly signal?: AbortSignal | undefined
  /** A failure as data. */
  failure(error: unknown): ErrorInfo
  /** Whether this item is the last, so that a reader who stops after it has not cancelled anything. */
  isLast?(item: T): boolean
}

/** Streams by mode: the real call, the real call while recording it, or the recording. */
export function streamThrough<T>(deck: Deck, call: StreamCall<T>): AsyncIterable<T> {
  if (deck.mode === 'live') return passOn(call)
  return deck.mode === 'record' ? recordStream(deck, call) : playStream(deck, call)
}

async function* passOn<T>(call: StreamCall<T>): AsyncGenerator<T> {
  yield* await call.open()
}

async function* recordStream<T>(deck: Deck, call: StreamCall<T>): AsyncGenerator<T> {
  const take = await deck.take(call)
  let end: RecordedEnd = { status: 'cut' }
  try {
    for await (const item of await call.open()) {
      take.event({ item: toPlain(item).value })
      if (call.isLast?.(item) === true) end = { status: 'done' }
      yield item
    }
    end = { status: 'done' }
  } catch (error) {
    // The error of a cancelled call is not an error of what was called.
    if (call.signal?.aborted !== true) end = { status: 'failed', error: call.failure(error) }
    throw error
  } finally {
    await take.end(end, true)
  }
}

async function* playStream<T>(deck: Deck, call: StreamCall<T>): AsyncGenerator<T> {
  const recording = await deck.play(call)
  for (const event of recording.events) {
    if (call.signal?.aborted === true) throw cut()
    if ('item' in event) yield event.item as T
  }
  if (recording.end.status === 'cut') await waitForCut(call.signal)
  finish(recording)
}

/** A call with a single result. */
interface ValueCall<T> extends Asked {
  make(): T | Promise<T>
  failure(error: unknown): ErrorInfo
}

/** Returns by mode: the result of the real call, of the real call while recording it, or the recording. */
export async function valueThrough<T>(deck: Deck, call: ValueCall<T>): Promise<T> {
  if (deck.mode === 'live') return call.make()
  if (deck.mode === 'replay') return finish(await deck.play(call)) as T
  const take = await deck.take(call)
  let value: T
  try {
    value = await call.make()
  } catch (error) {
    await take.end({ status: 'failed', error: call.failure(error) }, false)
    throw error
  }
  await take.end({ status: 'done', value: toPlain(value).value }, false)
  return value
}

/** The final value of a recorded call, or its error, which is thrown. */
export function finish({ end }: Recording): Json | undefined {
  if (end.status === 'failed') {
    const { code, message, info } = end.error
    throw new MandateError(code, message, info === undefined ? {} : { info })
  }
  return end.status === 'done' ? end.value : undefined
}

/** The consumer cancelled here during recording; playback waits for the consumer to cancel at the same place. */
export async function waitForCut(signal: AbortSignal | undefined): Promise<never> {
  if (signal === undefined) throw cut()
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  throw cut()
}

function cut(): MandateError {
  return new MandateError('CANCELLED', 'The recorded call was cut.')
}
