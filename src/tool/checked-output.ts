import { MandateError, isAsyncIterable } from '../core/index.ts'
import { ISSUES_MAX } from './json-schema/issue-text.ts'
import type { ReadOutputSchema } from './schema.ts'

/**
 * Applies the output schema to the result of a tool. A result that does not match is a failure of the tool, which is reported to the model. Of a
 * streamed result only the last item is checked: the others are progress.
 */
export function checkedOutput(returned: unknown, schema: ReadOutputSchema, tool: string): unknown {
  if (isAsyncIterable(returned)) return checkedPieces(returned, schema, tool)
  return checkedLater(returned, schema, tool)
}

async function checkedLater(returned: unknown, schema: ReadOutputSchema, tool: string): Promise<unknown> {
  const value = await returned
  return isAsyncIterable(value) ? checkedPieces(value, schema, tool) : decoded(value, schema, tool)
}

async function* checkedPieces(
  pieces: AsyncIterable<unknown>,
  schema: ReadOutputSchema,
  tool: string,
): AsyncGenerator<unknown, unknown> {
  const iterator = pieces[Symbol.asyncIterator]()
  let last: unknown
  try {
    for (;;) {
      const { done, value } = await iterator.next()
      if (done === true) return await decoded(value === undefined ? last : value, schema, tool)
      last = value
      yield value
    }
  } finally {
    await iterator.return?.()
  }
}

async function decoded(value: unknown, schema: ReadOutputSchema, tool: string): Promise<unknown> {
  const result = await schema.decode(value)
  if ('value' in result) return result.value
  const issues = result.issues
    .slice(0, ISSUES_MAX)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  throw new MandateError('OUTPUT_INVALID', `"${tool}" gave what its output schema does not allow: ${issues.join('; ')}`)
}
