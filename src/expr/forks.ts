import type { Compiler, Run } from './compiler.ts'
import type { ConditionalNode } from './nodes/conditional.ts'
import type { LogicalNode } from './nodes/logical.ts'

/** What is computed only when it is needed is also paid for only then. */
export function compileFork<S>(node: LogicalNode | ConditionalNode, compiler: Compiler<S>): Run<S> {
  if (node.$expr === 'conditional') {
    const test = compiler.child(node, 'test')
    const yes = compiler.block(node, 'consequent')
    const no = compiler.block(node, 'alternate')
    return (scope, fuel) => (test(scope, fuel) ? yes : no)(scope, fuel)
  }
  const left = compiler.child(node, 'left')
  const right = compiler.block(node, 'right')
  switch (node.op) {
    case '&&':
      return (scope, fuel) => left(scope, fuel) && right(scope, fuel)
    case '||':
      return (scope, fuel) => left(scope, fuel) || right(scope, fuel)
    case '??':
      return (scope, fuel) => left(scope, fuel) ?? right(scope, fuel)
    default:
      return compiler.refuse('`op` must be one of && || ??')
  }
}
