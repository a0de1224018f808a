import type { Ex, St } from './ir.ts'

/** Where each kind of node holds others, in the order in which they are computed. */
const FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    member: 'object',
    index: 'object key',
    binary: 'left right',
    unary: 'argument',
    logical: 'left right',
    conditional: 'test then otherwise',
    list: 'items',
    object: 'properties',
    template: 'values',
    call: 'callee args',
    method: 'object name args',
    found: 'object name',
    fn: 'params body',
    assign: 'target value',
    update: 'target',
    sequence: 'items',
    await: 'argument',
    new: 'callee args',
    chain: 'expression',
    spread: 'argument',
    tolist: 'argument',
    omit: 'argument keys',
    input: 'fields',
    expr: 'value',
    let: 'value',
    function: 'fn',
    block: 'body',
    if: 'test then otherwise',
    loop: 'init test update body',
    forof: 'items body',
    switch: 'value cases',
    labeled: 'body',
    throw: 'value',
    try: 'block handler param opParam finalizer',
    return: 'value',
    settemp: 'value',
    awaitto: 'value',
    callto: 'call',
    request: 'fields target',
    append: 'list value',
    constset: 'target value',
    decide: 'test',
    part: 'value',
    through: 'items',
  }).map(([kind, names]) => [kind, names.split(' ')]),
)
/** Properties, parameters and cases are no nodes themselves, but hold some. */
const INSIDE = ['key', 'value', 'initial', 'test', 'body']

function gather(value: unknown, into: (Ex | St)[]): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) gather(value[i], into)
  } else if (typeof (value as { k?: unknown }).k === 'string') into.push(value as Ex | St)
  else for (const key of INSIDE) gather((value as Record<string, unknown>)[key], into)
}

function gathered(node: Ex | St): (Ex | St)[] {
  const found: (Ex | St)[] = []
  const fields = FIELDS.get(node.k)
  if (fields !== undefined)
    for (let i = 0; i < fields.length; i++) gather((node as unknown as Record<string, unknown>)[fields[i]!], found)
  return found
}

const NONE: readonly never[] = []

/** The nodes directly inside a node, in the order of the source. Those that programs are mostly made of need no table. */
export function children(node: Ex | St): readonly (Ex | St)[] {
  switch (node.k) {
    case 'var':
    case 'lit':
    case 'temp':
    case 'exit':
      return NONE
    case 'member':
      return [node.object]
    case 'index':
      return [node.object, node.key]
    case 'binary':
    case 'logical':
      return [node.left, node.right]
    case 'assign':
      return [node.target, node.value]
    case 'method':
      return typeof node.name === 'string' ? [node.object, ...node.args] : gathered(node)
    case 'call':
      return [node.callee, ...node.args]
    case 'expr':
      return [node.value]
    case 'block':
      return node.body
    case 'list':
      return node.items
    case 'template':
      return node.values
    default:
      return gathered(node)
  }
}
