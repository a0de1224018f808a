import type { Json } from '../../core/index.ts'
import { listIssues } from '../../tool/index.ts'
import type { ReadSchema } from '../../tool/index.ts'
import type { OutputSpec } from './output.ts'

/** The validated value in an answer, or its problem. */
export async function checkText(text: string, schema: ReadSchema): ReturnType<OutputSpec['check']> {
  const parsed = parse(text)
  if (parsed === undefined) return { problem: 'The answer is not JSON.' }
  const result = await schema.decode(parsed)
  if (result.valid) return { value: result.value }
  return { problem: `The answer does not fit the schema:\n${listIssues(result.issues, 'the answer')}` }
}

/** Parses an answer. Models often wrap JSON in a code fence or a sentence, so the text between the first and the last brace is tried too. */
function parse(text: string): Json | undefined {
  for (const candidate of [text, text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)]) {
    try {
      return JSON.parse(candidate) as Json
    } catch {
      // Try the next candidate.
    }
  }
  return undefined
}
