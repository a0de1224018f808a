import { nodeOf } from './nodes/expr-node.ts'
import type { ExprNode } from './nodes/expr-node.ts'
import type { Expr } from './nodes/node.ts'
import type { ObjectProperty } from './nodes/object.ts'
import { LEVELS } from './syntax.ts'

/** How tightly what was printed holds together; a level of operators has its index plus 1. */
const CHOICE = 0
const PREFIX = LEVELS.length + 1
const POWER = PREFIX + 1
const WHOLE = POWER + 1

const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

/**
 * The text of an expression, such that `parseCondition(printExpr(node))` gives the node again.
 * What only programs have is shown as `…`.
 */
export function printExpr(expr: Expr): string {
  return print(nodeOf(expr), CHOICE)
}

function print(node: ExprNode, least: number): string {
  const [text, strength] = textOf(node)
  return strength < least ? `(${text})` : text
}

const inner = (expr: Expr, least: number): string => print(nodeOf(expr), least)

const listed = (items: readonly Expr[]): string => items.map((item) => inner(item, CHOICE)).join(', ')

function textOf(node: ExprNode): [text: string, strength: number] {
  switch (node.$expr) {
    case undefined:
      return [`args.${node.path}`, WHOLE]
    case 'literal':
      // A negative number is a sign and a number, unlike a node for the negation of one.
      return typeof node.value === 'number' ? number(node.value) : [JSON.stringify(node.value), WHOLE]
    case 'ident':
      return [node.name, WHOLE]
    case 'binary':
      return node.op === '**'
        ? [`${inner(node.left, WHOLE)} ** ${inner(node.right, PREFIX)}`, POWER]
        : infix(node.op, node.left, node.right)
    case 'logical':
      return infix(node.op, node.left, node.right)
    case 'unary':
      return [prefixed(node.op, nodeOf(node.argument)), PREFIX]
    case 'conditional':
      return [`${inner(node.test, 1)} ? ${inner(node.consequent, CHOICE)} : ${inner(node.alternate, CHOICE)}`, CHOICE]
    case 'array':
      return [`[${listed(node.elements)}]`, WHOLE]
    case 'object':
      return [`{ ${node.properties.map((item) => property(item as ObjectProperty)).join(', ')} }`, WHOLE]
    case 'template':
      return [
        `\`${node.parts.map((part, i) => (i === 0 ? '' : `\${${inner(node.values[i - 1]!, CHOICE)}}`) + escape(part)).join('')}\``,
        WHOLE,
      ]
    case 'member':
      return [receiver(node.object) + memberOf(node.property, node.computed === true, node.optional === true), WHOLE]
    case 'methodCall':
      return [
        `${receiver(node.object)}${node.optional === true ? '?.' : '.'}${node.method}(${listed(node.arguments)})`,
        WHOLE,
      ]
    default:
      return ['…', WHOLE]
  }
}

function number(value: number): [text: string, strength: number] {
  return [Object.is(value, -0) ? '-0' : String(value), value < 0 || Object.is(value, -0) ? PREFIX : WHOLE]
}

function infix(op: string, left: Expr, right: Expr): [text: string, strength: number] {
  const level = LEVELS.findIndex((ops) => ops.includes(op)) + 1
  const isChain = level === 1 || level === 3
  // Comparisons do not chain, and `??` beside `||` needs parentheses.
  const leftNode = nodeOf(left)
  const isSame = (leftNode.$expr === 'logical' || leftNode.$expr === 'binary') && leftNode.op === op && level !== 3
  return [`${print(leftNode, isChain && !isSame ? level + 1 : level)} ${op} ${inner(right, level + 1)}`, level]
}

function prefixed(op: string, argument: ExprNode): string {
  if (op === 'typeof') return `typeof ${print(argument, PREFIX)}`
  // Two signs in a row, or a sign and a number, would be read as something else.
  const isGuarded = op !== '!' && (argument.$expr === 'literal' || argument.$expr === 'unary')
  return isGuarded
    ? `${op}(${print(argument, CHOICE)})`
    : op + print(argument, argument.$expr === 'binary' ? WHOLE : PREFIX)
}

/** A number needs parentheses before a dot. */
function receiver(object: Expr): string {
  const node = nodeOf(object)
  return node.$expr === 'literal' && typeof node.value === 'number' ? `(${print(node, CHOICE)})` : print(node, WHOLE)
}

function memberOf(key: Expr, isComputed: boolean, isOptional: boolean): string {
  return isComputed ? `${isOptional ? '?.' : ''}[${inner(key, CHOICE)}]` : `${isOptional ? '?.' : '.'}${key as string}`
}

function property({ key, value, computed }: ObjectProperty): string {
  const name =
    computed === true ? `[${inner(key, CHOICE)}]` : NAME.test(key as string) ? (key as string) : JSON.stringify(key)
  return `${name}: ${inner(value, CHOICE)}`
}

function escape(part: string): string {
  return JSON.stringify(part).slice(1, -1).replaceAll('\\"', '"').replaceAll('`', '\\`').replaceAll('${', '\\${')
}
