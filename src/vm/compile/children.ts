import type { Ex } from './ir.ts'
import type { St } from './ir-statements.ts'

/** The child fields of node kinds in evaluation order, without the kinds that `children` handles itself. */
const FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    argument: 'unary await yield spread tolist create',
    'test then otherwise': 'conditional if',
    properties: 'object',
    'object name args': 'method',
    'object name': 'found',
    'params body': 'fn',
    target: 'update',
    items: 'sequence through',
    'callee args target': 'new',
    'parent value members': 'class',
    'object key self': 'super',
    object: 'private',
    expression: 'chain',
    'argument keys': 'omit',
    fields: 'input',
    value: 'let throw return settemp awaitto yieldto part',
    fn: 'function',
    'init test update body': 'loop',
    'items body': 'forof',
    'value cases': 'switch',
    body: 'labeled',
    'block handler param opParam finalizer': 'try',
    call: 'callto',
    'fields target': 'request',
    'list value': 'append',
    'target value': 'constset',
    test: 'decide',
  }).flatMap(([fields, kinds]) => kinds.split(' ').map((kind) => [kind, fields.split(' ')])),
)
/** Properties, parameters and switch cases are not nodes, but hold some. */
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

/** The child nodes of a node in source order. Frequent kinds are handled without the table. */
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
