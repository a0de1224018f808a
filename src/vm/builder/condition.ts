import { MandateError } from '../../core/index.ts'
import { isTagged, parseCondition } from '../../expr/index.ts'
import type { ExprNode } from '../../expr/index.ts'
import type { Condition, Vars } from './builder-types.ts'
import { operand } from './reference.ts'

/**
 * Builds the expression of a condition. It can only refer to `vars`: each name is replaced by the variable or expression it refers to, so the program
 * contains no aliases, and a loop re-evaluates its variables. Unknown names are an error here, not an `undefined` later.
 */
export function conditionOf(condition: Condition, vars: Vars, own: readonly string[] = []): ExprNode {
  const names = new Map(Object.entries(vars).map(([name, given]) => [name, operand(given)]))
  if (typeof condition !== 'string') return replaced(condition, names, () => {}) as ExprNode
  const check = (name: string): void => {
    if (own.includes(name)) return
    const known = [...names.keys(), ...own].join(', ') || 'nothing'
    throw new MandateError(
      'INPUT_INVALID',
      `The condition ${JSON.stringify(condition)} uses "${name}", which is not in its variables (it sees ${known}). Add it: { ${name}: '${name}' }.`,
    )
  }
  return replaced(parseCondition(condition), names, check) as ExprNode
}

function replaced(part: unknown, names: ReadonlyMap<string, ExprNode>, check: (name: string) => void): unknown {
  if (Array.isArray(part)) return part.map((item) => replaced(item, names, check))
  if (typeof part !== 'object' || part === null) return part
  if (isTagged(part)) {
    if (part.$expr === 'literal') return part
    if (part.$expr === 'ident') {
      const { name } = part as { name?: unknown } & typeof part
      const found = names.get(String(name))
      if (found === undefined) check(String(name))
      return found ?? part
    }
  }
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, replaced(value, names, check)]))
}
