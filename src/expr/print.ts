import { isTagged } from './nodes/expr-node.ts'
import type { ExprNode } from './nodes/expr-node.ts'
import type { Expr } from './nodes/node.ts'
import { conditionLevel, precedenceOf } from './precedence.ts'

/** The precedence of a printed text: a conditional lowest, then the operators by precedence, a prefix operator, `**`, and what never needs parentheses. */
const CONDITIONAL = 0
const PREFIX = precedenceOf('**')
const POWER = PREFIX + 1
const WHOLE = POWER + 1

type Printed = readonly [strength: number, text: string]

/** The condition text of an expression. `parseCondition(printExpr(node))` returns the node again if conditions support it; any other is printed as `…`. */
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
      return [
        CONDITIONAL,
        `${print(node.test, CONDITIONAL + 1)} ? ${printExpr(node.consequent)} : ${printExpr(node.alternate)}`,
      ]
    case 'unary':
      // Two adjacent prefix operators, or one before a number, would parse differently.
      return [PREFIX, `${node.op === 'typeof' ? 'typeof ' : node.op}${print(node.argument, WHOLE)}`]
    case 'binary':
    case 'logical': {
      const { op, left, right } = node
      if (op === '**') return [POWER, `${print(left, WHOLE)} ** ${print(right, PREFIX)}`]
      const level = conditionLevel(op)!
      // Comparisons do not chain, and `??` and `||` do not mix.
      const isChained =
        level !== precedenceOf('<') && (level !== precedenceOf('||') || (left as { op?: string }).op === op)
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
