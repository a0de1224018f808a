import { MandateError, messageOf } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { describeIssues, toolFrom } from '../tool/index.ts'
import type { Tool } from '../tool/index.ts'

/** What the final answer must look like. */
export interface OutputSpec {
  readonly schema: Json
  readonly retries: number
  /** The value, or what is wrong with it in words a model can act on. */
  check(text: string): Promise<{ readonly value: Json } | { readonly problem: string }>
}

/** Reads an output schema; it is checked like the input of a tool, by the same code. */
export function readOutput(schema: unknown, retries = 2): OutputSpec {
  const checker = readChecker(schema)
  return {
    schema: checker.inputSchema,
    retries,
    async check(text) {
      const parsed = parse(text)
      if (parsed === undefined)
        return { problem: 'The answer is not JSON. Answer with one JSON object and nothing else.' }
      const result = await checker.validate(parsed)
      if (result.valid) return { value: result.value }
      return { problem: `The answer does not fit the schema: ${describeIssues(result.issues)}` }
    },
  }
}

function readChecker(schema: unknown): Tool {
  try {
    return toolFrom({ name: 'output', inputSchema: schema, run: () => null })
  } catch (cause) {
    throw new MandateError('CONFIG_INVALID', `\`output\` must be the schema of an object. ${messageOf(cause)}`, {
      cause,
    })
  }
}

/** Models like to wrap JSON in a fence or a sentence; what is between the first and the last brace is tried before giving up. */
function parse(text: string): Json | undefined {
  for (const candidate of [text, text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)]) {
    try {
      return JSON.parse(candidate) as Json
    } catch {
      // The next candidate may do.
    }
  }
  return undefined
}
