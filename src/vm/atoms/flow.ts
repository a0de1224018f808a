import type { JsonObject } from '../../core/index.ts'

/** An operation that the compiler knows itself: it holds blocks, or sets variables. */
export interface FlowOp {
  readonly op: string
  readonly docs: string
  readonly fields: readonly string[]
  readonly cost: number
}

const flow = (op: string, fields: string, cost: number, docs: string): FlowOp => ({
  op,
  fields: fields === '' ? [] : fields.split(' '),
  cost,
  docs,
})

/** Every operation that is part of the language, with what it costs. */
export const FLOW_OPS: readonly FlowOp[] = [
  flow('seq', 'steps', 0.1, 'Steps one after the other, until one returns or fails.'),
  flow('if', 'condition then else?', 0.1, 'One of two blocks.'),
  flow('while', 'condition body', 0.1, 'A block as long as a condition holds.'),
  flow('return', 'value | schema', 0.1, 'Ends the program: with a value, or with the variables that a schema names.'),
  flow(
    'try',
    'try catch? catchParam?',
    0.1,
    'A block, and another one if it fails: `error` is what happened, `errorOp` where. A limit is not caught.',
  ),
  flow('Error', 'args?', 0.1, 'Fails with a message.'),
  flow('varSet', 'key value', 0.1, 'Sets a variable.'),
  flow('constSet', 'key value', 0.1, 'Sets a variable that cannot be set again in its scope.'),
  flow('varGet', 'key', 0.1, 'The value of a variable; a dotted path goes into it.'),
  flow('varsImport', 'keys', 0.2, 'Copies arguments into variables.'),
  flow('varsLet', '…', 0.1, 'Sets a variable for each field.'),
  flow('varsExport', 'keys', 0.2, 'A record of variables.'),
  flow('scope', 'steps', 0.1, 'A block with variables of its own.'),
  flow('callLocal', 'name args?', 0.1, 'Calls a function that the program brings along in `helpers`.'),
  flow('eq', 'a b', 0.1, 'Whether two values are equal.'),
  flow('neq', 'a b', 0.1, 'Whether two values differ.'),
  flow('gt', 'a b', 0.1, 'Whether the first is greater.'),
  flow('lt', 'a b', 0.1, 'Whether the first is less.'),
  flow('and', 'a b', 0.1, 'Whether both are true.'),
  flow('or', 'a b', 0.1, 'Whether one is true.'),
  flow('not', 'value', 0.1, 'Whether it is false.'),
  flow('map', 'items as steps', 1, 'A block for each item; its `result` makes the new list.'),
  flow('filter', 'items as condition', 1, 'The items for which a condition holds.'),
  flow(
    'reduce',
    'items as accumulator initial steps',
    1,
    'A block for each item; its `result` is the accumulator of the next.',
  ),
  flow('find', 'items as condition', 1, 'The first item for which a condition holds, or null.'),
  flow('memoize', 'steps key?', 1, 'A block whose `result` is remembered for the rest of the run.'),
  flow(
    'cache',
    'steps key? ttlMs?',
    5,
    'A block whose `result` is kept in the store, for a day or `ttlMs`; writing costs as much again.',
  ),
]

export const FLOW_NAMES: ReadonlySet<string> = new Set(FLOW_OPS.map(({ op }) => op))

/** Their fields as JSON Schema, for models that write programs. */
export function flowSchema({ fields }: FlowOp): JsonObject {
  const names = fields.filter((name) => name !== '|' && name !== '…')
  const isChoice = fields.includes('|')
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), {}])),
    required: isChoice ? [] : names.filter((name) => !name.endsWith('?')),
  }
}
