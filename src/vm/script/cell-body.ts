import { completed } from './completion.ts'
import type { Statement } from './parser/ast.ts'
import { programBody } from './whole-function.ts'

/**
 * The statements of a cell. Other than in a script, a function that stands alone is declared and not called; one without a name, which nothing
 * else could call, is called.
 */
export function cellBody(body: readonly Statement[]): readonly Statement[] {
  const [only, ...others] = body.filter(({ type }) => type !== 'empty')
  const isFunction = only?.type === 'expression' && only.value.type === 'function'
  return isFunction && others.length === 0 ? programBody(body) : completed(body)
}
