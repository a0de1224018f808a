import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'

/** White space and comments, as far as they reach. */
const OPENING = /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/u
const BLOCK = /<intent>(.*?)<\/intent>/gu

/** The comments that a source begins with. */
export function openingComments(source: string): string {
  return OPENING.exec(source)![0]
}

/** What a script declares in the comments that it begins with, in the form in which replies do: `// <intent>{"toolName": …}</intent>`. */
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
