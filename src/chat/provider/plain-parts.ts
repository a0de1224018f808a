import { type Json, toPlain } from '../../core/index.ts'
import { cutBy, resultAsText } from '../../model/index.ts'
import type { Message, ToolResultPart } from '../../model/index.ts'
import type { FinishReason, ModelPart, ToolCallOut } from '../../model/index.ts'
import { parseToolInput } from '../../model/index.ts'
import type { TokenUsage } from '../../model/index.ts'

type Input = Pick<ToolCallOut, 'input' | 'invalid'>

/**
 * Writes arguments for formats in which they may be a value or JSON text. Text is always parsed as JSON, so a string value is written in quotes: reading
 * returns what was written.
 */
export function writeArguments({ input, invalid }: Input): Json {
  return invalid ?? (typeof input === 'string' ? JSON.stringify(input) : input)
}

export function readArguments(given: unknown): Input {
  if (typeof given === 'string') return parseToolInput(given)
  return { input: given === undefined ? {} : toPlain(given).value }
}

/** Returns a tool result as text, for models that read only text. */
export function resultText(result: ToolResultPart): string {
  return resultAsText(result)
}

/** Returns a warning if messages contain images or files, which plain text cannot carry. Parts that are private to a provider are no loss. */
export function lossOf(messages: readonly Message[]): readonly ModelPart[] {
  const lost = messages.flatMap(({ content }) => content).filter(({ type }) => type === 'image' || type === 'file')
  return lost.length === 0
    ? []
    : [{ type: 'warning', message: `This model takes only text: ${lost.length} picture(s) or file(s) were left out.` }]
}

const REASONS: readonly unknown[] = ['stop', 'tool-calls', 'length', 'content-filter', 'error', 'other']

/** Returns the finish reason if it is a known one. */
export function readReason(given: unknown): FinishReason | undefined {
  return REASONS.includes(given) ? (given as FinishReason) : undefined
}

/** Reads token counts under either of their usual names. */
export function readUsage(given: unknown): TokenUsage | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const counts = given as Record<string, unknown>
  const input = counts['inputTokens'] ?? counts['promptTokens']
  const output = counts['outputTokens'] ?? counts['completionTokens']
  if (typeof input !== 'number' && typeof output !== 'number') return undefined
  // A missing count is unknown, and is estimated when the stream is folded.
  return {
    ...(typeof input === 'number' ? { inputTokens: input } : {}),
    ...(typeof output === 'number' ? { outputTokens: output } : {}),
  } as TokenUsage
}

/** Reads an iterable until it ends or the signal aborts. A source that does not support signals is abandoned then. */
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
    // Not awaited: a source that hangs would block this generator too.
    if (!isOver) iterator.return?.().catch(() => {})
  }
}
