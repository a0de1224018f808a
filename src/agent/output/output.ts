import type { Json } from '../../core/index.ts'
import { readSchema } from '../../tool/index.ts'
import { checkText } from './output-check.ts'

/** What the final answer must look like. */
export interface OutputSpec {
  readonly schema: Json
  readonly retries: number
  /** The value, or what is wrong with it in words a model can act on. */
  check(text: string): Promise<{ readonly value: Json } | { readonly problem: string }>
}

/** Reads an output schema, of the kinds that tools take. What its transforms make of the answer is the result, as plain data. */
export function readOutput(schema: unknown, retries = 2): OutputSpec {
  const read = readSchema(schema, { owner: 'The agent', field: 'output' })
  return {
    schema: read.inputSchema,
    retries,
    check: async (text) => checkText(text, read),
  }
}
