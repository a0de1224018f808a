import type { Compiling, Run } from './compiling.ts'
import { CHAR_COST, spend } from './fuel.ts'
import type { Fuel } from './fuel.ts'
import type { BinaryNode, BinaryOp } from './nodes/binary.ts'
import type { Expr } from './nodes/node.ts'
import type { TemplateNode } from './nodes/template.ts'
import type { UnaryNode } from './nodes/unary.ts'
import { OPERATORS, UNARY_OPERATORS, isEqual, refusalOf } from './operators.ts'
import type { Primitive } from './operators.ts'
import { printExpr } from './printer.ts'
import { kindOf } from './reading.ts'
import { failed, overLimit } from './refusals.ts'

type Slow = (left: unknown, right: unknown, fuel: Fuel) => unknown
type Template = <S>(left: Run<S>, right: Run<S>, slow: Slow) => Run<S>

/** Two numbers are the common case, and each operator gets a closure of its own for them: a shared one would be slow for all. */
const FAST: { readonly [O in BinaryOp]?: Template } = {
  '+': (left, right, slow) => (scope, fuel) => {
    const a = left(scope, fuel)
    const b = right(scope, fuel)
    return typeof a === 'number' && typeof b === 'number' ? a + b : slow(a, b, fuel)
  },
  '-': (left, right, slow) => (scope, fuel) => {
    const a = left(scope, fuel)
    const b = right(scope, fuel)
    return typeof a === 'number' && typeof b === 'number' ? a - b : slow(a, b, fuel)
  },
  '*': (left, right, slow) => (scope, fuel) => {
    const a = left(scope, fuel)
    const b = right(scope, fuel)
    return typeof a === 'number' && typeof b === 'number' ? a * b : slow(a, b, fuel)
  },
  '<': (left, right, slow) => (scope, fuel) => {
    const a = left(scope, fuel)
    const b = right(scope, fuel)
    return typeof a === 'number' && typeof b === 'number' ? a < b : slow(a, b, fuel)
  },
  '>': (left, right, slow) => (scope, fuel) => {
    const a = left(scope, fuel)
    const b = right(scope, fuel)
    return typeof a === 'number' && typeof b === 'number' ? a > b : slow(a, b, fuel)
  },
  '<=': (left, right, slow) => (scope, fuel) => {
    const a = left(scope, fuel)
    const b = right(scope, fuel)
    return typeof a === 'number' && typeof b === 'number' ? a <= b : slow(a, b, fuel)
  },
  '>=': (left, right, slow) => (scope, fuel) => {
    const a = left(scope, fuel)
    const b = right(scope, fuel)
    return typeof a === 'number' && typeof b === 'number' ? a >= b : slow(a, b, fuel)
  },
  '==': (left, right) => (scope, fuel) => isEqual(left(scope, fuel), right(scope, fuel)),
  '!=': (left, right) => (scope, fuel) => !isEqual(left(scope, fuel), right(scope, fuel)),
}

export function compileBinary<S>(node: BinaryNode, compiling: Compiling<S>): Run<S> {
  const { op } = node
  const left = compiling.compile(node.left)
  const right = compiling.compile(node.right)
  const { stringLength } = compiling.limits
  const slow: Slow = (a, b, fuel) => {
    const refusal = refusalOf(op, a, b)
    if (refusal !== undefined) throw refused(op, refusal, [node.left, a], [node.right, b])
    const [x, y] = [a as Primitive, b as Primitive]
    if (op === '+') return joined(String(x), String(y), fuel, stringLength)
    return OPERATORS[op](x, y)
  }
  return FAST[op]?.(left, right, slow) ?? ((scope, fuel) => slow(left(scope, fuel), right(scope, fuel), fuel))
}

export function compileUnary<S>(node: UnaryNode, compiling: Compiling<S>): Run<S> {
  const { op } = node
  const argument = compiling.compile(node.argument)
  if (op === '!') return (scope, fuel) => !argument(scope, fuel)
  return (scope, fuel) => {
    const value = argument(scope, fuel)
    const refusal = refusalOf(op, value, value)
    if (refusal !== undefined) throw refused(op, refusal, [node.argument, value])
    return UNARY_OPERATORS[op](value as Primitive)
  }
}

export function compileTemplate<S>({ parts, values }: TemplateNode, compiling: Compiling<S>): Run<S> {
  const runs = values.map((value) => compiling.compile(value))
  const { stringLength } = compiling.limits
  return (scope, fuel) => {
    let text = parts[0]!
    for (const [index, run] of runs.entries()) {
      const value = run(scope, fuel)
      const refusal = refusalOf('+', '', value)
      if (refusal !== undefined) throw refused('${…}', 'takes a text, a number, true or false', [values[index]!, value])
      text = joined(text, `${value as string}${parts[index + 1]!}`, fuel, stringLength)
    }
    return text
  }
}

/** Texts that grow are paid for before they do. */
function joined(left: string, right: string, fuel: Fuel, max: number): string {
  const length = left.length + right.length
  if (length > max) throw overLimit('stringLength', `A text of ${length} characters would be made`, max)
  spend(fuel, length * CHAR_COST)
  return left + right
}

function refused(op: string, refusal: string, ...operands: readonly (readonly [Expr, unknown])[]): Error {
  const found = operands.map(([expr, value]) => `\`${printExpr(expr)}\` is ${kindOf(value)}`).join(' and ')
  const absent = operands.find(([, value]) => value == null)
  const hint = absent === undefined ? '' : ` Say what holds without it, as in \`(${printExpr(absent[0])} ?? 0)\`.`
  return failed(`\`${op}\` ${refusal}; here ${found}.${hint}`, { op })
}
