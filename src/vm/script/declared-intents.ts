import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'

/** Leading white space and comments. */
const OPENING = /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/u
const BLOCK = /<intent>(.*?)<\/intent>/gu

/** The comments that a source begins with. */
export function openingComments(source: string): string {
  return OPENING.exec(source)![0]
}

/** Returns the intents that a script declares in its opening comments, in the same form as replies: `// <intent>{"toolName": …}</intent>`. */
export function declaredIn(source: string): readonly Json[] {
  if (!source.includes('<intent>')) return []
  return [...openingComments(source).matchAll(BLOCK)].map(([, body]) => {
    try {
      return JSON.parse(body!) as Json
    } catch {
      throw new MandateError(
        'INPUT_INVALID',
        'An intent at the top of the script is not JSON. Write it on one line: // <intent>{"toolName": "…", "purpose": "…", "expectedOutcome": "…", "riskLevel": "read"}</intent>',
      )
    }
  })
}
