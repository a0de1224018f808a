import type { Compiler, Run } from './compiler.ts'
import { payFor } from './fuel.ts'
import type { Fuel } from './fuel.ts'
import type { BinaryNode } from './nodes/binary.ts'
import type { Expr } from './nodes/node.ts'
import type { TemplateNode } from './nodes/template.ts'
import type { UnaryNode } from './nodes/unary.ts'
import { OPERATORS, accepts } from './operators.ts'
import { printExpr } from './printer.ts'
import { kindOf } from './reading.ts'
import { failed } from './refusals.ts'

type Slow = (left: unknown, right: unknown, fuel: Fuel) => unknown
type Fast = <S>(left: Run<S>, right: Run<S>, slow: Slow, constant: unknown) => Run<S>

/** The operators of most conditions have a closure of their own for two numbers; one shared by all would be slow for each. */
const FAST: { readonly [op: string]: Fast } = {
  '+': (left, right, slow, constant) => (scope, fuel) => {
    const a = left(scope, fuel)
    const b = constant ?? right(scope, fuel)
    return typeof a === 'number' && typeof b === 'number' ? a + b : slow(a, b, fuel)
  },
  '*': (left, right, slow, constant) => (scope, fuel) => {
    const a = left(scope, fuel)
    const b = constant ?? right(scope, fuel)
    return typeof a === 'number' && typeof b === 'number' ? a * b : slow(a, b, fuel)
  },
  '<': (left, right, slow, constant) => (scope, fuel) => {
    const a = left(scope, fuel)
    const b = constant ?? right(scope, fuel)
    return typeof a === 'number' && typeof b === 'number' ? a < b : slow(a, b, fuel)
  },
  '>': (left, right, slow, constant) => (scope, fuel) => {
    const a = left(scope, fuel)
    const b = constant ?? right(scope, fuel)
    return typeof a === 'number' && typeof b === 'number' ? a > b : slow(a, b, fuel)
  },
  '==': (left, right, _, constant) => (scope, fuel) => {
    const a = left(scope, fuel)
    const b = constant ?? right(scope, fuel)
    return a === b || (a == null && b == null)
  },
}

export function compileBinary<S>(node: BinaryNode, compiler: Compiler<S>): Run<S> {
  const { op, left, right } = node
  if (!Object.hasOwn(OPERATORS, op)) compiler.refuse(`\`op\` must be one of ${Object.keys(OPERATORS).join(' ')}`)
  const first = compiler.child(node, 'left')
  const second = compiler.child(node, 'right')
  const apply = OPERATORS[op] as (left: unknown, right: unknown) => unknown
  const slow: Slow = (a, b, fuel) => {
    if (!accepts(op, a, b)) throw refused(op, [left, a], [right, b])
    if (op === '+') payFor('stringLength', String(a).length + String(b).length, fuel, compiler.limits)
    return apply(a, b)
  }
  // What most conditions compare with is written there.
  const { $expr, value } = (right ?? {}) as { readonly $expr?: string; readonly value?: unknown }
  const constant = $expr === 'literal' ? value : undefined
  return (
    FAST[op]?.(first, second, slow, constant) ?? ((scope, fuel) => slow(first(scope, fuel), second(scope, fuel), fuel))
  )
}

export function compileUnary<S>(node: UnaryNode, compiler: Compiler<S>): Run<S> {
  const { op, argument } = node
  const run = compiler.child(node, 'argument')
  if (op === '!') return (scope, fuel) => !run(scope, fuel)
  if (op === 'typeof') return (scope, fuel) => typeof run(scope, fuel)
  if (op !== '-' && op !== '+') compiler.refuse('`op` must be one of ! - + typeof')
  return (scope, fuel) => {
    const value = run(scope, fuel)
    if (typeof value !== 'number') throw refused(op, [argument, value])
    return op === '-' ? -value : value
  }
}

export function compileTemplate<S>(node: TemplateNode, compiler: Compiler<S>): Run<S> {
  const { parts, values } = node
  const runs = compiler.list(node, 'values')
  if (!Array.isArray(parts) || parts.length !== runs.length + 1 || parts.some((part) => typeof part !== 'string'))
    compiler.refuse('`parts` must be texts, one more than `values`')
  return (scope, fuel) =>
    runs.reduce((text, run, index) => {
      const value = run(scope, fuel)
      if (!accepts('+', '', value)) throw refused('${}', [values[index]!, value])
      const more = `${value as string}${parts[index + 1]!}`
      payFor('stringLength', text.length + more.length, fuel, compiler.limits)
      return text + more
    }, String(parts[0]))
}

function refused(op: string, ...operands: readonly (readonly [Expr, unknown])[]): Error {
  const found = operands.map(([expr, value]) => `\`${printExpr(expr)}\`, which is ${kindOf(value)}`).join(', and ')
  return failed(`\`${op}\` cannot take ${found}. Use \`??\` for what may be missing.`)
}
