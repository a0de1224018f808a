import { type Json, toPlain } from '../../core/index.ts'
import { cutBy, resultAsText } from '../../model/index.ts'
import type { Message, ToolResultPart } from '../../model/index.ts'
import type { FinishReason, ModelPart, ToolCallOut } from '../../model/index.ts'
import { parseToolInput } from '../../model/index.ts'
import type { TokenUsage } from '../../model/index.ts'

type Input = Pick<ToolCallOut, 'input' | 'invalid'>

/**
 * Arguments in shapes that leave open whether they are a value or a text of JSON. A text is always read as JSON, so a text that is meant
 * as a value is written in quotes: whatever is written is read back as it was.
 */
export function writeArguments({ input, invalid }: Input): Json {
  return invalid ?? (typeof input === 'string' ? JSON.stringify(input) : input)
}

export function readArguments(given: unknown): Input {
  if (typeof given === 'string') return parseToolInput(given)
  return { input: given === undefined ? {} : toPlain(given).value }
}

/** What a model that reads only text is told of a result. */
export function resultText(result: ToolResultPart): string {
  return resultAsText(result)
}

/** A warning for what cannot be said in plain text. Pictures and files; what a provider keeps for itself is no loss. */
export function lossOf(messages: readonly Message[]): readonly ModelPart[] {
  const lost = messages.flatMap(({ content }) => content).filter(({ type }) => type === 'image' || type === 'file')
  return lost.length === 0
    ? []
    : [{ type: 'warning', message: `This model takes only text: ${lost.length} picture(s) or file(s) were left out.` }]
}

const REASONS: readonly unknown[] = ['stop', 'tool-calls', 'length', 'content-filter', 'error', 'other']

/** Why an answer ended, where the word is known here. */
export function readReason(given: unknown): FinishReason | undefined {
  return REASONS.includes(given) ? (given as FinishReason) : undefined
}

/** Counts under either of their usual names. */
export function readUsage(given: unknown): TokenUsage | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const counts = given as Record<string, unknown>
  const input = counts['inputTokens'] ?? counts['promptTokens']
  const output = counts['outputTokens'] ?? counts['completionTokens']
  if (typeof input !== 'number' && typeof output !== 'number') return undefined
  // A side that was left out is not known, and is estimated where the stream is folded.
  return {
    ...(typeof input === 'number' ? { inputTokens: input } : {}),
    ...(typeof output === 'number' ? { outputTokens: output } : {}),
  } as TokenUsage
}

/** Reads an iterable to its end, but not past the signal: shapes without a signal of their own are left behind. */
export async function* readUntilCut<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  let reject: (error: Error) => void = () => {}
  const onAbort = (): void => reject(cutBy(signal))
  signal.addEventListener('abort', onAbort)
  let isOver = false
  try {
    for (;;) {
      if (signal.aborted) throw cutBy(signal)
      const next = await new Promise<IteratorResult<T>>((resolve, fail) => {
        reject = fail
        iterator.next().then(resolve, fail)
      })
      if (next.done === true) {
        isOver = true
        return
      }
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Not awaited: a source that hangs would hang us with it.
    if (!isOver) iterator.return?.().catch(() => {})
  }
}
