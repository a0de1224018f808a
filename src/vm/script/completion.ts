import type { Block, Statement } from './parser/ast.ts'

/**
 * Makes the value of a script without `return` that of its last statement: an expression, or the last expression of the block, the branch or the `try` that
 * ends the script. A loop, a `switch` or a declaration at the end gives `undefined`.
 */
export function completed(body: readonly Statement[]): readonly Statement[] {
  let last = body.length - 1
  while (last >= 0 && isSilent(body[last] as Statement)) last -= 1
  if (last < 0) return body
  return body.with(last, completedStatement(body[last] as Statement))
}

/** Whether a statement does not change the value of the script: function declarations and empty statements. */
function isSilent({ type }: Statement): boolean {
  return type === 'empty' || type === 'function-declaration'
}

function completedStatement(one: Statement): Statement {
  switch (one.type) {
    case 'expression':
      return { type: 'return', start: one.start, value: one.value }
    case 'block':
      return completedBlock(one)
    case 'if':
      return {
        ...one,
        then: completedStatement(one.then),
        otherwise: one.otherwise === undefined ? undefined : completedStatement(one.otherwise),
      }
    case 'try':
      return {
        ...one,
        block: completedBlock(one.block),
        handler: one.handler === undefined ? undefined : completedBlock(one.handler),
      }
    default:
      return one
  }
}

function completedBlock(block: Block): Block {
  return { ...block, body: completed(block.body) }
}
