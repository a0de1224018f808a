import { UNKNOWN_OP } from './compiler.ts'
import type { Compiler, Run } from './compiler.ts'
import { spend } from './fuel.ts'
import type { Fuel } from './fuel.ts'
import type { ConditionalNode } from './nodes/conditional.ts'
import type { LogicalNode } from './nodes/logical.ts'

/** What is computed only when it is needed is also paid for only then. */
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
