import { isTagged } from '../../expr/index.ts'
import type { Expr, ExprNode } from '../../expr/index.ts'

/** Operators between two values, those that bind least first. */
const LEVELS = [['??', '||'], ['&&'], ['==', '!=', '===', '!==', '<', '<=', '>', '>='], ['+', '-'], ['*', '/', '%']]

/** How tightly what was printed holds together: a choice least, then each level of operators, what has a sign before it, and what needs nothing. */
const PREFIX = LEVELS.length + 1
const POWER = PREFIX + 1
const WHOLE = POWER + 1

type Printed = readonly [strength: number, text: string]

/**
 * The text of an expression: `parseCondition(printExpr(node))` gives the node again, if it is one that a condition text can say. What it cannot is shown as `…`.
 */
export function printExpr(expr: Expr): string {
  return print(expr, 0)
}

function print(expr: Expr, least: number): string {
  const [strength, text] = isTagged(expr) ? textOf(expr as ExprNode) : textOfValue(expr)
  return strength < least ? `(${text})` : text
}

const listed = (items: readonly Expr[]): string => items.map(printExpr).join(', ')

function textOfValue(value: unknown): Printed {
  return [typeof value === 'number' ? PREFIX : WHOLE, Object.is(value, -0) ? '-0' : JSON.stringify(value)]
}

function textOf(node: ExprNode): Printed {
  switch (node.$expr) {
    case 'literal':
      return textOfValue(node.value)
    case 'ident':
      return [WHOLE, node.name]
    case 'conditional':
      return [0, `${print(node.test, 1)} ? ${printExpr(node.consequent)} : ${printExpr(node.alternate)}`]
    case 'unary':
      // Two signs in a row, or a sign and a number, would be read as something else.
      return [PREFIX, `${node.op === 'typeof' ? 'typeof ' : node.op}${print(node.argument, WHOLE)}`]
    case 'binary':
    case 'logical': {
      const { op, left, right } = node
      if (op === '**') return [POWER, `${print(left, WHOLE)} ** ${print(right, PREFIX)}`]
      const level = LEVELS.findIndex((ops) => ops.includes(op)) + 1
      // Comparisons make no chains, and neither do `??` and `||` together.
      const isChained = level !== 3 && (level !== 1 || (left as { op?: string }).op === op)
      return [level, `${print(left, isChained ? level : level + 1)} ${op} ${print(right, level + 1)}`]
    }
    case 'array':
      return [WHOLE, `[${listed(node.elements)}]`]
    case 'member': {
      const { computed, property } = node
      const key = computed ? `[${printExpr(property)}]` : (property as string)
      return [WHOLE, print(node.object, WHOLE) + (node.optional ? '?.' : computed ? '' : '.') + key]
    }
    case 'methodCall':
      return [
        WHOLE,
        `${print(node.object, WHOLE)}${node.optional ? '?.' : '.'}${node.method}(${listed(node.arguments)})`,
      ]
    case undefined:
      return [WHOLE, `args.${node.path}`]
    default:
      return [WHOLE, '…']
  }
}
