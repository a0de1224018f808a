import { MandateError, messageOf } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { toolFrom } from '../../tool/index.ts'
import type { Tool } from '../../tool/index.ts'
import { checkText } from './output-check.ts'

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
    check: async (text) => checkText(text, checker),
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
