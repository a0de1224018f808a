import type { Json } from '../../core/index.ts'
import { readSchema } from '../../tool/index.ts'
import { checkText } from './output-check.ts'

/** The required form of the final answer. */
export interface OutputSpec {
  readonly schema: Json
  readonly retries: number
  /** The value, or the problem in words that a model can act on. */
  check(text: string): Promise<{ readonly value: Json } | { readonly problem: string }>
}

/** Reads an output schema of any kind that tools accept. The result is what its transforms return, as plain data. */
export function readOutput(schema: unknown, retries = 2): OutputSpec {
  const read = readSchema(schema, { owner: 'The agent', field: 'output' })
  return {
    schema: read.inputSchema,
    retries,
    check: async (text) => checkText(text, read),
  }
}
