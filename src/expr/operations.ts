import { UNKNOWN_OP } from './compiler.ts'
import type { Compiler, Run } from './compiler.ts'
import { payFor, spend } from './fuel.ts'
import type { Fuel } from './fuel.ts'
import { joinTexts } from './methods.ts'
import type { BinaryNode } from './nodes/binary.ts'
import type { ConditionalNode } from './nodes/conditional.ts'
import type { LogicalNode } from './nodes/logical.ts'
import type { Expr } from './nodes/node.ts'
import type { TemplateNode } from './nodes/template.ts'
import type { UnaryNode } from './nodes/unary.ts'
import { OPERATORS, accepts } from './operators.ts'
import { describe } from './read-node.ts'
import { failed } from './errors.ts'

export function compileBinary<S>(node: BinaryNode, compiler: Compiler<S>): Run<S> {
  const { op, left, right } = node
  if (!Object.hasOwn(OPERATORS, op)) compiler.refuse(UNKNOWN_OP)
  const first = compiler.child(node, 'left')
  const second = compiler.child(node, 'right')
  const apply = OPERATORS[op] as (left: unknown, right: unknown) => unknown
  const slow = (a: unknown, b: unknown, fuel: Fuel): unknown => {
    if (!accepts(op, a, b)) throw refused(op, [left, a], [right, b])
    if (op === '+') payFor('stringLength', { fuel, limits: compiler.limits }, String(a).length + String(b).length)
    return apply(a, b)
  }
  // Most conditions compare with a literal.
  const { $expr, value } = Object(right) as { readonly $expr?: string; readonly value?: unknown }
  const constant = $expr === 'literal' ? value : undefined
  if (/^[=!]/.test(op)) return (scope, fuel) => apply(first(scope, fuel), constant ?? second(scope, fuel))
  // The most frequent operators have their own closures, because V8 keeps type feedback per function literal.
  if (op === '+') {
    return (scope, fuel) => {
      const a = first(scope, fuel)
      const b = constant ?? second(scope, fuel)
      return typeof a === 'number' && typeof b === 'number' ? a + b : slow(a, b, fuel)
    }
  }
  if (op === '>') {
    return (scope, fuel) => {
      const a = first(scope, fuel)
      const b = constant ?? second(scope, fuel)
      return typeof a === 'number' && typeof b === 'number' ? a > b : slow(a, b, fuel)
    }
  }
  return (scope, fuel) => {
    const a = first(scope, fuel)
    const b = constant ?? second(scope, fuel)
    return typeof a === 'number' && typeof b === 'number' ? apply(a, b) : slow(a, b, fuel)
  }
}

export function compileUnary<S>(node: UnaryNode, compiler: Compiler<S>): Run<S> {
  const { op, argument } = node
  const run = compiler.child(node, 'argument')
  if (op === '!') return (scope, fuel) => !run(scope, fuel)
  if (op === 'typeof') return (scope, fuel) => typeof run(scope, fuel)
  if (op !== '-' && op !== '+') compiler.refuse(UNKNOWN_OP)
  return (scope, fuel) => {
    const value = run(scope, fuel)
    if (typeof value !== 'number') throw refused(op, [argument, value])
    return op === '-' ? -value : value
  }
}

/** A branch costs fuel only when it is taken. */
export function compileConditional<S>(node: ConditionalNode, compiler: Compiler<S>): Run<S> {
  const test = compiler.child(node, 'test')
  const yes = compiler.block(node, 'consequent')
  const no = compiler.block(node, 'alternate')
  return (scope, fuel) => {
    const [run, cost] = test(scope, fuel) ? yes : no
    spend(fuel, cost)
    return run(scope, fuel)
  }
}

export function compileLogical<S>(node: LogicalNode, compiler: Compiler<S>): Run<S> {
  const left = compiler.child(node, 'left')
  const [run, cost] = compiler.block(node, 'right')
  const right = (scope: S, fuel: Fuel): unknown => {
    spend(fuel, cost)
    return run(scope, fuel)
  }
  switch (node.op) {
    case '&&':
      return (scope, fuel) => left(scope, fuel) && right(scope, fuel)
    case '||':
      return (scope, fuel) => left(scope, fuel) || right(scope, fuel)
    case '??':
      return (scope, fuel) => left(scope, fuel) ?? right(scope, fuel)
    default:
      return compiler.refuse(UNKNOWN_OP)
  }
}

export function compileTemplate<S>(node: TemplateNode, compiler: Compiler<S>): Run<S> {
  const { parts } = node
  const runs = compiler.list(node, 'values')
  if (parts?.length !== runs.length + 1) compiler.refuse('`parts` do not fit `values`')
  return (scope, fuel) =>
    joinTexts([parts[0], ...runs.flatMap((run, index) => [run(scope, fuel), parts[index + 1]])], '', {
      fuel,
      limits: compiler.limits,
    })
}

function refused(op: string, ...operands: readonly (readonly [Expr, unknown])[]): Error {
  const found = operands.map(([expr, value]) => describe(expr, value)).join(', and ')
  return failed(`\`${op}\` cannot take ${found}. Use \`??\` for what may be missing.`)
}
