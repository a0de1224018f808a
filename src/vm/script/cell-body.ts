import { completed } from './completion.ts'
import type { Statement } from './parser/ast.ts'
import { programBody } from './whole-function.ts'

/**
 * Returns the statements of a cell. Unlike in a script, a cell with only a named function declares it and does not call it. An anonymous function is called,
 * because no later cell could call it.
 */
export function cellBody(body: readonly Statement[]): readonly Statement[] {
  const [only, ...others] = body.filter(({ type }) => type !== 'empty')
  const isFunction = only?.type === 'expression' && only.value.type === 'function'
  return isFunction && others.length === 0 ? programBody(body) : completed(body)
}
