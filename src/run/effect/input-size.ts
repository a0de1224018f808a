import { utf8Bytes } from '../../core/index.ts'
import type { Ending, Request } from './perform.ts'

/** An input that is too large to be worth a journal is refused before anyone looks at it. */
export function oversized({ run, effect }: Request, inputText: string): Ending | undefined {
  const max = run.limits.inputBytes
  // A unit of UTF-16 takes at most three bytes, so most inputs need no count.
  if (inputText.length * 3 <= max) return undefined
  const inputSize = utf8Bytes(inputText)
  if (inputSize <= max) return undefined
  const reason = `The input of ${effect.kind} "${effect.name}" has ${inputSize} bytes; \`limits.inputBytes\` is ${max}. Send less, or raise it.`
  return { outcome: { status: 'denied', code: 'LIMIT_EXCEEDED', rule: 'limits/inputBytes', reason } }
}
