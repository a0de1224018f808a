/** The fields each kind of expression has on the wire. A field that is none of them would be ignored, and nobody would know. */
const fields: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    literal: 'value',
    ident: 'name',
    member: 'object property computed optional',
    binary: 'op left right',
    unary: 'op argument',
    logical: 'op left right',
    conditional: 'test consequent alternate',
    array: 'elements',
    object: 'properties',
    template: 'parts values',
    call: 'callee arguments optional',
    methodCall: 'object method arguments optional',
    function: 'name self params body result async',
    assign: 'op target value',
    update: 'op prefix argument',
    spread: 'argument',
    await: 'argument',
    sequence: 'expressions',
    regex: 'pattern flags',
    new: 'callee arguments',
    chain: 'expression',
    list: 'argument',
    omit: 'argument keys',
  }).map(([kind, names]) => [kind, ['$expr', 'at', ...names.split(' ')]]),
)

/** A field of a node that its kind does not have, if there is one. */
export function strangeField(kind: string, node: object): string | undefined {
  const known = fields.get(kind)
  if (known === undefined) return undefined
  for (const name of Object.keys(node)) if (!known.includes(name)) return name
  return undefined
}
