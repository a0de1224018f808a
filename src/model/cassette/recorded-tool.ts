import { type Json, errorInfo, isAsyncIterable, toPlain } from '../../core/index.ts'
import type { Asked, Deck } from './deck.ts'
import { isMiss } from './miss.ts'
import { finish, waitForCut } from './playback.ts'
import type { RecordedEnd, Recording } from './recorder.ts'

/** The part of a tool that a cassette uses; tools of `defineTool` have it. */
export interface RecordableTool {
  readonly name: string
  run(input: Json, ctx: never): unknown
  fatal?(error: unknown): boolean
}

/** The part of a tool's context that a cassette uses. */
interface CallContext {
  readonly signal?: AbortSignal | undefined
  emit?(name: string, data: Json): void
}

/** A tool that is recorded and played back. Only `run` is replaced: schema, risk and approval are evaluated each time. */
export function recordedTool<T extends RecordableTool>(deck: Deck, tool: T): T {
  if (deck.mode === 'live') return tool
  const run = (input: Json, ctx: CallContext): unknown => {
    const asked: Asked = { kind: 'tool', name: tool.name, request: toPlain(input).value }
    return deck.mode === 'record' ? record(deck, tool, asked, { input, ctx }) : play(deck, asked, ctx)
  }
  // A missing recording is not a failure to which a model could react: it ends the run.
  const fatal = (error: unknown): boolean => isMiss(error) || tool.fatal?.(error) === true
  // By property descriptors, because the marker of a canonical tool is not enumerable.
  const described = Object.getOwnPropertyDescriptors(tool)
  const copy: unknown = Object.create(Object.getPrototypeOf(tool) as object | null, {
    ...described,
    run: { value: run, enumerable: true },
    fatal: { value: fatal, enumerable: true },
  })
  return Object.freeze(copy) as T
}

interface Call {
  readonly input: Json
  readonly ctx: CallContext
}

async function record(deck: Deck, tool: RecordableTool, asked: Asked, { input, ctx }: Call): Promise<unknown> {
  const take = await deck.take(asked)
  const emit = (name: string, data: Json): void => {
    take.event({ emit: name, data: toPlain(data).value })
    ctx.emit?.(name, data)
  }
  const failed = (error: unknown): RecordedEnd =>
    ctx.signal?.aborted === true ? { status: 'cut' } : { status: 'failed', error: errorInfo(error, 'TOOL_FAILED') }
  let value: unknown
  try {
    value = await tool.run(input, { ...ctx, emit } as never)
  } catch (error) {
    await take.end(failed(error), false)
    throw error
  }
  if (isAsyncIterable(value)) return recordItems(value, take, failed)
  await take.end({ status: 'done', value: toPlain(value).value }, false)
  return value
}

async function* recordItems(
  items: AsyncIterable<unknown>,
  take: Awaited<ReturnType<Deck['take']>>,
  failed: (error: unknown) => RecordedEnd,
): AsyncGenerator<unknown, unknown> {
  const iterator = items[Symbol.asyncIterator]()
  let end: RecordedEnd = { status: 'cut' }
  try {
    for (;;) {
      const { done, value } = await iterator.next()
      if (done === true) {
        end = value === undefined ? { status: 'done' } : { status: 'done', value: toPlain(value).value }
        return value
      }
      take.event({ item: toPlain(value).value })
      yield value
    }
  } catch (error) {
    end = failed(error)
    throw error
  } finally {
    if (end.status === 'cut') await iterator.return?.()
    await take.end(end, true)
  }
}

async function play(deck: Deck, asked: Asked, ctx: CallContext): Promise<unknown> {
  const recording = await deck.play(asked)
  if (recording.streamed) return playItems(recording, ctx)
  for (const event of recording.events) if ('emit' in event) ctx.emit?.(event.emit, event.data)
  return recording.end.status === 'cut' ? waitForCut(ctx.signal) : finish(recording)
}

async function* playItems(recording: Recording, ctx: CallContext): AsyncGenerator<unknown, unknown> {
  for (const event of recording.events) {
    if ('emit' in event) ctx.emit?.(event.emit, event.data)
    else yield event.item
  }
  return recording.end.status === 'cut' ? waitForCut(ctx.signal) : finish(recording)
}
