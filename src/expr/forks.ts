import type { Compiling, Run } from './compiling.ts'
import { spend } from './fuel.ts'
import { keyOf } from './names.ts'
import type { ArrayNode } from './nodes/array.ts'
import type { ConditionalNode } from './nodes/conditional.ts'
import type { LogicalNode } from './nodes/logical.ts'
import type { ObjectNode, ObjectProperty } from './nodes/object.ts'

/** What is computed only when it is needed is also paid for only then. */
export function compileChoice<S>(node: LogicalNode | ConditionalNode, compiling: Compiling<S>): Run<S> {
  if (node.$expr === 'conditional') {
    const test = compiling.compile(node.test)
    const yes = compiling.block(node.consequent)
    const no = compiling.block(node.alternate)
    return (scope, fuel) => {
      const { run, cost } = test(scope, fuel) ? yes : no
      spend(fuel, cost)
      return run(scope, fuel)
    }
  }
  const left = compiling.compile(node.left)
  const { run, cost } = compiling.block(node.right)
  switch (node.op) {
    case '&&':
      return (scope, fuel) => {
        const value = left(scope, fuel)
        if (!value) return value
        spend(fuel, cost)
        return run(scope, fuel)
      }
    case '||':
      return (scope, fuel) => {
        const value = left(scope, fuel)
        if (value) return value
        spend(fuel, cost)
        return run(scope, fuel)
      }
    case '??':
      return (scope, fuel) => {
        const value = left(scope, fuel)
        if (value != null) return value
        spend(fuel, cost)
        return run(scope, fuel)
      }
  }
}

export function compileCollection<S>(node: ArrayNode | ObjectNode, compiling: Compiling<S>): Run<S> {
  if (node.$expr === 'array') {
    const elements = node.elements.map((element) => compiling.compile(element))
    return (scope, fuel) => elements.map((run) => run(scope, fuel))
  }
  const members = (node.properties as readonly ObjectProperty[]).map(({ key, value, computed }) => ({
    key: computed === true ? compiling.compile(key) : () => key,
    value: compiling.compile(value),
  }))
  return (scope, fuel) => {
    const made: Record<string, unknown> = {}
    for (const { key, value } of members) made[keyOf(key(scope, fuel))] = value(scope, fuel)
    return made
  }
}
