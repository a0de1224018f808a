import { MandateError, isRecord } from '../../core/index.ts'

/** Throws on a call that was meant for `run`: the interface of the AI SDK takes an object. */
export function checkCall(call: unknown, method: 'generate' | 'stream'): void {
  if (isRecord(call)) return
  throw new MandateError(
    'INPUT_INVALID',
    `\`${method}\` is the interface of the AI SDK and takes { prompt } or { messages }. For a text, call \`run(text)\`: await it for the result, read its \`textStream\` for the text.`,
  )
}

const PARTS = ['textStream', 'fullStream'] as const

/** A promise whose parts say that it must be awaited first: in plain JavaScript they would be undefined. */
export function awaited<T>(promise: Promise<T>): Promise<T> {
  const get = (part: string) => (): never => {
    throw new MandateError(
      'INPUT_INVALID',
      `\`${part}\` is there once \`stream\` is awaited: const { ${part} } = await agent.stream({ prompt }). The handle of \`agent.run(text)\` has a \`textStream\` at once.`,
    )
  }
  return Object.defineProperties(promise, Object.fromEntries(PARTS.map((part) => [part, { get: get(part) }])))
}
