import type { JsonObject } from '../../../core/index.ts'

/** An operation that the compiler implements: it has blocks, or sets variables. */
interface FlowOp {
  readonly op: string
  readonly docs: string
  readonly fields: readonly string[]
  readonly cost: number
}

/** One per line: operation; fields; cost; description. */
const TABLE = `
seq; steps; 0.1; Steps one after the other, until one returns or fails.
if; condition then else?; 0.1; One of two blocks.
while; condition body; 0.1; A block as long as a condition holds.
return; value | schema; 0.1; Ends the program: with a value, or with the variables that a schema names.
try; try catch? catchParam?; 0.1; A block, and another one if it fails: \`error\` is the message, \`errorOp\` the step. A limit is not caught.
Error; args?; 0.1; Fails with a message.
varSet; key value; 0.1; Sets a variable.
constSet; key value; 0.1; Sets a variable that cannot be set again in its scope.
varGet; key; 0.1; The value of a variable; a dotted path goes into it.
varsImport; keys; 0.2; Copies arguments into variables.
varsLet; …; 0.1; Sets a variable for each field.
varsExport; keys; 0.2; A record of variables.
scope; steps; 0.1; A block with variables of its own.
callLocal; name args?; 0.1; Calls a function that the program brings along in \`helpers\`.
toolCall; name input?; 1; Calls a tool that was granted to the program.
eq; a b; 0.1; Whether two values are equal.
neq; a b; 0.1; Whether two values differ.
gt; a b; 0.1; Whether the first is greater.
lt; a b; 0.1; Whether the first is less.
and; a b; 0.1; Whether both are true.
or; a b; 0.1; Whether one is true.
not; value; 0.1; Whether it is false.
map; items as steps; 1; A block for each item; its \`result\` makes the new list.
filter; items as condition; 1; The items for which a condition holds.
reduce; items as accumulator initial steps; 1; A block for each item; its \`result\` is the accumulator of the next.
find; items as condition; 1; The first item for which a condition holds, or null.
memoize; steps key?; 1; A block whose \`result\` is remembered for the rest of the run.
cache; steps key? ttlMs?; 5; A block whose \`result\` is kept in the store, for a day or \`ttlMs\`; writing costs as much again.
`

/** Every operation of the language, with its cost. */
export const FLOW_OPS: readonly FlowOp[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [op, fields, cost, ...docs] = line.split('; ') as [string, string, string, ...string[]]
    return { op, fields: fields.split(' '), cost: Number(cost), docs: docs.join('; ') }
  })

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
